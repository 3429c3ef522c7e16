"""Linear optimisation and projection on trace-norm balls, by numpy and scipy."""

import os

import numpy as np
import scipy.linalg
import scipy.linalg.blas
import scipy.sparse.linalg


def probe(x):
    """Two numbers that tell matrices apart: the norm, and the product with a fixed matrix."""
    x = np.ravel(x)
    return [np.linalg.norm(x), x @ np.cos(np.arange(x.size))]


def spectrum(kind, s):
    i = np.arange(1, s + 1)
    sigma = {"falling": 1.0 / i, "flat": 0.98**i, "full": 2.0 - i / s,
             "step": np.where(i <= 20, 50.0 / 20 + 0.5, 0) + 1.0 / i}[kind]
    return sigma * (100 / sigma.sum() if kind != "step" else 1)


def make(path, h, m, kind, **_):
    """Writes an h x m matrix of the given spectrum, with random singular vectors, feature by feature; or the costs of
    an assignment."""
    if os.path.exists(path):
        return
    rng = np.random.default_rng([h, m, len(kind)])
    if kind == "random":
        a = rng.random((m, h))
    elif kind == "whole":
        a = rng.integers(1, 101, (m, h)).astype(float)
    elif kind == "products":
        a = np.outer(rng.random(m), rng.random(h))
    elif kind == "near-products":
        a = np.outer(rng.random(m), rng.random(h)) + 0.01 * rng.random((m, h))
    elif kind == "distances":
        a = np.hypot(*(np.subtract.outer(rng.random(m), rng.random(h)) for _ in range(2)))
    else:
        s = min(h, m)
        u = np.linalg.qr(rng.standard_normal((h, s)))[0]
        v = np.linalg.qr(rng.standard_normal((m, s)))[0]
        a = (v * spectrum(kind, s)) @ u.T
    a.tofile(path + ".new")
    os.replace(path + ".new", path)


def small_gram(a):
    return a.T @ a if a.shape[0] >= a.shape[1] else a @ a.T


def pair(a, u):
    """The top pair from a unit vector of the shorter side, and its singular value."""
    v = a @ u if a.shape[0] >= a.shape[1] else a.T @ u
    sigma = np.linalg.norm(v)
    return sigma, (v / sigma, u) if a.shape[0] >= a.shape[1] else (u, v / sigma)


def top_forms(a):
    """Forms of the top singular pair: each returns sigma and (left, right)."""
    s = min(a.shape)
    return {
        "Gram, numpy eigh": lambda: pair(a, np.linalg.eigh(small_gram(a))[1][:, -1]),
        "Gram, scipy eigh of one": lambda: pair(a, scipy.linalg.eigh(
            small_gram(a), subset_by_index=[s - 1, s - 1], check_finite=False, overwrite_a=True)[1][:, 0]),
    }


def krylov_forms(a, tol):
    """The same by methods that stop at a small residual. Nothing says that it is that of the largest."""
    s = min(a.shape)

    def svds(b, turn):
        def run():
            u, sigma, vt = scipy.sparse.linalg.svds(b, k=1, tol=tol, random_state=0)
            return sigma[0], (vt[0], u[:, 0]) if turn else (u[:, 0], vt[0])
        return run

    def eigsh(ncv):
        tall = a.shape[0] >= a.shape[1]
        product = scipy.sparse.linalg.LinearOperator(
            (s, s), matvec=(lambda q: a.T @ (a @ q)) if tall else (lambda q: a @ (a.T @ q)), dtype=float)
        v0 = np.random.default_rng(0).standard_normal(s)
        return lambda: pair(a, scipy.sparse.linalg.eigsh(product, k=1, tol=tol, v0=v0, ncv=ncv)[1][:, 0])

    return {"svds": svds(a, False), "svds, transposed": svds(a.T, True), "eigsh of the product": eigsh(None),
            "eigsh of the product, short basis": eigsh(8)}


def argmin(path, h, m, **_):
    a = np.fromfile(path).reshape(m, h)
    return {k: lambda f=f: f()[0] for k, f in top_forms(a).items()}


def argmin_uncertified(path, h, m, **_):
    a = np.fromfile(path).reshape(m, h)
    return {k: lambda f=f: f()[0] for k, f in krylov_forms(a, 1e-4).items()}


def argmin_step(path, h, m, tau, gamma, **_):
    """The top pair and x = (1-gamma) x - gamma tau u v', again and again from its own last x."""
    a = np.fromfile(path).reshape(m, h)
    x = np.zeros((m, h))
    tops = top_forms(a)

    def ger(f):
        def run():
            sigma, (v, u) = f()
            np.multiply(x, 1 - gamma, out=x)
            scipy.linalg.blas.dger(-gamma * tau, u, v, a=x.T, overwrite_x=1, overwrite_y=1, overwrite_a=1)
            return sigma
        return run

    def outer(f):
        t = np.empty_like(x)

        def run():
            sigma, (v, u) = f()
            np.multiply((-gamma * tau * v)[:, None], u, out=t)
            np.multiply(x, 1 - gamma, out=x)
            np.add(x, t, out=x)
            return sigma
        return run

    return {f"{k}, {n}": g(f) for k, f in tops.items() for n, g in (("dger", ger), ("outer", outer))}


def threshold(sigma, tau):
    """theta >= 0 with sum max(0, sigma - theta) = tau, for falling sigma; 0 inside."""
    if sigma.sum() <= tau:
        return 0.0
    excess = (np.cumsum(sigma) - tau) / np.arange(1, sigma.size + 1)
    return excess[np.nonzero(sigma > excess)[0][-1]]


def kept(lam, q, tau):
    """Of the squares lam of singular values, in rising order, and their vectors q: the vectors of those that stay,
    and the factors that shrink these."""
    sigma = np.sqrt(np.maximum(lam, 0))
    theta = threshold(sigma[::-1], tau)
    keep = sigma > theta
    return q[:, keep], 1 - theta / sigma[keep]


def shrink(g, a, tau, eigh):
    q, f = kept(*eigh(g), tau)
    tall = a.shape[0] >= a.shape[1]
    if 2 * f.size < g.shape[0]:  # of low rank: two thin products
        return ((a @ q) * f) @ q.T if tall else (q * f) @ (q.T @ a)
    return a @ ((q * f) @ q.T) if tall else ((q * f) @ q.T) @ a


def projections(a, tau):
    def svd(driver):
        def run():
            u, sigma, vt = scipy.linalg.svd(a, full_matrices=False, lapack_driver=driver, check_finite=False)
            r = np.maximum(sigma - threshold(sigma, tau), 0)
            k = np.count_nonzero(r)
            return (u[:, :k] * r[:k]) @ vt[:k]
        return run

    def values_first():
        g = small_gram(a)
        sigma = np.sqrt(np.maximum(scipy.linalg.eigvalsh(g, check_finite=False), 0))[::-1]
        r = int(np.count_nonzero(sigma > threshold(sigma, tau)))
        s = sigma.size
        def eigh(g):
            lam, q = scipy.linalg.eigh(g, subset_by_index=[s - r, s - 1], check_finite=False)
            return np.concatenate([sigma[:r - 1:-1] ** 2 if r < s else [], lam]), np.pad(q, ((0, 0), (s - r, 0)))
        return shrink(g, a, tau, eigh)

    forms = {"Gram, numpy eigh": lambda: shrink(small_gram(a), a, tau, np.linalg.eigh)}
    if min(a.shape) >= 100:
        forms["Gram, values, wanted vectors"] = values_first
    if min(a.shape) < 2000:
        forms["SVD"] = svd("gesdd")
    return forms


def told_once(work):
    checked = set()

    def once(name, f):
        def run():
            x = f()
            if name in checked:
                return None
            checked.add(name)
            return probe(x)
        return run

    return {k: once(k, f) for k, f in work.items()}


def project(path, h, m, tau, **_):
    return told_once(projections(np.fromfile(path).reshape(m, h), tau))


def project_uncertified(path, h, m, tau, kind):
    """By as many singular values as suit this spectrum. Nothing proves that no larger one is missed."""
    a = np.fromfile(path).reshape(m, h)
    rng = np.random.default_rng(0)

    def block(k, turns):
        def run():
            q = rng.standard_normal((a.shape[1], k))
            for _ in range(turns):
                q = np.linalg.qr(a.T @ (a @ q))[0]
            b = a @ q
            u, f = kept(*np.linalg.eigh(b.T @ b), tau)
            return ((b @ u) * f) @ (q @ u).T
        return run

    def largest(k):
        """By the k largest, or all if these are seen not to be enough."""
        def run():
            g = small_gram(a)
            q, f = kept(*scipy.sparse.linalg.eigsh(g, k=k, v0=np.ones(g.shape[0])), tau)
            if f.size == k:
                return shrink(g, a, tau, np.linalg.eigh)
            return ((a @ q) * f) @ q.T if a.shape[0] >= a.shape[1] else (q * f) @ (q.T @ a)
        return run

    forms = {"Gram, eigsh of 32": largest(32), "Gram, eigsh of 80": largest(80)}
    if kind == "step":  # 20 large values, and no others that matter
        forms |= {"block power, 32 x 3": block(32, 3), "block power, 32 x 4": block(32, 4)}
    return told_once(forms)


ITEMS = {"argmin": argmin, "argmin, uncertified": argmin_uncertified, "argmin and step": argmin_step, "project": project,
         "project, uncertified": project_uncertified}
