"""A robot from a URDF and the bodies around it as numpy arrays: an independent reader, to compare Chasles with.

It reads only the features that the cells of the bench need: fixed, revolute, continuous and prismatic joints, with
mimic; one mesh (STL, OBJ) or box for each link; worlds of static boxes and cylinders. Anything else is an error.
"""

import itertools
import tomllib
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np


class Shape:
    """Triangles in the body's frame, or a cylinder along z; `low`, `high`: its bounds."""

    def __init__(self, points=None, triangles=None, cylinder=None):
        self.points, self.triangles, self.cylinder = points, triangles, cylinder
        if cylinder:
            radius, height = cylinder
            self.high = np.array([radius, radius, height / 2])
            self.low = -self.high
        else:
            self.low, self.high = points.min(axis=0), points.max(axis=0)


def box(size):
    corners = np.array(list(itertools.product((-0.5, 0.5), repeat=3))) * np.array(size, float)
    squares = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    triangles = [t for a, b, c, d in squares for t in ((a, b, c), (a, c, d))]
    return Shape(corners, np.array(triangles, np.int64))


def mesh(file):
    data = Path(file).read_bytes()
    if str(file).lower().endswith(".obj"):
        lines = [line.split() for line in data.decode().splitlines()]
        points = np.array([line[1:4] for line in lines if line[:1] == ["v"]], float)
        faces = [[int(corner.split("/")[0]) - 1 for corner in line[1:]] for line in lines if line[:1] == ["f"]]
        return Shape(points, np.array([(f[0], f[i], f[i + 1]) for f in faces for i in range(1, len(f) - 1)], np.int64))
    count = int.from_bytes(data[80:84], "little")
    if len(data) == 84 + 50 * count:
        rows = np.frombuffer(data, np.uint8, offset=84).reshape(count, 50)
        corners = rows[:, 12:48].copy().view("<f4").reshape(-1, 3).astype(float)
    else:
        words = [line.split() for line in data.decode().splitlines()]
        corners = np.array([w[1:4] for w in words if w[:1] == ["vertex"]], float)
    points, which = np.unique(corners, axis=0, return_inverse=True)
    return Shape(points, which.reshape(-1, 3).astype(np.int64))


def frame(rotation, position):
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = rotation, position
    return matrix


def turn(axis, angle):
    """Rotations about a unit axis by each of the angles."""
    x, y, z = axis
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    angle = np.asarray(angle, float)[..., None, None]
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * (cross @ cross)


def numbers(text):
    return [float(word) for word in text.split()]


def origin(element):
    at = element.find("origin")
    if at is None:
        return np.eye(4)
    r, p, y = numbers(at.get("rpy", "0 0 0"))
    rotation = turn((0, 0, 1), y) @ turn((0, 1, 0), p) @ turn((1, 0, 0), r)
    return frame(rotation, numbers(at.get("xyz", "0 0 0")))


class Joint:
    def __init__(self, element):
        self.kind = element.get("type")
        if self.kind not in ("fixed", "revolute", "continuous", "prismatic"):
            raise ValueError(f"joint {element.get('name')}: type {self.kind} is not read here")
        self.name = element.get("name")
        self.parent, self.child = (element.find(end).get("link") for end in ("parent", "child"))
        self.origin = origin(element)
        axis = element.find("axis")
        axis = np.array([1.0, 0, 0] if axis is None else numbers(axis.get("xyz")))
        self.axis = axis / np.linalg.norm(axis)
        mimic, limit = element.find("mimic"), element.find("limit")
        self.mimic = None
        if mimic is not None and self.kind != "fixed":
            factor, offset = (float(mimic.get(key, default)) for key, default in (("multiplier", 1), ("offset", 0)))
            self.mimic = (mimic.get("joint"), factor, offset)
        self.limits = (-np.pi, np.pi)
        if limit is not None and self.kind in ("revolute", "prismatic"):
            self.limits = (float(limit.get("lower", 0)), float(limit.get("upper", 0)))
        low, high = self.limits
        self.default = 0.0 if low <= 0 <= high else (low + high) / 2


class Arm:
    """`shapes`: by link, in the order of the file, in the link's frame (the collision element's origin is `placed`)."""

    def __init__(self, file, srdf=None):
        root = ET.parse(file).getroot()
        self.joints = {j.get("name"): Joint(j) for j in root.findall("joint")}
        self.above = {j.child: j for j in self.joints.values()}
        self.shapes, self.placed = {}, {}
        for link in root.findall("link"):
            elements = link.findall("collision")
            if len(elements) > 1:
                raise ValueError(f"link {link.get('name')}: {len(elements)} collision elements; one is read here")
            for element in elements:
                self.shapes[link.get("name")] = shape_of(element.find("geometry"), Path(file).parent)
                self.placed[link.get("name")] = origin(element)
        self.exempt = {frozenset((j.parent, j.child)) for j in self.joints.values()}
        if srdf:
            for pair in ET.parse(srdf).getroot().findall("disable_collisions"):
                self.exempt.add(frozenset((pair.get("link1"), pair.get("link2"))))

    def values(self, name, given):
        """Values of a joint, computed from the given values of some joints."""
        joint = self.joints[name]
        if joint.mimic:
            leader, factor, offset = joint.mimic
            return factor * self.values(leader, given) + offset
        return given.get(name, np.array(joint.default))

    def places(self, given):
        """Matrices of the collision shapes at each of the joint values, by link."""
        found = {}

        def link(name):
            if name not in found:
                joint = self.above.get(name)
                if joint is None:
                    found[name] = np.eye(4)
                else:
                    found[name] = link(joint.parent) @ joint.origin @ self.moved(joint, given)
            return found[name]

        return {name: link(name) @ self.placed[name] for name in self.shapes}

    def moved(self, joint, given):
        if joint.kind == "fixed":
            return np.eye(4)
        value = np.asarray(self.values(joint.name, given), float)
        matrix = np.broadcast_to(np.eye(4), value.shape + (4, 4)).copy()
        if joint.kind == "prismatic":
            matrix[..., :3, 3] = value[..., None] * joint.axis
        else:
            matrix[..., :3, :3] = turn(joint.axis, value)
        return matrix

    def movers(self, link, moving):
        """The joints above a link whose value changes."""
        found = set()
        while link in self.above:
            joint = self.above[link]
            leader = joint
            while leader.mimic:
                leader = self.joints[leader.mimic[0]]
            if joint.kind != "fixed" and leader.name in moving:
                found.add(joint.name)
            link = joint.parent
        return found

    def pairs(self, world, moving):
        """The tested pairs: links by the rules of `chasles check`, then links against the bodies of the world."""
        movers = {link: self.movers(link, moving) for link in self.shapes}
        links = itertools.combinations(self.shapes, 2)
        found = [(a, b) for a, b in links if movers[a] != movers[b] and frozenset((a, b)) not in self.exempt]
        return found + [(link, body) for link in self.shapes if movers[link] for body in world]


def shape_of(geometry, folder):
    (element,) = geometry
    if element.tag == "box":
        return box(numbers(element.get("size")))
    if element.tag != "mesh":
        raise ValueError(f"a {element.tag} of a link is not read here")
    name = element.get("filename")
    files = [folder / name]
    if name.startswith("package://"):
        files = [above / name.removeprefix("package://") for above in (folder, *folder.parents)]
    shape = mesh(next(file for file in files if file.exists()))
    shape = Shape(shape.points * numbers(element.get("scale", "1 1 1")), shape.triangles)
    return shape


def world(file):
    """Shapes and matrices of the bodies of a scene file with static bodies, by name."""
    shapes, places = {}, {}
    for body in tomllib.loads(Path(file).read_text())["body"] if file else []:
        name = body["name"]
        if "box" in body:
            shapes[name] = box(body["box"])
        elif "cylinder" in body:
            shapes[name] = Shape(cylinder=(body["cylinder"]["radius"], body["cylinder"]["height"]))
        else:
            raise ValueError(f"{file}: body {name}: only boxes and cylinders are read here")
        if "motion" in body or "parent" in body:
            raise ValueError(f"{file}: body {name} moves; only static bodies are read here")
        pose = body.get("pose", {})
        w, x, y, z = np.array(pose.get("rotation", [1, 0, 0, 0])) / np.linalg.norm(pose.get("rotation", [1, 0, 0, 0]))
        rotation = [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
        places[name] = frame(rotation, pose.get("position", [0, 0, 0]))
    return shapes, places


class JointPath:
    """A joint path: linear from row to row."""

    def __init__(self, names, times, rows):
        self.names, self.times, self.rows = names, np.asarray(times, float), np.asarray(rows, float)

    @classmethod
    def read(cls, file):
        lines = Path(file).read_text().split()
        rows = np.array([line.split(",") for line in lines[1:]], float)
        return cls(lines[0].split(",")[1:], rows[:, 0], rows[:, 1:])

    def moving(self):
        return {name for i, name in enumerate(self.names) if np.ptp(self.rows[:, i]) > 0}

    def at(self, times):
        return {name: np.interp(times, self.times, self.rows[:, i]) for i, name in enumerate(self.names)}
