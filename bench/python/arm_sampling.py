"""What static tests at poses of a joint path see, with python-fcl and with coal.

Shapes are built once a cell; boxes are twelve triangles, since surfaces count, cylinders are the library's own, solid.
"""

import time

import numpy as np


def poses(path, degrees):
    """Times at which the fastest joint has turned by so many degrees at most since the last; ends of segments among them."""
    times = [path.times[:1]]
    for i in range(len(path.times) - 1):
        turn = np.degrees(np.abs(path.rows[i + 1] - path.rows[i]).max())
        times.append(np.linspace(path.times[i], path.times[i + 1], max(1, int(np.ceil(turn / degrees))) + 1)[1:])
    return np.concatenate(times)


class Sampler:
    """Every pair of the cell at every pose, but for those whose boxes along the world's axes are apart.

    The libraries' own broad phases cannot be used from Python where pairs are exempt: they do not say which bodies they
    found. So boxes of all poses are compared at once with numpy, within the time that is told.
    """

    def __init__(self, cell):
        self.cell = cell
        self.shapes = {name: self.shape(shape) for name, shape in cell.shapes.items()}

    def sample(self, times, places, pairs):
        """Times of contact by pair, seconds until the first was found, and seconds in all."""
        placed = {name: [self.placed(name, m) for m in place.reshape(-1, 4, 4)] for name, place in places.items()}
        begin = time.thread_time()
        boxes = {name: aligned(self.cell.shapes[name], place) for name, place in places.items()}
        near = np.array([overlap(boxes[a], boxes[b], len(times)) for a, b in pairs])
        hits, first, collide = {}, None, self.collide
        for i, k in zip(*(which.tolist() for which in np.nonzero(near.T))):
            a, b = pair = pairs[k]
            x, y = placed[a], placed[b]
            if collide(x[i % len(x)], y[i % len(y)]):
                first = time.thread_time() - begin if first is None else first
                hits.setdefault(pair, []).append(times[i])
        seconds = time.thread_time() - begin
        return hits, seconds if first is None else first, seconds


class Fcl(Sampler):
    """Trees of OBBRSS, the only ones that python-fcl builds."""

    def __init__(self, cell):
        import fcl

        self.fcl, self.request = fcl, fcl.CollisionRequest(num_max_contacts=1)
        super().__init__(cell)

    def shape(self, shape):
        if shape.cylinder:
            return self.fcl.Cylinder(*shape.cylinder)
        model = self.fcl.BVHModel()
        model.beginModel(len(shape.points), len(shape.triangles))
        model.addSubModel(shape.points, shape.triangles)
        model.endModel()
        return model

    def placed(self, name, m):
        return self.fcl.CollisionObject(self.shapes[name], self.fcl.Transform(m[:3, :3], m[:3, 3]))

    def collide(self, x, y):
        return self.fcl.collide(x, y, self.request, self.fcl.CollisionResult()) > 0


class Coal(Sampler):
    """Trees of OBBRSS."""

    def __init__(self, cell):
        import coal

        self.coal, self.request, self.result = coal, coal.CollisionRequest(), coal.CollisionResult()
        self.request.num_max_contacts, self.request.enable_contact = 1, False
        super().__init__(cell)

    def shape(self, shape):
        coal = self.coal
        if shape.cylinder:
            return coal.Cylinder(*shape.cylinder)
        model = coal.BVHModelOBBRSS()
        model.beginModel(len(shape.triangles), len(shape.points))
        model.addVertices(shape.points)
        model.addTriangles(shape.triangles)
        model.endModel()
        return model

    def placed(self, name, m):
        return self.shapes[name], self.coal.Transform3s(m[:3, :3], m[:3, 3])

    def collide(self, x, y):
        self.result.clear()
        return self.coal.collide(*x, *y, self.request, self.result) > 0

    def meets(self, pair, places):
        """Whether the two meet at each of the poses; oriented boxes tell apart what they can."""
        a, b = pair
        x, y = np.broadcast_arrays(places[a].reshape(-1, 4, 4), places[b].reshape(-1, 4, 4))
        found = np.zeros(len(x), bool)
        one, two = self.cell.shapes[a], self.cell.shapes[b]
        near = np.nonzero(overlap(aligned(one, x), aligned(two, y), len(x)))[0]
        for i in near[boxes_meet(one, x[near], two, y[near])].tolist():
            found[i] = self.collide(self.placed(a, x[i]), self.placed(b, y[i]))
        return found


def aligned(shape, place):
    """Low and high corners of boxes along the world's axes, at each pose."""
    middle, half = (shape.low + shape.high) / 2, (shape.high - shape.low) / 2
    rotation = place[..., :3, :3]
    centre, reach = rotation @ middle + place[..., :3, 3], np.abs(rotation) @ half
    return centre - reach, centre + reach


def overlap(one, two, count):
    """At which poses boxes overlap."""
    found = ((one[0] <= two[1]) & (two[0] <= one[1])).all(axis=-1)
    return np.broadcast_to(found, (count,))


def boxes_meet(one, x, two, y):
    """At which poses the oriented boxes around two shapes may overlap: no axis of the fifteen tells them apart."""
    pad = 1e-6
    half = [(shape.high - shape.low) / 2 + pad for shape in (one, two)]
    middle = [(shape.low + shape.high) / 2 for shape in (one, two)]
    u, v = x[:, :3, :3], y[:, :3, :3]
    apart = (v @ middle[1] + y[:, :3, 3]) - (u @ middle[0] + x[:, :3, 3])
    t = np.einsum("nji,nj->ni", u, apart)
    r = np.einsum("nji,njk->nik", u, v)
    size = np.abs(r) + 1e-12
    meet = (np.abs(t) <= half[0] + size @ half[1]).all(axis=1)
    along = np.einsum("nij,ni->nj", r, t)
    meet &= (np.abs(along) <= half[1] + np.einsum("nij,i->nj", size, half[0])).all(axis=1)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        for m in range(3):
            n, o = (m + 1) % 3, (m + 2) % 3
            reach = half[0][j] * size[:, k, m] + half[0][k] * size[:, j, m]
            reach += half[1][n] * size[:, i, o] + half[1][o] * size[:, i, n]
            meet &= np.abs(t[:, k] * r[:, j, m] - t[:, j] * r[:, k, m]) <= reach
    return meet
