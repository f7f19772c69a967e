"""A robot from a URDF in its world, for the samplers and the exact test."""

import numpy as np

from arm import Arm, world
from arm_exact import meet


class Cell:
    """`shapes` by name of link or body, `pairs` that are tested if the given joints (by name) move."""

    def __init__(self, robot, srdf, around, moving):
        self.arm = Arm(robot, srdf)
        bodies, self.static_body = world(around)
        self.shapes = {**self.arm.shapes, **bodies}
        self.pairs = self.arm.pairs(bodies, moving)

    def places(self, path, times):
        return {**self.arm.places(path.at(times)), **self.static_body}

    def meet(self, pair, path, at):
        """Whether surfaces intersect at a time, exact up to rounding."""
        places = self.places(path, np.array([at]))
        (one, x), (two, y) = ((self.shapes[name], places[name].reshape(4, 4)) for name in pair)
        return meet(one, x, two, y)
