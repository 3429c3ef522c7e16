"""Sums over data: softmax and logistic losses, by scipy, numba and copt."""

import os
import time

import copt
import numba
import numpy as np
import scipy.sparse
from scipy.special import expit

from forms_spectral import probe

# On one thread the time is the processor's, which other work disturbs less.
clock = time.process_time if os.environ.get("OMP_NUM_THREADS") == "1" else time.perf_counter


def load(path, n, m):
    """The data as rows, and the targets; a dense matrix where there are no columns given."""
    y = np.fromfile(path + ".y")
    val = np.fromfile(path + ".val")
    try:
        col = np.fromfile(path + ".col", dtype=np.int32)
    except FileNotFoundError:
        return val.reshape(n, m), y
    ptr = np.fromfile(path + ".ptr", dtype=np.int64).astype(np.int32)
    return scipy.sparse.csr_matrix((val, col, ptr), shape=(n, m)), y


def softmax(s, y):
    """Replaces the scores by the derivatives of the loss, and returns its mean."""
    rows = np.arange(len(y))
    top = s.max(axis=1)
    own = s[rows, y] - top
    s -= top[:, None]
    np.exp(s, out=s)
    z = s.sum(axis=1)
    s /= z[:, None]
    s[rows, y] -= 1
    return np.mean(np.log(z) - own)


def mean_loss(s, y):
    top = s.max(axis=1)
    own = s[np.arange(len(y)), y] - top
    s -= top[:, None]
    np.exp(s, out=s)
    return np.mean(np.log(s.sum(axis=1)) - own)


@numba.njit(inline="always", cache=True)
def scores(s, ptr, col, val, i, w):
    s[:] = 0.0
    for k in range(ptr[i], ptr[i + 1]):
        v = val[k]
        row = w[col[k]]
        for l in range(s.size):
            s[l] += v * row[l]


@numba.njit(inline="always", cache=True)
def derivative(s, y, c):
    top = s.max()
    z = 0.0
    for l in range(s.size):
        s[l] = np.exp(s[l] - top)
        z += s[l]
    for l in range(s.size):
        s[l] *= c / z
    s[y] -= c


@numba.njit(parallel=True, cache=True)
def derivatives(p, ptr, col, val, y, w, loss):
    n = len(y)
    for i in numba.prange(n):
        scores(p[i], ptr, col, val, i, w)
        top = p[i].max()
        own = p[i, y[i]] - top
        z = 0.0
        for l in range(p.shape[1]):
            z += np.exp(p[i, l] - top)
        loss[i] = np.log(z) - own
        derivative(p[i], y[i], 1.0 / n)


@numba.njit(parallel=True, cache=True)
def losses(ptr, col, val, y, w, loss):
    for i in numba.prange(len(y)):
        s = np.empty(w.shape[1])
        scores(s, ptr, col, val, i, w)
        top = s.max()
        own = s[y[i]] - top
        z = 0.0
        for l in range(s.size):
            z += np.exp(s[l] - top)
        loss[i] = np.log(z) - own


@numba.njit(parallel=True, cache=True)
def backward(g, ptr, col, val, p):
    """g = A'p from the columns of A, each a task."""
    for j in numba.prange(g.shape[0]):
        scores(g[j], ptr, col, val, j, p)


def gradient_forms(x, y, w):
    """f and its gradient at w, several ways. Each returns (f, gradient)."""
    n = len(y)
    csr, csc = x.tocsr(), x.tocsc()
    turned = x.T.tocsr()  # the transpose, stored
    p, g, loss = np.empty((n, w.shape[1])), np.empty_like(w), np.empty(n)

    def plain(a, at):
        def run():
            s = a @ w
            f = softmax(s, y)
            s /= n
            return f, at @ s
        return run

    def compiled():
        derivatives(p, csr.indptr, csr.indices, csr.data, y, w, loss)
        backward(g, turned.indptr, turned.indices, turned.data, p)
        return loss.mean(), g

    return {"CSR": plain(csr, csr.T), "CSC": plain(csc, csc.T),
            "CSR and stored transpose": plain(csr, turned), "numba": compiled}


def once(forms, value):
    """The forms, which tell their value at the first call only: it is no part of the work."""
    told = set()

    def wrap(name, f):
        def run():
            x = f()
            if name not in told:
                told.add(name)
                return value(x)
        return run
    return {k: wrap(k, f) for k, f in forms.items()}


def gradient(path, n, m, h):
    x, y = load(path, n, m)
    w = np.fromfile(path + ".w").reshape(m, h)
    return once(gradient_forms(x, y.astype(int), w), lambda a: probe(a[1]))


def value(path, n, m, h):
    x, y = load(path, n, m)
    y = y.astype(int)
    w = np.fromfile(path + ".w").reshape(m, h)
    loss, csc = np.empty(n), x.tocsc()

    def compiled():
        losses(x.indptr, x.indices, x.data, y, w, loss)
        return loss.mean()

    return {"CSR": lambda: mean_loss(x @ w, y), "CSC": lambda: mean_loss(csc @ w, y), "numba": compiled}


def dense_gradient(path, n, m, h):
    x, y = load(path, n, m)
    y = y.astype(int)
    w = np.fromfile(path + ".w").reshape(m, h)

    def run(scale):
        s = x @ w
        softmax(s, y)
        return (x.T @ s) / n if scale else x.T @ np.divide(s, n, out=s)

    turned = np.ascontiguousarray(w.T)

    def blocks(size):
        """Some rows at a time, which are read once, and the scores by class."""
        rows, s, g, t = np.arange(size), np.empty((h, size)), np.empty((h, m)), np.empty((h, m))

        def work():
            g[...] = 0
            for lo in range(0, n, size):
                xb, yb = x[lo:lo + size], y[lo:lo + size]
                p = s[:, :len(yb)]
                p[...] = turned @ xb.T
                p -= p.max(axis=0)
                np.exp(p, out=p)
                p /= n * p.sum(axis=0)
                p[yb, rows[:len(yb)]] -= 1 / n
                np.dot(p, xb, out=t)
                np.add(g, t, out=g)
            return g.T
        return work

    forms = {"numpy": lambda: run(True), "numpy, in place": lambda: run(False)}
    forms |= {f"numpy, blocks of {size}": blocks(size) for size in (250, 1000)}
    return once(forms, probe)


def binary(x, y):
    """The lean form of copt's LogLoss: no masks, and no value, which fixed steps need not."""
    at = x.T.tocsr() if scipy.sparse.issparse(x) else x.T
    n = len(y)
    return lambda w: (0.0, at @ ((expit(x @ w) - y) / n))


def binary_value(x, y, w):
    s = x @ w
    return np.mean(np.logaddexp(0, s) - y * s)


def frank_wolfe(path, n, m, tau, L, steps):
    """copt's Frank-Wolfe with the Demyanov-Rubinov step on an l1 ball."""
    x, y = load(path, n, m)
    ball = copt.constraint.L1Ball(tau)

    def run(f):
        def work():
            return copt.minimize_frank_wolfe(f, np.zeros(m), ball.lmo, jac=True, step="DR", lipschitz=L,
                                             max_iter=steps, tol=0).x
        return work

    lean = binary(x, y)

    def plain():
        w = np.zeros(m)
        for _ in range(steps):
            demyanov_rubinov(w, lean(w)[1], tau, L)
        return w

    forms = {"copt, its LogLoss": run(copt.loss.LogLoss(x, y).f_grad), "copt, a lean gradient": run(lean), "numpy": plain}
    return once(forms, lambda w: binary_value(x, y, w))


def demyanov_rubinov(w, g, tau, L):
    """Makes the step, and returns gamma, the coordinate and the vertex's value there."""
    j = int(np.argmax(np.abs(g)))
    v = -tau if g[j] > 0 else tau
    gap = g @ w - g[j] * v
    far = w @ w - 2 * v * w[j] + v * v
    gamma = min(1.0, gap / (L * far)) if gap > 0 else 0.0
    w *= 1 - gamma
    w[j] += gamma * v
    return gamma, j, v


def frank_wolfe_kept(path, n, m, tau, L, steps):
    """The same, but x @ w goes along with w, so that the data is read once a step."""
    x, y = load(path, n, m)
    at = x.T.tocsr() if scipy.sparse.issparse(x) else x.T
    columns = x.tocsc() if scipy.sparse.issparse(x) else np.asfortranarray(x)

    def run():
        w, s = np.zeros(m), np.zeros(n)
        for _ in range(steps):
            gamma, j, v = demyanov_rubinov(w, at @ ((expit(s) - y) / n), tau, L)
            s *= 1 - gamma
            if scipy.sparse.issparse(x):
                k = slice(columns.indptr[j], columns.indptr[j + 1])
                s[columns.indices[k]] += gamma * v * columns.data[k]
            else:
                s += gamma * v * columns[:, j]
        return w

    return once({"numpy, scores kept": run}, lambda w: binary_value(x, y, w))


def frank_wolfe_trace(path, n, m, h, tau, steps):
    """copt's Frank-Wolfe with the step 2/(k+2), by svds and by the Gram matrix."""
    x, y = load(path, n, m)
    y = y.astype(int)

    def fun(w):
        s = x @ w.reshape(m, h)
        f = softmax(s, y)
        return f, ((x.T @ s) / n).ravel()

    def gram(u, w, _):
        a = u.reshape(m, h)
        q = np.linalg.eigh(a.T @ a)[1][:, -1]
        v = a @ q
        return tau * np.multiply.outer(v / np.linalg.norm(v), q).ravel() - w, None, None, 1.0

    def run(lmo):
        return lambda: copt.minimize_frank_wolfe(fun, np.zeros(m * h), lmo, jac=True, step="sublinear",
                                                 max_iter=steps, tol=0).x

    def plain():
        w = np.zeros(m * h)
        for k in range(steps):
            _, g = fun(w)
            step, _, _, _ = gram(-g, 0.0, None)
            gamma = 2 / (k + 2)
            w *= 1 - gamma
            step *= gamma
            w += step
        return w

    forms = {"copt, its svds": run(copt.constraint.TraceBall(tau, (m, h)).lmo), "copt, Gram": run(gram), "numpy": plain}
    return once(forms, lambda w: fun(w)[0])


def frank_wolfe_trace_kept(path, n, m, h, tau, steps):
    """The same, with the scores by class, which go along with w."""
    x, y = load(path, n, m)
    y = y.astype(int)
    rows = np.arange(n)

    def run():
        w, s = np.zeros((h, m)), np.zeros((h, n))
        p, g, e = np.empty((h, n)), np.empty((h, m)), np.empty((h, n))
        for k in range(steps):
            np.subtract(s, s.max(axis=0), out=p)
            np.exp(p, out=p)
            p /= n * p.sum(axis=0)
            p[y, rows] -= 1 / n
            np.dot(p, x, out=g)
            q = np.linalg.eigh(g @ g.T)[1][:, -1]
            v = q @ g
            v /= np.linalg.norm(v)
            gamma = 2 / (k + 2)
            w *= 1 - gamma
            w -= np.multiply.outer(gamma * tau * q, v)
            s *= 1 - gamma
            s -= np.multiply.outer(gamma * tau * q, x @ v, out=e)
        return w

    return once({"numpy, scores kept": run}, lambda w: softmax(x @ w.T, y))


@numba.njit(cache=True)
def onto_l1(x, tau):
    a = np.abs(x)
    if a.sum() <= tau:
        return
    theta, count = 0.0, 0
    a = a[a > (a.sum() - tau) / a.size]  # no more than these can stay
    while a.size != count:  # Michelot
        count = a.size
        theta = (a.sum() - tau) / count
        a = a[a > theta]
    for j in range(x.size):
        x[j] = np.sign(x[j]) * max(abs(x[j]) - theta, 0.0)


class OwnClock:
    """Work that tells its own seconds."""

    def __init__(self, work):
        self.work, self.seconds = work, 0.0

    def __call__(self):
        value, self.seconds = self.work()
        return value


def svrg(path, n, m, tau, rate, epochs):
    """copt's SVRG, a sample a step; as it compiles in its first epoch, the clock runs in the others."""
    x, y = load(path, n, m)

    @numba.njit
    def deriv(p, y):
        return 1 / (1 + np.exp(-p)) - y

    @numba.njit
    def prox(x, i, indices, indptr, d, step_size):
        onto_l1(x, tau)

    def work():
        ticks = []
        r = copt.minimize_svrg(deriv, x, y, np.zeros(m), rate, prox=(prox, scipy.sparse.csr_matrix(np.ones((1, m)))),
                               max_iter=epochs + 1, tol=0, callback=lambda _: ticks.append(clock()))
        return binary_value(x, y, r.x), ticks[-1] - ticks[1]

    np.random.seed(0)
    return {"copt, plain derivative": OwnClock(work)}


@numba.njit(cache=True, fastmath=True)
def svrg_epoch(ptr, col, val, y, w, g0, p0, index, rate, tau):
    """Projected SVRG: a pass over w for the snapshot's gradient, the rows of a batch, and the projection."""
    steps, batch = index.shape
    d = np.empty(batch)
    for k in range(steps):
        for b in range(batch):
            i = index[k, b]
            s = 0.0
            for q in range(ptr[i], ptr[i + 1]):
                s += val[q] * w[col[q]]
            d[b] = (1 / (1 + np.exp(-s)) - p0[i]) * (-rate / batch)
        for j in range(w.size):
            w[j] -= rate * g0[j]
        for b in range(batch):
            i = index[k, b]
            for q in range(ptr[i], ptr[i + 1]):
                w[col[q]] += d[b] * val[q]
        onto_l1(w, tau)


def svrg_batches(path, n, m, tau, rate, batch, steps, epochs):
    """Projected SVRG with batches, in scipy: copt has none."""
    x, y = load(path, n, m)
    at = x.T.tocsr()
    rng = np.random.default_rng(1)

    def sparse_batch(w, w0, i):
        xb, yb = x[i], y[i]
        return xb.T @ ((expit(xb @ w) - expit(xb @ w0)) / len(yb))

    def run():
        w = np.zeros(m)
        for _ in range(epochs):
            w0 = w.copy()
            g0 = at @ ((expit(x @ w0) - y) / n)
            for _ in range(steps):
                g = sparse_batch(w, w0, rng.integers(n, size=batch))
                g += g0
                g *= -rate
                w += g
                onto_l1(w, tau)
        return w

    def compiled():
        w = np.zeros(m)
        for _ in range(epochs):
            p0 = expit(x @ w)
            g0 = at @ ((p0 - y) / n)
            svrg_epoch(x.indptr, x.indices, x.data, y, w, g0, p0, rng.integers(n, size=(steps, batch)), rate, tau)
        return w

    return once({"scipy": run, "numba": compiled}, lambda w: binary_value(x, y, w))


@numba.njit(cache=True, fastmath=True)
def sag_steps(ptr, col, val, y, tau, index):
    """SAG-FW on an l1 ball, from 0, where all slopes are known; w is kept up to a factor."""
    n, (steps, batch) = len(y), index.shape
    m = col.max() + 1 if len(col) else 0
    r, w, a, scale = np.zeros(m), np.zeros(m), 0.5 - y, 1.0
    for i in range(n):
        for q in range(ptr[i], ptr[i + 1]):
            r[col[q]] += a[i] / n * val[q]
    for k in range(steps):
        for i in index[k]:
            s = 0.0
            for q in range(ptr[i], ptr[i + 1]):
                s += val[q] * w[col[q]]
            p = 1 / (1 + np.exp(-s * scale)) - y[i]
            d, a[i] = (p - a[i]) / n, p
            for q in range(ptr[i], ptr[i + 1]):
                r[col[q]] += d * val[q]
        j = np.argmax(np.abs(r))
        if k == 0:
            w[:] = 0
        else:
            scale *= 1 - 2 / (k + 2)
        w[j] -= np.sign(r[j]) * tau * 2 / (k + 2) / scale
    return w * scale


def sag(path, n, m, tau, batch, epochs):
    """Stochastic Frank-Wolfe with a stochastic average gradient, copt's and in plain loops."""
    x, y = load(path, n, m)
    ball, csr, steps = copt.constraint.L1Ball(tau), scipy.sparse.csr_matrix(x), epochs * (n // batch)

    @numba.njit
    def compiled(p, y):
        return 1 / (1 + np.exp(-p)) - y

    @numba.njit
    def seed():
        np.random.seed(1)

    def theirs(deriv):
        def work():
            seed()
            return copt.randomized.minimize_sfw(deriv, csr, y, np.zeros(m), ball.lmo, batch_size=batch, max_iter=epochs,
                                                tol=0, variant="SAG").x
        return work

    return once({"copt": theirs(lambda p, y: expit(p) - y), "copt, numba": theirs(compiled)},
                lambda w: binary_value(x, y, w))


def sag_loops(path, n, m, tau, batch, epochs):
    """The same in plain loops, which are nobody's library."""
    x, y = load(path, n, m)
    csr, rng = scipy.sparse.csr_matrix(x), np.random.default_rng(1)

    def work():
        w = sag_steps(csr.indptr, csr.indices, csr.data, y, tau, rng.integers(n, size=(epochs * (n // batch), batch)))
        return np.pad(w, (0, m - len(w)))

    return once({"numba": work}, lambda w: binary_value(x, y, w))


ITEMS = {"sag": sag, "sag, loops": sag_loops, "gradient": gradient, "value": value, "dense gradient": dense_gradient, "frank-wolfe": frank_wolfe,
         "frank-wolfe, scores kept": frank_wolfe_kept, "frank-wolfe, trace, scores kept": frank_wolfe_trace_kept,
         "frank-wolfe, trace": frank_wolfe_trace, "svrg": svrg, "svrg, batches": svrg_batches}
