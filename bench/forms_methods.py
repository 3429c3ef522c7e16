"""The six methods of the paper's experiments on news20, in numpy, with each step's work done once."""

import numba
import numpy as np
from scipy.linalg.blas import dger

from forms_spectral import shrink
from forms_sums import derivative, load, mean_loss, scores, softmax


@numba.njit(cache=True)
def add_batch(g, ptr, col, val, y, w, w0, minus, index, weight):
    """g += the batch's gradient at w, less that at w0 if minus."""
    s, s0 = np.empty(w.shape[1]), np.empty(w.shape[1])
    for b in range(len(index)):
        i = index[b]
        scores(s, ptr, col, val, i, w)
        derivative(s, y[i], weight[b])
        if minus:
            scores(s0, ptr, col, val, i, w0)
            derivative(s0, y[i], weight[b])
            s -= s0
        for k in range(ptr[i], ptr[i + 1]):
            row, v = g[col[k]], val[k]
            for l in range(s.size):
                row[l] += v * s[l]


class Draws:
    """The draws of the other side, in place of one's own."""

    def __init__(self, path):
        self.ptr = np.fromfile(path + ".ptr", dtype=np.int64)
        self.index = np.fromfile(path + ".index", dtype=np.int32).astype(np.int64)
        self.weight = np.fromfile(path + ".weight")
        self.k = 0

    def next(self, n):
        a, b = self.ptr[self.k:self.k + 2]
        self.k += 1
        if b - a >= n // 2:  # as many passes as draws of all rows take
            return None, np.bincount(self.index[a:b], self.weight[a:b], n)
        return self.index[a:b], self.weight[a:b]


class Problem:
    def __init__(self, path, n, m, h, tau, seed):
        self.x, y = load(path, n, m)
        self.y = y.astype(int)
        self.csc, self.turned = self.x.tocsc(), self.x.T.tocsr()
        self.n, self.tau = n, tau
        self.w0 = np.fromfile(path + ".w0").reshape(m, h)
        self.seed = seed
        self.t, self.eigh = np.empty_like(self.w0), np.linalg.eigh

    def value(self, w):
        return mean_loss(self.x @ w, self.y)

    def full(self, w, weight=None):
        s = self.csc @ w
        softmax(s, self.y)
        s *= 1 / self.n if weight is None else weight[:, None]
        return self.turned @ s

    def draw(self, rng, m):
        """m rows drawn, and their weights; no rows stand for all."""
        if isinstance(rng, Draws):
            return rng.next(self.n)
        if m >= 5 * self.n:
            return None, rng.multinomial(m, np.full(self.n, 1 / self.n)) / m
        if m >= self.n:
            return None, np.bincount(rng.integers(self.n, size=m), minlength=self.n) / m
        index, counts = np.unique(rng.integers(self.n, size=m), return_counts=True)
        return index, counts / m

    def add(self, g, w, w0, index, weight):
        add_batch(g, self.x.indptr, self.x.indices, self.x.data, self.y, w, w if w0 is None else w0,
                  w0 is not None, index, weight)

    def stochastic(self, rng, w, m):
        index, weight = self.draw(rng, m)
        if index is None:
            return self.full(w, weight)
        g = np.zeros_like(w)
        self.add(g, w, None, index, weight)
        return g

    def reduced(self, rng, w, w0, g0, m):
        index, weight = self.draw(rng, m)
        if index is None:
            g = self.full(w, weight)
            g -= self.full(w0, weight)
            g += g0
            return g
        g = g0.copy()
        self.add(g, w, w0, index, weight)
        return g

    def top(self, g):
        """sigma, v, u of the top singular pair: the vertex is -tau v u'."""
        u = self.eigh(g.T @ g)[1][:, -1]
        v = g @ u
        sigma = np.linalg.norm(v)
        return sigma, v / sigma, u

    def move(self, w, gamma, pair):
        """w = (1-gamma) w - gamma tau v u'."""
        _, v, u = pair
        w *= 1 - gamma
        dger(-gamma * self.tau, u, v, a=w.T, overwrite_a=1)

    def project(self, w):
        return shrink(w.T @ w, w, self.tau, self.eigh)

    def slide(self, x, g, beta, eta):
        """Frank-Wolfe on g'u + beta/2 |u-x|^2 from x until the gap is at most eta."""
        u, grad, d, tau = x.copy(), g.copy(), self.t, self.tau
        while True:
            sigma, v, q = self.top(grad)
            gap = np.vdot(grad, u) + tau * sigma
            if gap <= eta:
                return u
            inner = v @ (u @ q)  # d = u - s, s = -tau v q'
            length = np.vdot(u, u) + 2 * tau * inner + tau * tau
            self.move(u, min(1, gap / (beta * length)), (sigma, v, q))
            np.subtract(u, x, out=grad)
            grad *= beta
            grad += g


def sfw(p, rng, steps):
    w = p.w0.copy()
    for k in range(1, steps + 1):
        p.move(w, 2 / (k + 1), p.top(p.stochastic(rng, w, k * k)))
    return w


def sgd(p, rng, steps, rate):
    w = p.w0.copy()
    for k in range(1, steps + 1):
        g = p.stochastic(rng, w, 100)
        g *= -rate / np.sqrt(k)
        w += g
        w = p.project(w)
    return w


def snapshots(p, w, steps):
    """t, k, w0 and the gradient there, of the steps, 50 an epoch; w is changed in place."""
    for k in range(steps):
        if k % 50 == 0:
            w0 = w.copy()
            g0 = p.full(w0)
        yield k // 50 + 1, k % 50 + 1, w0, g0


def svrg(p, rng, steps, rate):
    w = p.w0.copy()
    for _, _, w0, g0 in snapshots(p, w, steps):
        g = p.reduced(rng, w, w0, g0, 100)
        g *= -rate
        g += w
        w[...] = p.project(g)
    return w


def svrf(p, rng, steps):
    w = p.w0.copy()
    for t, k, w0, g0 in snapshots(p, w, steps):
        k += 50 * (t - 1)
        p.move(w, 2 / (k + 1), p.top(p.reduced(rng, w, w0, g0, k)))
    return w


def scgs(p, rng, steps, L, eta):
    x, y, D = p.w0.copy(), p.w0.copy(), 2 * p.tau
    for k in range(1, steps + 1):
        gamma = 3 / (k + 2)
        z = y * (1 - gamma)
        z += gamma * x
        g = p.stochastic(rng, z, k**3)
        x = p.slide(x, g, 4 * L / (k + 2), eta * L * D * D / (k * (k + 1)))
        y *= 1 - gamma
        y += gamma * x
    return y


def storc(p, rng, steps, L, eta):
    y, D = p.w0.copy(), 2 * p.tau
    for t, k, y0, g0 in snapshots(p, y, steps):
        if k == 1:
            x = y0.copy()
        gamma = 2 / (k + 1)
        z = y * (1 - gamma)
        z += gamma * x
        g = p.reduced(rng, z, y0, g0, 100)
        x = p.slide(x, g, 3 * L / k, eta * 2 * L * D * D / (50 * k) / 2 ** (t - 1))
        y *= 1 - gamma
        y += gamma * x
    return y


@numba.njit(cache=True, fastmath=True)
def plus_multiple(g, w, c, g0):
    """g = w + c g0, in one pass."""
    g, w, g0 = g.ravel(), w.ravel(), g0.ravel()
    for i in range(g.size):
        g[i] = w[i] + c * g0[i]


def sgd_fused(p, rng, steps, rate):
    w = p.w0.copy()
    for k in range(1, steps + 1):
        index, weight = p.draw(rng, 100)
        g = w.copy()
        p.add(g, w, None, index, weight * (-rate / np.sqrt(k)))
        w = p.project(g)
    return w


def svrg_fused(p, rng, steps, rate):
    w = p.w0.copy()
    g = np.empty_like(w)
    for _, _, w0, g0 in snapshots(p, w, steps):
        index, weight = p.draw(rng, 100)
        plus_multiple(g, w, -rate, g0)
        p.add(g, w, w0, index, weight * -rate)
        w[...] = p.project(g)
    return w


FUSED = {"SGD": sgd_fused, "SVRG": svrg_fused}  # the rate is in the weights of the samples
METHODS = {"SFW": sfw, "SGD": sgd, "SVRG": svrg, "SVRF": svrf, "SCGS": scgs, "STORC": storc}


def method(name, steps, path, n, m, h, tau, seed, draws, checked, **more):
    p = Problem(path, n, m, h, tau, seed)

    def form(f):
        told = []

        def work():
            if told:
                f(p, np.random.default_rng(seed), steps, **more)
                return None
            told.append(True)
            return p.value(f(p, Draws(draws), checked, **more))
        return work

    forms = {"numpy, batches by numba": form(METHODS[name])}
    if name in FUSED:
        forms["numpy, passes fused"] = form(FUSED[name])
    return forms


ITEMS = {"method": method}
