#!/usr/bin/env python3
"""Runs FCL and Coal on screws and robots at 100 poses, and FCL's own continuous test on screws; writes answers for
score.py. Needs `pip install numpy python-fcl coal`.

usage: sampled.py fcl|coal|fcl-continuous FOLDER [--poses 100] > ANSWERS.jsonl

Coal's tolerance is the tolerance of its GJK, 1e-6. Seconds are processor time of the queries, called from Python; poses
and trees of boxes are computed in advance.
"""
import argparse
import csv
import json
import time
import xml.etree.ElementTree as xml
from importlib.metadata import version
from itertools import combinations
from pathlib import Path

import numpy as np


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def mesh(path):
    words = [line.split() for line in path.read_text().splitlines()]
    points = np.array([[float(x) for x in w[1:]] for w in words if w[0] == "v"])
    return points, np.array([[int(x) - 1 for x in w[1:]] for w in words if w[0] == "f"])


def quaternion(w, x, y, z):
    w, x, y, z = np.array([w, x, y, z]) / np.linalg.norm([w, x, y, z])
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                     [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                     [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]])


def turn(axis, angle):
    axis = np.array(axis) / np.linalg.norm(axis)
    return quaternion(np.cos(angle / 2), *(np.sin(angle / 2) * axis))


def screw_pose(problem, t):
    pose, screw = np.array(problem["pose0"]), problem["screw"]
    s, p = np.array(screw["s"]) / np.linalg.norm(screw["s"]), np.array(screw["p"])
    turned = turn(s, t * screw["b"])
    return turned @ quaternion(*pose[3:]), turned @ (pose[:3] - p) + p + t * screw["d"] * s


class Fcl:
    def __init__(self):
        import fcl
        self.lib, self.name = fcl, f"FCL (python-fcl {version('python-fcl')})"

    def tree(self, points, triangles):
        model = self.lib.BVHModel()
        model.beginModel(len(points), len(triangles))
        model.addSubModel(points, triangles)
        model.endModel()
        return model

    def place(self, rotation, position):
        return self.lib.Transform(rotation, position)

    def object(self, tree, place):
        return self.lib.CollisionObject(tree, place)

    def meet(self, a, pa, b, pb):
        a.setTransform(pa)
        b.setTransform(pb)
        return self.lib.collide(a, b, self.lib.CollisionRequest(), self.lib.CollisionResult()) > 0


class Coal:
    def __init__(self):
        import coal
        self.lib, self.name = coal, f"Coal {version('coal')}"
        self.request = coal.CollisionRequest()

    def tree(self, points, triangles):
        model = self.lib.BVHModelOBBRSS()
        model.beginModel(len(triangles), len(points))
        model.addVertices(points)
        model.addTriangles(triangles)
        model.endModel()
        return model

    def place(self, rotation, position):
        return self.lib.Transform3s(rotation, position)

    def object(self, tree, place):
        return tree

    def meet(self, a, pa, b, pb):
        result = self.lib.CollisionResult()
        return self.lib.collide(a, pa, b, pb, self.request, result) > 0


def first_contact(peer, bodies, pairs, poses, times):
    """The first time at which a pair collides; poses are indexed by time and body."""
    trees = [peer.tree(*b) for b in bodies]
    places = [[peer.place(*p) for p in row] for row in poses]
    objects = [peer.object(t, p) for t, p in zip(trees, places[0])]
    start = time.process_time()
    contact = next((t for t, row in zip(times, places) for i, j in pairs
                if peer.meet(objects[i], row[i], objects[j], row[j])), None)
    return contact, time.process_time() - start


def continuous(peer, bodies, problem):
    """FCL's conservative advancement along its own screw from the first pose to the last."""
    fcl = peer.lib
    a, b = (peer.tree(*x) for x in bodies)
    first, last = (peer.place(*screw_pose(problem, t)) for t in (0.0, 1.0))
    here = fcl.Transform()
    moving, static_body = fcl.CollisionObject(a, first), fcl.CollisionObject(b, here)
    request = fcl.ContinuousCollisionRequest(num_max_iterations=100, toc_err=1e-6, ccd_motion_type=2,
                                             ccd_solver_type=1)
    start = time.process_time()
    result = fcl.ContinuousCollisionResult()
    fcl.continuousCollide(moving, last, static_body, here, request, result)
    contact = result.time_of_contact if result.is_collide else None
    return contact, time.process_time() - start


def robot(problem, folder):
    """Bodies and pairs as in problems.py, and a function from joint values to poses."""
    root = xml.parse(folder / problem["robot"]).getroot()
    joints = {j.find("child").get("link"): j for j in root.iter("joint")}
    links = [link for link in root.iter("link") if link.find("collision") is not None]
    bodies = [mesh((folder / problem["robot"]).parent / link.find("collision/geometry/mesh").get("filename"))
              for link in links]
    names = [link.get("name") for link in links]
    near = {frozenset((c, j.find("parent").get("link"))) for c, j in joints.items()}
    pairs = [(i, j) for i, j in combinations(range(len(names)), 2) if frozenset((names[i], names[j])) not in near]
    for world in problem["world"]:
        pairs += [(i, len(bodies)) for i in range(len(names))]
        bodies.append(mesh(folder / world["mesh"]))

    def numbers(text):
        return np.array([float(x) for x in text.split()])

    def pose(link, values):
        if link not in joints:
            return np.eye(3), np.zeros(3)
        joint = joints[link]
        outer, at = pose(joint.find("parent").get("link"), values)
        roll, pitch, yaw = numbers(joint.find("origin").get("rpy"))
        axis, value = numbers(joint.find("axis").get("xyz")), values[joint.get("name")]
        at = at + outer @ numbers(joint.find("origin").get("xyz"))
        outer = outer @ turn([0, 0, 1], yaw) @ turn([0, 1, 0], pitch) @ turn([1, 0, 0], roll)
        if joint.get("type") == "revolute":
            return outer @ turn(axis, value), at
        return outer, at + outer @ axis / np.linalg.norm(axis) * value

    def poses(values):
        return [pose(name, values) for name in names] + [(np.eye(3), np.zeros(3))] * len(problem["world"])
    return bodies, pairs, poses


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("peer", choices=["fcl", "coal", "fcl-continuous"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--poses", type=int, default=100)
    options = parser.parse_args()
    folder, peer = options.folder, Coal() if options.peer == "coal" else Fcl()
    own = options.peer == "fcl-continuous"
    how = f"sampled at {options.poses} poses"
    if own:
        how = "its conservative advancement on its screw, OBBRSS, at most 100 iterations"
    print(json.dumps({"program": peer.name, "how": how, "tolerance": 1e-6 if options.peer == "coal" else 0,
                      "families": ["screws"] if own else ["screws", "robots"]}))

    def report(name, contact, seconds):
        answer = {"name": name, "verdict": "clear" if contact is None else "overlapping" if contact == 0 else "contact"}
        print(json.dumps(answer | ({"time": contact} if contact else {}) | {"seconds": seconds}))

    for problem in lines(folder / "screws.jsonl"):
        bodies = [mesh(folder / problem[side]["mesh"]) for side in ("a", "b")]
        if own and abs(problem["screw"]["b"]) > np.pi:
            print(json.dumps({"name": problem["name"], "verdict": "undecided"}))  # FCL's motion differs.
            continue
        times = np.linspace(0, 1, options.poses)
        here = (np.eye(3), np.zeros(3))
        contact, seconds = continuous(peer, bodies, problem) if own else first_contact(
            peer, bodies, [(0, 1)], [[screw_pose(problem, t), here] for t in times], times)
        report(problem["name"], contact, seconds)
    for problem in lines(folder / "robots.jsonl") if not own else []:
        with open(folder / problem["path"], newline="") as file:
            names, *rows = csv.reader(file)
        table = np.array(rows, float)
        times = np.linspace(table[0, 0], table[-1, 0], options.poses)
        bodies, pairs, poses = robot(problem, folder)
        values = [{n: np.interp(t, table[:, 0], table[:, k]) for k, n in enumerate(names) if k} for t in times]
        contact, seconds = first_contact(peer, bodies, pairs, [poses(v) for v in values], times)
        report(problem["name"], contact, seconds)


if __name__ == "__main__":
    main()
