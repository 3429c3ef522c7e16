"""The least values of convex problems over polytopes by scipy's SLSQP and trust-constr, which share nothing
with the package. Run it anew after a change of the problems, with numpy 2.4.6 and scipy 1.17.1: python3 solve.py.
It writes values.txt beside it: a problem, their values, nan where a point breaks a constraint by 1e-9, and of a
quadratic programme the value with all digits.

The problems are those of problems_test.go: the convex ones of Hock and Schittkowski, Test Examples for Nonlinear
Programming Codes (1981), and of Schittkowski's sequel (1987), over polytopes, unbounded ones within bounds that
hold the minimiser; and 100 random quadratic programmes, which both sides draw by splitmix64.
"""
import os
import sys

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, lsq_linear, minimize

MASK = (1 << 64) - 1


class Draw:
    def __init__(self, case):
        self.state = case

    def next(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def int(self, lo, hi):
        return lo + (self.next() >> 33) % (hi - lo + 1)

    def ints(self, rows, cols, lo, hi):
        return np.array([[self.int(lo, hi) for _ in range(cols)] for _ in range(rows)], float).reshape(rows, cols)


def programme(case):
    r = Draw(case)
    n = r.int(2, 30)
    M = r.ints(r.int(1, n + 5), n, -5, 5)
    q, x = r.ints(1, n, -50, 50)[0], r.ints(1, n, -20, 20)[0] / 10
    A, C = r.ints(r.int(0, 2 * n), n, -3, 3), r.ints(r.int(0, n // 3), n, -3, 3)
    b = A @ x + r.ints(1, len(A), 0, 30)[0] / 10
    Q = M.T @ M / n
    return dict(f=lambda x: x @ Q @ x / 2 + q @ x, g=lambda x: Q @ x + q, Q=Q, q=q, A=A, b=b, C=C, d=C @ x,
                lo=np.full(n, -3.0), hi=np.full(n, 3.0), x=x)


def box(n, lo, hi, **kw):
    return dict(lo=np.full(n, float(lo)), hi=np.full(n, float(hi)), **kw)


def hs():
    sq = lambda *v: sum(t * t for t in v)
    c52 = dict(C=[[1, 3, 0, 0, 0], [0, 0, 1, 1, -2], [0, 1, 0, 0, -1]], d=[0, 0, 0])
    yield "hs3", box(2, 0, 20, f=lambda x: x[1] + 1e-5 * (x[1] - x[0]) ** 2) | dict(lo=[-20, 0])
    yield "hs4", box(2, 0, 10, f=lambda x: (x[0] + 1) ** 3 / 3 + x[1]) | dict(lo=[1, 0])
    yield "hs21", dict(f=lambda x: 0.01 * x[0] ** 2 + x[1] ** 2 - 100, A=[[-10, 1]], b=[-10], lo=[2, -50], hi=[50, 50])
    yield "hs28", box(3, -10, 10, f=lambda x: sq(x[0] + x[1], x[1] + x[2]), C=[[1, 2, 3]], d=[1])
    yield "hs35", box(3, 0, 3, f=lambda x: 9 - 8 * x[0] - 6 * x[1] - 4 * x[2] + 2 * x[0] ** 2 + 2 * x[1] ** 2 + x[2] ** 2
                      + 2 * x[0] * x[1] + 2 * x[0] * x[2], A=[[1, 1, 2]], b=[3])
    yield "hs48", box(5, -10, 10, f=lambda x: sq(x[0] - 1, x[1] - x[2], x[3] - x[4]),
                      C=[[1, 1, 1, 1, 1], [0, 0, 1, -2, -2]], d=[5, -3])
    yield "hs49", box(5, -10, 10, f=lambda x: sq(x[0] - x[1], x[2] - 1, (x[3] - 1) ** 2, (x[4] - 1) ** 3),
                      C=[[1, 1, 1, 4, 0], [0, 0, 1, 0, 5]], d=[7, 6])
    yield "hs50", box(5, -10, 10, f=lambda x: sq(x[0] - x[1], x[1] - x[2], (x[2] - x[3]) ** 2, x[3] - x[4]),
                      C=[[1, 2, 3, 0, 0], [0, 1, 2, 3, 0], [0, 0, 1, 2, 3]], d=[6, 6, 6])
    yield "hs51", box(5, -10, 10, f=lambda x: sq(x[0] - x[1], x[1] + x[2] - 2, x[3] - 1, x[4] - 1)) | c52 | dict(d=[4, 0, 0])
    yield "hs52", box(5, -10, 10, f=lambda x: sq(4 * x[0] - x[1], x[1] + x[2] - 2, x[3] - 1, x[4] - 1)) | c52
    yield "hs53", box(5, -10, 10, f=lambda x: sq(x[0] - x[1], x[1] + x[2] - 2, x[3] - 1, x[4] - 1)) | c52
    yield "hs76", box(4, 0, 5, f=lambda x: x[0] ** 2 + 0.5 * x[1] ** 2 + x[2] ** 2 + 0.5 * x[3] ** 2 - x[0] * x[2]
                      + x[2] * x[3] - x[0] - 3 * x[1] + x[2] - x[3],
                      A=[[1, 2, 1, 1], [3, 1, 2, -1], [0, -1, -4, 0]], b=[5, 4, -1.5])
    e, d = np.array([-15, -27, -36, -18, -12]), np.array([4, 8, 10, 6, 2])
    c = np.array([[30, -20, -10, 32, -10], [-20, 39, -6, -31, 32], [-10, -6, 10, -6, -10], [32, -31, -6, 39, -20],
                  [-10, 32, -10, -20, 30]])
    a = np.array([[-16, 2, 0, 1, 0], [0, -2, 0, 0.4, 2], [-3.5, 0, 2, 0, 0], [0, -2, 0, -4, -1], [0, -9, -2, 1, -2.8],
                  [2, 0, -4, 0, 0], [-1, -1, -1, -1, -1], [-1, -2, -3, -2, -1], [1, 2, 3, 4, 5], [1, 1, 1, 1, 1]])
    yield "hs86", box(5, 0, 40, f=lambda x: e @ x + x @ c @ x + d @ x ** 3, A=-a,
                      b=[40, 2, 0.25, 4, 4, 1, 40, 60, -5, -1])
    c112 = np.array([-6.089, -17.164, -34.054, -5.914, -24.721, -14.986, -24.1, -10.708, -26.662, -22.179])
    yield "hs112", box(10, 1e-6, 2, f=lambda x: x @ (c112 + np.log(x / x.sum())),
                       C=[[1, 2, 2, 0, 0, 1, 0, 0, 0, 1], [0, 0, 0, 1, 2, 1, 1, 0, 0, 0], [0, 0, 1, 0, 0, 0, 1, 1, 2, 1]],
                       d=[2, 1, 1])
    lin, quad = np.array([2.3, 1.7, 2.2] * 5), np.array([1e-4, 1e-4, 1.5e-4] * 5)
    A, b = [], []
    for j in range(3, 15):
        row = np.zeros(15)
        row[j], row[j - 3] = 1, -1
        A += [row, -row]
        b += [7 if j % 3 == 1 else 6, 7]
    for k, most in enumerate([60, 50, 70, 85, 100]):
        row = np.zeros(15)
        row[3 * k:3 * k + 3] = -1
        A.append(row)
        b.append(-most)
    yield "hs118", dict(f=lambda x: lin @ x + quad @ x ** 2, A=A, b=b, lo=[8, 43, 3] + [0] * 12,
                        hi=[21, 57, 16] + [90, 120, 60] * 4)
    yield "hs224", box(2, 0, 6, f=lambda x: 2 * x[0] ** 2 + x[1] ** 2 - 48 * x[0] - 40 * x[1],
                       A=[[-1, -3], [1, 3], [-1, -1], [1, 1]], b=[0, 18, 0, 8])
    D = np.array([[10197, -12454, -1013, 1948, 329], [-12454, 20909, -1733, -4914, -186],
                  [-1013, -1733, 1755, 1089, -174], [1948, -4914, 1089, 1515, -22], [329, -186, -174, -22, 27]])
    B = np.array([-9170, 17099, -2271, -4336, -43])
    yield "hs268", box(5, -10, 10, f=lambda x: 14463 + x @ D @ x - 2 * B @ x,
                       A=[[1, 1, 1, 1, 1], [-10, -10, 3, -5, -4], [8, -1, 2, 5, -3], [-8, 1, -2, -5, 3],
                          [4, 2, -3, 5, -1]], b=[5, -20, 40, -11, 30])


def polished(p, x):
    """The value at the point where the constraints hold exactly that x attains, if its gradient is theirs: SLSQP
    may leave the set by 1e-9, and trust-constr is as far within."""
    n, c = len(x), len(p["d"])
    R, rhs = np.vstack([p["A"], np.eye(n), -np.eye(n)]), np.r_[p["b"], p["hi"], -p["lo"]]
    for near in [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3]:
        at = rhs - R @ x < near
        E, e = np.vstack([p["C"], R[at]]), np.r_[p["d"], rhs[at]]
        k = len(e)
        kkt = np.block([[p["Q"], E.T], [E, np.zeros((k, k))]])
        y = np.linalg.lstsq(kkt, np.r_[-p["q"], e], rcond=1e-13)[0][:n]
        if max((R @ y - rhs).max(), abs(np.r_[0, p["C"] @ y - p["d"]]).max()) < 1e-11:
            least = np.r_[np.full(c, -np.inf), np.zeros(k - c)]
            λ = lsq_linear(E.T, -p["g"](y), bounds=(least, np.inf), tol=1e-15).x if k else np.zeros(0)
            if np.linalg.norm(E.T @ λ + p["g"](y)) < 1e-9 * (1 + np.linalg.norm(p["g"](y))):
                return p["f"](y)
    return np.nan


def least(p):
    lo, hi = np.array(p["lo"], float), np.array(p["hi"], float)
    cons, A, C = [], np.array(p.get("A", []), float), np.array(p.get("C", []), float)
    if len(A):
        cons.append((A, np.full(len(A), -np.inf), np.array(p["b"], float)))
    if len(C):
        cons.append((C, np.array(p["d"], float), np.array(p["d"], float)))
    x0, found = p.get("x", (lo + hi) / 2), np.nan
    for method, options in [("SLSQP", dict(ftol=1e-15, maxiter=3000)),
                            ("trust-constr", dict(gtol=1e-12, xtol=1e-14, barrier_tol=1e-12, maxiter=20000))]:
        jac = p.get("g", "2-point" if method == "SLSQP" else "3-point")
        if "g" not in p:
            f = p["f"]  # the complex step has all digits
            jac = lambda x: np.array([f(x + 1e-30j * e).imag / 1e-30 for e in np.eye(len(x))])
        r = minimize(p["f"], x0, jac=jac, method=method, bounds=Bounds(lo, hi, keep_feasible=True),
                     constraints=[LinearConstraint(*c) for c in cons], options=options)
        off = max([0] + [max((m @ r.x - u).max(), (l - m @ r.x).max()) for m, l, u in cons])
        if "Q" in p and not (found == found):
            found = polished(p, r.x)
        yield r.fun if off < 1e-9 and (r.x >= lo).all() and (r.x <= hi).all() else np.nan
    yield found


if __name__ == "__main__":
    here = os.path.dirname(os.path.abspath(__file__))
    problems = list(hs()) + [("qp%d" % k, programme(k)) for k in range(1, 101)]
    with open(os.path.join(here, "values.txt"), "w") as out:
        for name, p in problems:
            line = " ".join([name] + ["%.17g" % v for v in least(p)])
            print(line, file=sys.stderr)
            print(line, file=out)
