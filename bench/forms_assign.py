"""Assignments: the least sum of n numbers of a matrix, one in each row and column, by scipy."""

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import min_weight_full_bipartite_matching


def assign(path, h, m, **_):
    a = np.fromfile(path).reshape(m, h)
    sparse = csr_matrix(a)

    def total(rows_columns):
        return a[rows_columns].sum()

    forms = {"linear_sum_assignment": lambda: total(linear_sum_assignment(a))}
    if "products" not in path:  # which take it 1,000 times as long at n = 100, and without end at 256
        forms["min_weight_full_bipartite_matching"] = lambda: total(min_weight_full_bipartite_matching(sparse))
    return forms


ITEMS = {"assign": assign}
