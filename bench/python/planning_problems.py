"""Planning problems of MotionBenchMaker as cells and joint paths that `chasles check` reads.

    planning_problems.py --robot ROBOT.urdf --srdf ROBOT.srdf --out FOLDER KIND_FOLDER...

Each KIND_FOLDER holds scene<N>.yaml and request<N>.yaml. FOLDER gets a world file and a straight joint path from start to
goal for each problem, 2 s long; for every third problem also two paths through one and through two random waypoints
within the joints' limits, 2 s a segment; and `index.jsonl`, a line for each path: name, kind, robot, srdf, world, path.
Needs numpy and PyYAML.
"""

import argparse
import json
import re
from pathlib import Path

import numpy as np
import yaml

from arm import Arm

DETOURS_EVERY = 3
SECONDS = 2.0  # of a segment

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read(file):
    return yaml.load(file.read_text(), LOADER)


def list_of(values):
    return "[" + ", ".join(repr(float(v)) for v in values) + "]"


def world_of(scene, file):
    """The scene's collision objects as a scene file; an object of several primitives becomes several bodies."""
    text = [f"format = 1\nduration = {SECONDS}\n"]
    for obstacle in scene["world"]["collision_objects"]:
        if obstacle.get("meshes") or obstacle.get("planes"):
            raise ValueError(f"{file}: {obstacle['id']}: only primitives are read here")
        many = len(obstacle["primitives"]) > 1
        for i, (shape, pose) in enumerate(zip(obstacle["primitives"], obstacle["primitive_poses"], strict=True)):
            sizes = shape["dimensions"]
            if shape["type"] == "box":
                what = f"box = {list_of(sizes)}"
            elif shape["type"] == "cylinder":
                what = f"cylinder = {{ radius = {float(sizes[1])!r}, height = {float(sizes[0])!r} }}"
            else:
                raise ValueError(f"{file}: {obstacle['id']}: found type {shape['type']}, expected box or cylinder")
            position, (x, y, z, w) = placed(obstacle.get("pose"), pose)
            text.append(
                f'[[body]]\nname = "{obstacle["id"]}{f"_{i}" if many else ""}"\n{what}\n'
                f"pose = {{ position = {list_of(position)}, rotation = {list_of((w, x, y, z))} }}\n")
    return "\n".join(text)


def placed(obstacle, primitive):
    """Position and orientation (x, y, z, w) of a primitive; if the object has a pose, it is the
    frame of the primitive's pose."""
    position, orientation = primitive["position"], primitive["orientation"]
    if obstacle is None:
        return position, orientation
    v, w = np.array(obstacle["orientation"][:3]), obstacle["orientation"][3]
    u, s = np.array(orientation[:3]), orientation[3]
    turned = np.array(position) + 2 * np.cross(v, np.cross(v, position) + w * np.array(position))
    return obstacle["position"] + turned, [*(w * u + s * v + np.cross(v, u)), w * s - v @ u]


def ends_of(request):
    """The joints of the goal, and their values at start and goal."""
    state = request["start_state"]["joint_state"]
    start = dict(zip(state["name"], state["position"], strict=True))
    (goal,) = request["goal_constraints"]
    goal = {joint["joint_name"]: float(joint["position"]) for joint in goal["joint_constraints"]}
    return list(goal), [float(start[name]) for name in goal], list(goal.values())


def path_text(names, rows):
    lines = [",".join(["time", *names])]
    lines += [",".join([repr(SECONDS * i), *(repr(float(v)) for v in row)]) for i, row in enumerate(rows)]
    return "\n".join(lines) + "\n"


def make(args):
    arm, lines = Arm(args.robot), []
    for part in ("worlds", "paths"):
        (args.out / part).mkdir(parents=True, exist_ok=True)
    for folder in args.folders:
        kind = folder.name
        for file in sorted(folder.glob("scene*.yaml")):
            number = re.search(r"\d+", file.stem)[0]
            world = args.out / "worlds" / f"{kind}_{number}.toml"
            world.write_text(world_of(read(file), file))
            names, start, goal = ends_of(read(folder / f"request{number}.yaml"))
            low, high = np.array([arm.joints[name].limits for name in names]).T
            random = np.random.default_rng([int(number), *kind.encode()])
            paths = {"straight": [start, goal]}
            if int(number) % DETOURS_EVERY == 0:
                for stops in (1, 2):
                    between = [low + random.random(len(names)) * (high - low) for _ in range(stops)]
                    paths[f"detour{stops}"] = [start, *between, goal]
            for route, rows in paths.items():
                path = args.out / "paths" / f"{kind}_{number}_{route}.csv"
                path.write_text(path_text(names, rows))
                lines.append({
                    "name": path.stem, "kind": kind, "way": route, "robot": str(args.robot.absolute()),
                    "srdf": str(args.srdf.absolute()), "world": str(world.absolute()), "path": str(path.absolute()),
                })
    (args.out / "index.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    print(f"{len(lines)} paths in {args.out}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--robot", type=Path, required=True)
    parser.add_argument("--srdf", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("folders", type=Path, nargs="+")
    make(parser.parse_args())
