"""Projections onto sets of flows as quadratic programmes: x ≥ 0 is what each good has on each
arc, w = Bx its sums at the places, as much of a good comes to a node as leaves it or stays:

    min ½‖w − p‖²  with  Ax = b, w = Bx, x ≥ 0.
"""

import numpy as np
from scipy import sparse


def read(path):
    """A, b, B and p."""
    good, tail, head, place = np.fromfile(path + ".vars").reshape(-1, 4).astype(int).T
    needs = np.fromfile(path + ".needs").reshape(-1, 3)
    p = np.fromfile(path + ".point")
    nodes, k = max(tail.max(), head.max()) + 1, np.arange(len(good))
    flow = sparse.csr_matrix((np.repeat([1.0, -1.0], len(k)),
                              (np.r_[good * nodes + head, good * nodes + tail], np.r_[k, k])))
    stays = np.zeros(flow.shape[0])
    np.add.at(stays, (needs[:, 0] * nodes + needs[:, 1]).astype(int), needs[:, 2])
    # Of each good one equation follows from the others: that of the node where it begins.
    keep = (np.diff(flow.indptr) > 0) & (stays >= 0)
    seen = place >= 0
    at = sparse.csr_matrix((np.ones(seen.sum()), (place[seen], k[seen])), shape=(len(p), len(k)))
    return flow[keep], stays[keep], at, p


def project(path):
    import clarabel
    import osqp

    A, b, B, p = read(path)
    m, (n, k) = len(b), B.shape
    scale = max(np.abs(b).max(), 1.0)  # the solvers' tolerances are partly absolute
    b, p = b / scale, p / scale
    P = sparse.block_diag([sparse.csc_matrix((k, k)), sparse.identity(n)]).tocsc()
    q = np.r_[np.zeros(k), -p]
    equal = sparse.bmat([[A, None], [B, -sparse.identity(n)]])
    rows = sparse.bmat([[equal], [sparse.hstack([-sparse.identity(k), sparse.csr_matrix((k, n))])]]).tocsc()
    right = np.r_[b, np.zeros(n + k)]

    def value(x):
        return scale**2 * ((x[k:] - p) ** 2).sum() / 2 / n

    settings = clarabel.DefaultSettings()
    settings.verbose, settings.max_threads = False, 1
    inner = clarabel.DefaultSolver(sparse.triu(P).tocsc(), q, rows, right,
                                   [clarabel.ZeroConeT(m + n), clarabel.NonnegativeConeT(k)], settings)

    def interior():
        inner.update(q=q)  # as for another point: what is known of the set stays
        return value(np.array(inner.solve().x))

    outer = osqp.OSQP()
    outer.setup(P, q, rows, np.r_[right[:m + n], np.full(k, -np.inf)], right, verbose=False,
                warm_starting=False, eps_abs=1e-6, eps_rel=1e-6, max_iter=100_000)

    def splitting():
        outer.update(q=q)
        found = outer.solve()
        if found.info.status != "solved":
            raise ValueError(found.info.status)
        return value(found.x)

    return {"Clarabel": interior, "OSQP": splitting}


ITEMS = {"project onto flows": project}
