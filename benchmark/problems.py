"""Reads the benchmark's problems for check.py: bodies, motions, and pairs to check. README.md has the formats.

Standard library only; shares no code with Chasles.
"""
import csv
import xml.etree.ElementTree as xml
from itertools import combinations

from exact import ONE, UNIT, ZERO, Ball, along, compose, exact, fixed, helix, need, rotation, vector

WHOLE = 16  # Sets of more triangles are replaced with the eight corners of their bounding box.


class Body:
    """Triangles of points, and the map from a point to its position. A point has 3 numbers; for a deforming body 6,
    its positions at the start and at the end."""

    def __init__(self, points, triangles, motion):
        self.points, self.triangles, self.motion = points, triangles, motion
        self.hulls, self.maps, self.boxes = {}, {}, {}

    def map(self, start, end):
        if (start, end) not in self.maps:
            self.maps[start, end] = self.motion(start, end)
        return self.maps[start, end]

    def hull(self, i, j):
        """Points whose convex hull contains triangles i to j - 1 at every time, and the largest of their numbers."""
        if (i, j) not in self.hulls:
            if j - i > WHOLE:
                lo, hi = self.box(i, j)
                n = len(lo)
                points = [[(hi if k >> d % 3 & 1 else lo)[d] for d in range(n)] for k in range(8)]
            else:
                points = [self.points[v] for v in sorted({v for t in self.triangles[i:j] for v in t})]
            self.hulls[i, j] = points, max(abs(x) for p in points for x in p)
        return self.hulls[i, j]

    def box(self, i, j):
        if (i, j) not in self.boxes:
            if j - i > WHOLE:
                (a, b), (c, d) = self.box(i, i + j >> 1), self.box(i + j >> 1, j)
                self.boxes[i, j] = list(map(min, a, c)), list(map(max, b, d))
            else:
                columns = list(zip(*(self.points[v] for t in self.triangles[i:j] for v in t)))
                self.boxes[i, j] = list(map(min, columns)), list(map(max, columns))
        return self.boxes[i, j]

    def corners(self, triangle, start, end):
        """The positions of a triangle's corners, for all times of the interval, as Balls."""
        need(type(triangle) is int and 0 <= triangle < len(self.triangles), f"triangle {triangle} is not there")
        rows = [[k[0] + k[1].either_sign() + k[2].either_sign() for k in row] for row in self.map(start, end)]
        return [[sum((c * Ball(x) for c, x in zip(row, self.points[v])), row[-1]) for row in rows]
                for v in self.triangles[triangle]]


def mesh(path):
    """Points and triangles of an OBJ file with only the lines `v x y z` and `f a b c`."""
    points, triangles = [], []
    for line in path.read_text().splitlines():
        kind, *words = line.split()
        need(kind in ("v", "f") and len(words) == 3, f"{path}: {line!r}")
        if kind == "v":
            points.append(tuple(exact(float(w)) for w in words))
        else:
            triangles.append(tuple(int(w) - 1 for w in words))
    need(triangles and all(0 <= v < len(points) for t in triangles for v in t), f"{path}: triangles of no points")
    return points, triangles


IDENTITY_MAP = fixed([[UNIT if i == j else ZERO for j in range(4)] for i in range(3)])


def identity(start, end):
    return IDENTITY_MAP


def deforms(start, end):
    """(1 - t) times the first three numbers and t times the last three."""
    t = [Ball(start + end >> 1), Ball((end - start >> 1) + 1), ZERO]
    rest = [UNIT - t[0], -t[1], ZERO]
    zero = [ZERO] * 3
    return [[rest if j == i else t if j == 3 + i else zero for j in range(7)] for i in range(3)]


def pose_map(position, quaternion):
    return fixed([row + [Ball(x)] for row, x in zip(rotation(*quaternion), position)])


def screw_of(problem):
    """From pose0, a rotation by b about the axis through p along s, and a slide by d along it, both linear in time."""
    pose0, screw = vector(problem["pose0"], 7), problem["screw"]
    s, p, (d, b) = vector(screw["s"]), vector(screw["p"]), vector([screw["d"], screw["b"]], 2)
    pose = pose_map(pose0[:3], pose0[3:])
    return lambda start, end: compose(
        helix(s, p, along([0, ONE], [0, b], start, end), along([0, ONE], [0, d], start, end)), pose)


def robot_of(problem, folder):
    """Links with a mesh, in the order of the URDF, then bodies of the world. Pairs of links without a joint count."""
    with open(folder / problem["path"], newline="") as file:
        names, *rows = csv.reader(file)
    need(names[0] == "time" and len(rows) > 1, "a path begins with time and has two waypoints")
    columns = {n: [exact(float(row[i])) for row in rows] for i, n in enumerate(names)}
    knots = columns.pop("time")
    need(all(a < b for a, b in zip(knots, knots[1:])), "times do not increase")
    root = xml.parse(folder / problem["robot"]).getroot()
    joints = {}
    for joint in root.iter("joint"):
        need(joint.find("mimic") is None and joint.get("type") in ("revolute", "prismatic"), "a joint of another kind")
        origin = {"xyz": "0 0 0", "rpy": "0 0 0", **dict(joint.find("origin").items())}
        xyz, rpy, axis = ([exact(float(x)) for x in t.split()]
                          for t in (origin["xyz"], origin["rpy"], joint.find("axis").get("xyz")))
        roll, pitch, yaw = (helix([ONE * (i == j) for j in range(3)], [0] * 3, [Ball(x), ZERO, ZERO], [ZERO] * 3)
                            for i, x in enumerate(rpy))
        place = compose(yaw, compose(pitch, roll))
        for row, x in zip(place, xyz):
            row[3] = [Ball(x), ZERO, ZERO]
        joints[joint.find("child").get("link")] = (joint, place, axis, columns[joint.get("name")])
    cache = {}

    def carried(link, start, end):
        if link not in joints:
            return IDENTITY_MAP
        if (link, start, end) not in cache:
            joint, place, axis, values = joints[link]
            value = along(knots, values, start, end)
            turn, slide = (value, [ZERO] * 3) if joint.get("type") == "revolute" else ([ZERO] * 3, value)
            moved = compose(place, helix(axis, [0] * 3, turn, slide))
            cache[link, start, end] = compose(carried(joint.find("parent").get("link"), start, end), moved)
        return cache[link, start, end]

    bodies, names = [], []
    for link in root.iter("link"):
        for collision in link.iter("collision"):
            need(collision.find("origin") is None, "a collision mesh with an origin")
            name = collision.find("geometry/mesh").get("filename")
            points, triangles = mesh((folder / problem["robot"]).parent / name)
            bodies.append(Body(points, triangles, lambda s, e, name=link.get("name"): carried(name, s, e)))
            names.append(link.get("name"))
    neighbours = {frozenset((child, j[0].find("parent").get("link"))) for child, j in joints.items()}
    pairs = [(i, j) for i, j in combinations(range(len(bodies)), 2)
             if frozenset((names[i], names[j])) not in neighbours]
    for world in problem["world"]:
        pairs += [(i, len(bodies)) for i in range(len(names))]
        bodies.append(Body(*mesh(folder / world["mesh"]), identity))
    return bodies, pairs, knots


def bodies_of(problem, folder):
    """Bodies, the pairs of body numbers to check, and times: start, waypoints, end."""
    knots = [0, ONE]
    if "robot" in problem:
        return robot_of(problem, folder)
    if "vertex_face" in problem or "edge_edge" in problem:
        corners = [tuple(vector(p)) for p in problem.get("vertex_face") or problem["edge_edge"]]
        need(len(corners) == 8, "8 points")
        points = [p + q for p, q in zip(corners[:4], corners[4:])]
        shapes = [[(0, 0, 0)], [(1, 2, 3)]] if "vertex_face" in problem else [[(0, 1, 1)], [(2, 3, 3)]]
        return [Body(points, shape, deforms) for shape in shapes], [(0, 1)], knots
    bodies = []
    for side in ("a", "b"):
        shape = problem[side]
        if "start" in shape:
            (first, triangles), (last, others) = mesh(folder / shape["start"]), mesh(folder / shape["end"])
            need(triangles == others and len(first) == len(last), "start and end are not of one mesh")
            bodies.append(Body([p + q for p, q in zip(first, last)], triangles, deforms))
        else:
            bodies.append(Body(*mesh(folder / shape["mesh"]), screw_of(problem) if side == "a" else identity))
    return bodies, [(0, 1)], knots
