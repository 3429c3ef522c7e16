"""Logistic regression with an l1 penalty by scikit-learn's solvers, each with the largest tol that is near enough."""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from forms_sums import load


def l1_logistic(path, n, m, C, penalty, near, least):
    x, y = load(path, n, m)
    side = 2 * y - 1

    def above(w):
        return np.mean(np.logaddexp(0, -side * (x @ w))) + penalty * np.abs(w).sum() - least

    def fit(solver, tol):
        model = LogisticRegression(C=C, l1_ratio=1, solver=solver, tol=tol, fit_intercept=False, max_iter=10000,
                                   random_state=1)
        return model.fit(x, y).coef_[0]

    forms = {}
    warnings.simplefilter("error", ConvergenceWarning)
    for solver in ("liblinear", "saga"):
        for k in range(1, 10):
            tol = 10.0 ** -k
            w = fit(solver, tol)
            if above(w) <= near:
                break
        else:
            continue  # this solver does not come so near
        told = [least + above(w)]
        forms[f"{solver}, tol {tol:.0e}"] = lambda solver=solver, tol=tol, told=told: (fit(solver, tol), told)[1]
    return forms


ITEMS = {"l1 logistic": l1_logistic}
