"""The least <g, v> over each set, for 1,000 random cases, by solvers that share nothing
with the package. Run it anew after a change of the cases, with numpy 2.4.6 and scipy
1.17.1: python3 solve.py [set ...]. It writes one number a line into SET.txt, beside it.

The cases are those of sets_test.go, number by number: both draw by splitmix64.
"""
import os
import sys

import numpy as np
from scipy.optimize import linear_sum_assignment, linprog

MASK = (1 << 64) - 1
CASES = 1000


class Draw:
    def __init__(self, name, case):
        self.state = case
        for c in name.encode():
            self.state = (self.state * 1099511628211 + c) & MASK

    def next(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def int(self, lo, hi):
        return lo + (self.next() >> 33) % (hi - lo + 1)

    def ints(self, n, lo, hi):
        return np.array([self.int(lo, hi) for _ in range(n)])


def lp(c, exact=True, **kw):
    r = linprog(c, method="highs", **kw)
    assert r.status == 0, r.message
    if exact:
        assert abs(r.fun - round(r.fun)) < 1e-6, r.fun
        return round(r.fun)
    return r.fun


def ksparse(r):
    d = r.int(1, 12)
    k, g = r.int(1, d), r.ints(d, -9, 9)
    # w = p - q, p and q from 0 to 1, the sum of both at most k
    return lp(np.r_[g, -g], A_ub=np.ones((1, 2 * d)), b_ub=[k], bounds=(0, 1))


def group(r):
    size = r.ints(r.int(1, 6), 1, 5)
    g = r.ints(size.sum(), -9, 9)
    return float(-max(np.linalg.norm(x) for x in np.split(g, np.cumsum(size)[:-1])))


def hull(r):
    n, d = r.int(1, 15), r.int(1, 8)
    points = r.ints(n * d, -9, 9).reshape(n, d)
    g = r.ints(d, -9, 9)
    return lp(points @ g, A_eq=np.ones((1, n)), b_eq=[1], bounds=(0, None))


def birkhoff(r):
    n = r.int(1, 12)
    g = r.ints(n * n, -20, 20).reshape(n, n)
    return int(g[linear_sum_assignment(g)].sum())


def paths(r):
    n = r.int(2, 8)
    arcs = [(0, n - 1)]
    for _ in range(r.int(1, 20)):
        u = r.int(0, n - 2)
        arcs.append((u, r.int(u + 1, n - 1)))
    net = np.zeros((n, len(arcs)))
    for k, (u, v) in enumerate(arcs):
        net[u, k] += 1
        net[v, k] -= 1
    b = np.zeros(n)
    b[0], b[n - 1] = 1, -1
    return lp(r.ints(len(arcs), -9, 9), A_eq=net, b_eq=b, bounds=(0, None))


def flows(r):
    thru, n = r.int(0, 2), r.int(3, 6)
    arcs = []
    for u in range(n):
        if u < thru:
            arcs += [(u, thru), (thru, u)]
        else:
            arcs.append((u, thru + (u + 1 - thru) % (n - thru)))
    for _ in range(r.int(0, 12)):
        u = r.int(0, n - 1)
        arcs.append((u, r.int(0, n - 1)))
    demand = np.zeros((n, n))
    for _ in range(r.int(1, 6)):
        u = r.int(0, n - 1)
        v = (u + r.int(1, n - 1)) % n
        demand[u, v] += r.int(1, 9)
    g = r.ints(len(arcs), 0, 9)
    total = 0
    for o in range(n):  # the demands from o are a flow of their own
        net, most = np.zeros((n, len(arcs))), []
        for k, (u, v) in enumerate(arcs):
            net[u, k] += 1
            net[v, k] -= 1
            most.append(0 if u < thru and u != o else None)
        b = -demand[o]
        b[o] += demand[o].sum()
        total += lp(g, A_eq=net, b_eq=b, bounds=[(0, m) for m in most])
    return total


def spectral(r):
    h, m = r.int(1, 7), r.int(1, 7)
    return float(-np.linalg.svd(r.ints(h * m, -9, 9).reshape(m, h), compute_uv=False).sum())


def rotations(r):
    n = r.int(2, 6)
    m = -r.ints(n * n, -9, 9).reshape(n, n).astype(float)
    if n == 2:  # the best angle
        return float(-np.hypot(m[0, 0] + m[1, 1], m[0, 1] - m[1, 0]))
    if n == 3:  # the best quaternion (Davenport's q-method)
        z = np.array([m[1, 2] - m[2, 1], m[2, 0] - m[0, 2], m[0, 1] - m[1, 0]])
        k = np.zeros((4, 4))
        k[0, 0], k[0, 1:], k[1:, 0] = np.trace(m), z, z
        k[1:, 1:] = m + m.T - np.trace(m) * np.eye(3)
        return float(-np.linalg.eigvalsh(k)[-1])
    u, s, v = np.linalg.svd(m)
    return float(-(s[:-1].sum() + np.linalg.det(u @ v) * s[-1]))


def spectraplex(r):
    n = r.int(1, 9)
    if r.int(1, 50) == 1:
        n = r.int(65, 75)
    g = r.ints(n * n, -9, 9).reshape(n, n)
    return float(np.linalg.eigvalsh((g + g.T) / 2)[0])


def simplex(r):
    d, radius = r.int(1, 12), r.int(1, 9)
    return lp(r.ints(d, -9, 9), A_eq=np.ones((1, d)), b_eq=[radius], bounds=(0, None))


def l1(r):
    d, radius = r.int(1, 12), r.int(1, 9)
    g = r.ints(d, -9, 9)
    return lp(np.r_[g, -g], A_ub=np.ones((1, 2 * d)), b_ub=[radius], bounds=(0, None))


def l2(r):
    d, radius = r.int(1, 12), r.int(1, 9)
    return float(-radius * np.linalg.norm(r.ints(d, -9, 9)))


def box(r):
    d = r.int(1, 12)
    low = r.ints(d, -9, 9)
    high = low + r.ints(d, 0, 9)
    return lp(r.ints(d, -9, 9), bounds=np.c_[low, high])


def product(r):
    d, e, k, radius = r.int(1, 6), r.int(1, 6), r.int(1, 3), r.int(1, 9)
    k = min(k, e)
    g = r.ints(d + e, -9, 9)
    # a simplex and the k-sparse polytope of radius 1
    a_ub = np.r_[np.zeros(d), np.ones(2 * e)][None, :]
    a_eq = np.r_[np.ones(d), np.zeros(2 * e)][None, :]
    return lp(np.r_[g, -g[d:]], A_ub=a_ub, b_ub=[k], A_eq=a_eq, b_eq=[radius], bounds=[(0, None)] * d + [(0, 1)] * (2 * e))


def trace(r):
    h, m = r.int(1, 9), r.int(1, 9)
    if r.int(1, 50) == 1:
        h, m = r.int(65, 75), r.int(65, 75)
    return float(-np.linalg.norm(r.ints(h * m, -9, 9).reshape(m, h), 2))


def completion(r):
    h, m = r.int(1, 9), r.int(1, 9)
    if r.int(1, 50) == 1:
        h, m = r.int(65, 75), r.int(65, 75)
    g = np.zeros(h * m)
    for k in range(h * m):  # an entry in three
        if k == 0 or r.int(1, 3) == 1:
            g[k] = r.int(-9, 9)
    return float(-np.linalg.norm(g.reshape(m, h), 2))


SETS = {"ksparse": ksparse, "group": group, "hull": hull, "birkhoff": birkhoff, "paths": paths, "flows": flows,
        "spectral": spectral, "rotations": rotations, "spectraplex": spectraplex, "simplex": simplex, "l1": l1, "l2": l2,
        "box": box, "product": product, "trace": trace, "completion": completion}

if __name__ == "__main__":
    for name in sys.argv[1:] or SETS:
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), name + ".txt"), "w") as out:
            for case in range(CASES):
                x = SETS[name](Draw(name, case))
                out.write(f"{x}\n" if isinstance(x, int) else f"{x:.12g}\n")
