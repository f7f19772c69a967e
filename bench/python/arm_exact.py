"""Whether surfaces intersect at one pose, triangle by triangle, in f64 and without tolerances: slow and plain.

The collision libraries iterate to some 1e-6 m; if they and Chasles differ, this test decides.
"""

import numpy as np


def meet(one, x, two, y):
    """Whether the surfaces of two shapes intersect at the poses x and y; at most one of them is a cylinder."""
    if one.cylinder:
        one, x, two, y = two, y, one, x
    into = np.linalg.inv(y) @ x
    points = one.points @ into[:3, :3].T + into[:3, 3]
    corners = points[one.triangles]
    if two.cylinder:
        return any(intersects_cylinder(triangle, *two.cylinder) for triangle in corners[in_box(corners, two.low, two.high)])
    corners = corners[in_box(corners, two.low, two.high)]
    if len(corners) == 0:
        return False
    others = two.points[two.triangles]
    others = others[in_box(others, corners.min(axis=(0, 1)), corners.max(axis=(0, 1)))]
    return edges_cross(corners, others) or edges_cross(others, corners)


def in_box(corners, low, high):
    return ((corners.min(axis=1) <= high) & (corners.max(axis=1) >= low)).all(axis=1)


def edges_cross(ones, others):
    """Whether an edge of any of the first triangles crosses any of the other triangles."""
    p, q, r = (others[None, :, i] for i in range(3))
    for i in range(3):
        a, b = ones[:, None, i], ones[:, None, (i + 1) % 3]
        sides = volume(p, q, r, a) * volume(p, q, r, b) <= 0
        if not sides.any():
            continue
        k, m = np.nonzero(sides)
        a, b = ones[k, i], ones[k, (i + 1) % 3]
        corners = others[m]
        around = np.array([volume(a, b, corners[:, j], corners[:, (j + 1) % 3]) for j in range(3)])
        # Coplanar triangles span no volume; an intersection in a plane also has one in another edge or triangle.
        if (((around >= 0).all(axis=0) | (around <= 0).all(axis=0)) & (around != 0).any(axis=0)).any():
            return True
    return False


def volume(a, b, c, d):
    return np.einsum("...i,...i->...", np.cross(b - a, c - a), d - a)


def intersects_cylinder(triangle, radius, height):
    """Whether a triangle intersects the surface of a cylinder along z around the origin: it intersects the solid and is
    not wholly inside."""
    if (np.hypot(triangle[:, 0], triangle[:, 1]) < radius).all() and (np.abs(triangle[:, 2]) < height / 2).all():
        return False
    polygon = list(triangle)
    for sign in (1.0, -1.0):
        polygon = clipped(polygon, sign, height / 2)
    flat = np.array(polygon)[:, :2] if polygon else np.empty((0, 2))
    if len(flat) == 0:
        return False
    ends = np.roll(flat, -1, axis=0)
    along = ends - flat
    length = (along * along).sum(axis=1)
    at = np.clip(-(flat * along).sum(axis=1) / np.where(length > 0, length, 1), 0, 1)
    if np.hypot(*(flat + at[:, None] * along).T).min() <= radius:
        return True
    turns = along[:, 0] * -flat[:, 1] + along[:, 1] * flat[:, 0]
    return bool((turns > 0).all() or (turns < 0).all())


def clipped(polygon, sign, limit):
    """The part of a polygon where sign * z <= limit."""
    kept = []
    for a, b in zip(polygon, polygon[1:] + polygon[:1]):
        u, v = sign * a[2] - limit, sign * b[2] - limit
        if u <= 0:
            kept.append(a)
        if u * v < 0:
            kept.append(a + (b - a) * (u / (u - v)))
    return kept
