"""The optimum of the multiclass logistic loss on a trace-norm ball, by other
code and another algorithm than this module's, for the tests to agree with.

    python3 -m venv venv && venv/bin/pip install numpy scipy
    FWLAB_DATA=<folder with news20.bz2> venv/bin/python reference.py

writes reference.json beside this file (a minute or two); without FWLAB_DATA it
prints the cases of the digits only.

Algorithm: every W with ||W||_* <= tau has the form 2 tau U V' / (||U||^2 + ||V||^2)
(Frobenius norms; equality where the constraint is active), so the problem has no
constraint in (U, V). SciPy's L-BFGS runs on it, from balanced factors of its own
last W each time it stops. A factor of full rank has no bad local minimum, but
nothing rests on that: the duality gap <grad f(W), W> + tau sigma_1(grad f(W)),
with LAPACK's SVD, bounds f(W) - f* from above.

Inputs, after reading: every row is divided by its Euclidean norm; there is no
intercept. digits: all 1,797 rows, 64 features, 10 classes. news20: the first
2,000 rows of the file, or all 15,935; 62,061 features, 20 classes.
"""

import bz2
import gzip
import hashlib
import json
import os
import sys

import numpy as np
import scipy
import scipy.linalg
import scipy.optimize
import scipy.sparse

HERE = os.path.dirname(os.path.abspath(__file__))
DIGITS = os.path.join(HERE, "..", "..", "datasets", "digits.csv.gz")
GOAL = 1e-8  # duality gap


def digits():
    data = open(DIGITS, "rb").read()
    a = np.array([[int(x) for x in line.split(b",")] for line in gzip.decompress(data).split()])
    return hashlib.sha256(data).hexdigest(), scipy.sparse.csr_matrix(a[:, :64], dtype=float), a[:, 64], 10


def news20(path, rows):
    data = open(path, "rb").read()
    y, ptr, col, val = [], [0], [], []
    for line in bz2.decompress(data).decode().splitlines()[:rows]:
        label, *pairs = line.split()
        y.append(int(label) - 1)
        for pair in pairs:
            j, x = pair.split(":")
            col.append(int(j) - 1)
            val.append(float(x))
        ptr.append(len(col))
    x = scipy.sparse.csr_matrix((val, col, ptr), shape=(rows, 62061))
    return hashlib.sha256(data).hexdigest(), x, np.array(y), 20


def loss(x, y, w):
    """f and its gradient at w, features by classes."""
    n = len(y)
    s = x @ w
    s -= s[np.arange(n), y][:, None]
    top = s.max(axis=1, keepdims=True)
    e = np.exp(s - top)
    z = e.sum(axis=1, keepdims=True)
    f = float(np.mean(top + np.log(z)))
    p = e / z
    p[np.arange(n), y] -= 1
    return f, x.T @ p / n


def solve(name, digest, x, y, h, tau):
    x = scipy.sparse.diags(1 / np.sqrt(x.multiply(x).sum(axis=1)).A1) @ x
    used = np.flatnonzero(np.bincount(x.indices, minlength=x.shape[1]))
    xu = x.tocsr()[:, used].tocsc()  # a feature that never comes has weight 0
    m = len(used)
    r = min(m, h)

    def weights(z):
        u, v = z[: m * r].reshape(m, r), z[m * r :].reshape(h, r)
        return u, v, 2 * tau / (z @ z)

    def objective(z):
        u, v, c = weights(z)
        w = c * (u @ v.T)
        f, g = loss(xu, y, w)
        d = np.concatenate([(c * (g @ v)).ravel(), (c * (g.T @ u)).ravel()])
        return f, d - 2 * np.sum(g * w) / (z @ z) * z

    z = np.random.default_rng(1).standard_normal((m + h) * r)
    best, stuck = (np.inf,), 0
    for _ in range(60):
        res = scipy.optimize.minimize(objective, z, jac=True, method="L-BFGS-B",
                                      options=dict(maxiter=1000, maxfun=3000, maxcor=30, ftol=0, gtol=0))
        u, v, c = weights(res.x)
        w = c * (u @ v.T)
        f, g = loss(xu, y, w)
        gap = float(np.sum(g * w)) + tau * scipy.linalg.svd(g, compute_uv=False, full_matrices=False)[0]
        p, s, q = scipy.linalg.svd(w, full_matrices=False)
        print(f"{name}: f = {f:.12f}, gap = {gap:.3g}, trace norm {s.sum():.9f}, "
              f"singular values {s[:3].round(4)} ... {s[-3:]}, {res.nit} steps", file=sys.stderr)
        stuck = stuck + 1 if gap > 0.9 * best[0] else 0
        if gap < best[0]:
            best = (gap, f, s)
        if gap <= GOAL or stuck == 4:
            break
        z = np.concatenate([(p * np.sqrt(s)).ravel(), (q.T * np.sqrt(s)).ravel()])
    gap, f, s = best
    rank = int(np.sum(s > 1e-4 * s[0]))
    return dict(data=name, sha256=digest, n=x.shape[0], m=x.shape[1], classes=h, tau=tau, f=f, gap=gap,
                traceNorm=float(s.sum()), rank=rank, singularValues=[float(v) for v in s[:rank]])


def main():
    cases = [solve("digits", *digits(), tau) for tau in (10, 50)]
    folder = os.environ.get("FWLAB_DATA")
    if folder:
        paths = [os.path.join(folder, "news20.bz2"), os.path.join(folder, "news20", "news20.bz2")]
        path = next((p for p in paths if os.path.exists(p)), None)
        if path is None:
            sys.exit(f"no news20.bz2 or news20/news20.bz2 in {folder}")
        cases += [solve("news20", *news20(path, rows), tau) for rows, tau in ((2000, 20), (2000, 50), (15935, 50))]
    text = json.dumps(dict(
        algorithm="L-BFGS on W = 2 tau U V' / (||U||^2 + ||V||^2); the optimum is in [f - gap, f]",
        rows="the first n of the file, each divided by its Euclidean norm",
        versions=f"numpy {np.__version__}, scipy {scipy.__version__}",
        cases=cases), indent=2)
    if folder:
        with open(os.path.join(HERE, "reference.json"), "w") as file:
            file.write(text + "\n")
    else:
        print(text)


if __name__ == "__main__":
    main()
