"""Contacts that static tests find at poses of a joint path, with python-fcl and with coal.

Shapes are built once for each cell. Boxes are twelve triangles, since surfaces count; cylinders are the library's
own, solid.
"""

import time

import numpy as np

TOGETHER = 64  # number of poses whose boxes are compared at once


def poses(path, degrees):
    """Times between which the fastest joint rotates by at most the given degrees; they include the ends of segments."""
    times = [path.times[:1]]
    for i in range(len(path.times) - 1):
        turn = np.degrees(np.abs(path.rows[i + 1] - path.rows[i]).max())
        times.append(np.linspace(path.times[i], path.times[i + 1], max(1, int(np.ceil(turn / degrees))) + 1)[1:])
    return np.concatenate(times)


class Sampler:
    """Every pair of the cell at every pose, except pairs whose boxes along the world's axes are separated.

    The libraries' own broad phases cannot be used from Python if pairs are exempt: they do not report which bodies they
    found. So numpy compares the boxes of all poses at once, which the reported time includes. Placing links is not
    included.
    """

    def __init__(self, cell):
        self.cell = cell
        self.shapes = {name: self.shape(shape) for name, shape in cell.shapes.items()}

    def sample(self, times, places, pairs):
        """Times of contact by pair, seconds until the first contact was found, and total seconds."""
        placed = Placed(self, places, pairs)
        start = time.thread_time()
        hits, first = {}, None
        for i, pair in self.contacts(placed):
            first = time.thread_time() - start if first is None else first
            hits.setdefault(pair, []).append(times[i])
        seconds = time.thread_time() - start
        return hits, seconds if first is None else first, seconds

    def first(self, places, pairs):
        """The first pose (in the order of `places`) and pair in contact, or `None`; and the seconds until then."""
        placed = Placed(self, places, pairs)
        start = time.thread_time()
        found = next(self.contacts(placed), None)
        return found, time.thread_time() - start

    def contacts(self, placed):
        """Numbers of the poses and pairs in contact, pose by pose."""
        collide, bodies = self.collide, placed.bodies
        for i, k in zip(*(which.tolist() for which in np.nonzero(placed.near().T))):
            a, b = pair = placed.pairs[k]
            x, y = bodies[a], bodies[b]
            if collide(x[i % len(x)], y[i % len(y)]):
                yield i, pair


class Placed:
    """Everything at all poses, made before the clock starts: `bodies` for the library, and matrices for the boxes."""

    def __init__(self, sampler, places, pairs):
        self.pairs = pairs
        self.bodies = {name: [sampler.placed(name, m) for m in place.reshape(-1, 4, 4)] for name, place in places.items()}
        count = max(map(len, self.bodies.values()))
        self.matrices = np.stack([np.broadcast_to(place.reshape(-1, 4, 4), (count, 4, 4)) for place in places.values()])
        self.low, self.high = (np.array([getattr(sampler.cell.shapes[name], end) for name in places])[:, None]
                               for end in ("low", "high"))
        numbers = {name: number for number, name in enumerate(places)}
        self.a, self.b = np.array([[numbers[name] for name in pair] for pair in pairs]).T

    def near(self):
        """The pairs and poses whose boxes overlap: first tested for several poses together, then for each pose."""
        found = np.zeros((len(self.pairs), self.matrices.shape[1]), bool)
        for start in range(0, found.shape[1], TOGETHER):
            low, high = aligned(self, self.matrices[:, start:start + TOGETHER])
            minimum, most = low.min(axis=1), high.max(axis=1)
            left = np.nonzero(overlap((minimum[self.a], most[self.a]), (minimum[self.b], most[self.b])))[0]
            a, b = self.a[left], self.b[left]
            found[left, start:start + TOGETHER] = overlap((low[a], high[a]), (low[b], high[b]))
        return found


class Fcl(Sampler):
    """Trees of OBBRSS, the only kind that python-fcl builds."""

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
        """Whether the two shapes intersect at each of the poses; oriented boxes reject first."""
        a, b = pair
        x, y = np.broadcast_arrays(places[a].reshape(-1, 4, 4), places[b].reshape(-1, 4, 4))
        found = np.zeros(len(x), bool)
        one, two = self.cell.shapes[a], self.cell.shapes[b]
        which = np.nonzero(overlap(aligned(one, x), aligned(two, y)))[0]
        for i in which[boxes_overlap(one, x[which], two, y[which])].tolist():
            found[i] = self.collide(self.placed(a, x[i]), self.placed(b, y[i]))
        return found


def aligned(shape, place):
    """Low and high corners of boxes along the world's axes, at each pose; of one shape, or one shape for each pose."""
    middle, half = (shape.low + shape.high) / 2, (shape.high - shape.low) / 2
    rotation = place[..., :3, :3]
    centre = (rotation @ middle[..., None])[..., 0] + place[..., :3, 3]
    reach = (np.abs(rotation) @ half[..., None])[..., 0]
    return centre - reach, centre + reach


def overlap(one, two):
    """The poses at which boxes overlap."""
    found = True
    for axis in range(3):  # numpy is slow at `all` over few elements.
        found = found & (one[0][..., axis] <= two[1][..., axis]) & (two[0][..., axis] <= one[1][..., axis])
    return found


def boxes_overlap(one, x, two, y):
    """The poses at which the oriented boxes around two shapes may overlap: none of the fifteen axes separates them."""
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
