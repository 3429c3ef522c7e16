"""Muon on a small network, in numpy: a batch gradient, momentum with Nesterov's step, and the polar factor."""

from functools import partial

import numpy as np
import scipy.linalg

from forms_sums import softmax

EXPRESS = [  # Polar Express, arXiv 2505.16932; the last one again and again
    (8.28721201814563, -23.595886519098837, 17.300387312530933),
    (4.107059111542203, -2.9478499167379106, 0.5448431082926601),
    (3.9486908534822946, -2.908902115952949, 0.5518191394370137),
    (3.3184196573706015, -2.488488024314874, 0.51004894012372),
    (2.300652019954817, -1.6689039845747493, 0.4188073119525673),
    (1.891301407787398, -1.2679958271945868, 0.37680408948524835),
    (1.8750014808534479, -1.2500016453999487, 0.3750001645474248),
    (1.875, -1.25, 0.375),
]


def turned(f):
    """f on the matrix or its transpose, whichever is tall."""
    return lambda g: f(g) if g.shape[0] >= g.shape[1] else f(g.T).T


def svd(driver):
    def polar(g):
        u, _, vt = scipy.linalg.svd(g, full_matrices=False, lapack_driver=driver, check_finite=False)
        return u @ vt
    return polar


def gram(g):
    lam, q = np.linalg.eigh(g.T @ g)
    return (g @ (q / np.sqrt(lam.clip(1e-15 * lam[-1])))) @ q.T  # rounding makes the least of them negative


def express(turns):
    def polar(g):
        x = g / np.linalg.norm(g)
        for t in range(turns):
            a, b, c = EXPRESS[min(t, 7)]
            if t < 7:
                a, b, c = a / 1.01, b / 1.01**3, c / 1.01**5
            s = x.T @ x
            p = b * s + c * (s @ s)
            p[np.diag_indices_from(p)] += a
            x = x @ p
        return x
    return polar


SVD = {"SVD, gesdd": svd("gesdd"), "SVD, gesvd": svd("gesvd")}
UNCERTIFIED = {"eigh of the Gram matrix": turned(gram), "Polar Express, 16 turns": turned(express(16))}


class Network:
    def __init__(self, path, widths, last, steps):
        self.x = np.fromfile(path + ".x").reshape(-1, widths[0])
        self.y = np.fromfile(path + ".y", dtype=np.int32)
        self.ptr = np.fromfile(path + ".ptr", dtype=np.int64)
        self.index = np.fromfile(path + ".index", dtype=np.int32)
        self.weight = np.fromfile(path + ".weight")
        self.steps, self.scale, self.w0, at = steps, [], [], 0
        w = np.fromfile(path + ".w0")
        for m, h in zip(widths, widths[1:]):  # column by column, so that a row is an input
            self.w0.append(w[at:at + m * h].reshape(m, h))
            at += m * h
            self.scale.append(max(1, np.sqrt(h / m)) if len(self.scale) == 0 else np.sqrt(h / m))
        self.scale[-1] = last / widths[-2]

    def gradient(self, w, k):
        at = slice(self.ptr[k], self.ptr[k + 1])
        rows, c = self.index[at], self.weight[at]
        a = [self.x[rows]]
        for l, v in enumerate(w):
            z = a[-1] @ v
            if l + 1 < len(w):
                np.maximum(z, 0, out=z)
                z *= np.sqrt(2)
            a.append(z)
        p = a.pop()
        p -= p.max(axis=1, keepdims=True)
        np.exp(p, out=p)
        p /= p.sum(axis=1, keepdims=True)
        p[np.arange(len(rows)), self.y[rows]] -= 1
        p *= c[:, None]
        g = []
        for l in range(len(w) - 1, -1, -1):
            g.append(a[l].T @ p)
            if l:
                p = p @ w[l].T
                p *= np.sqrt(2) * (a[l] > 0)
        return g[::-1]

    def run(self, polar, rate=0.02, beta=0.95):
        w = [v.copy() for v in self.w0]
        d = [np.zeros_like(v) for v in w]
        for k in range(self.steps):
            for l, g in enumerate(self.gradient(w, k)):
                d[l] *= beta
                d[l] += (1 - beta) * g
                g *= 1 - beta
                g += beta * d[l]
                v = np.sign(g) if l + 1 == len(w) else polar(g)
                w[l] -= rate * self.scale[l] * v
        return w

    def value(self, w):
        a = self.x
        for v in w[:-1]:
            a = np.sqrt(2) * np.maximum(a @ v, 0)
        return softmax(a @ w[-1], self.y)


def muon(forms, **args):
    f, told = Network(**args), set()

    def once(name, polar):
        def run():
            w = f.run(polar)
            if name not in told:
                told.add(name)
                return f.value(w)
        return run

    return {name: once(name, polar) for name, polar in forms.items()}


ITEMS = {"muon": partial(muon, SVD), "muon, uncertified": partial(muon, UNCERTIFIED)}
