"""The peers' side of the bench: a request a line on stdin, an answer a line on stdout.

An item is set up in several forms, as a careful user of numpy, scipy, numba or copt
would write it. All must agree; the fastest is the one that is timed against ours. The
clock runs around the work only.
"""

import json
import os
import sys

import numpy as np

import forms_assign
import forms_fit
import forms_methods
import forms_network
import forms_projection
import forms_spectral
import forms_sums
import forms_traffic
from forms_sums import clock

ITEMS = {}
for forms in (forms_spectral, forms_sums, forms_methods, forms_assign, forms_traffic, forms_projection,
              forms_network, forms_fit):
    assert not ITEMS.keys() & forms.ITEMS.keys(), f"{forms.__name__}: a name that another file has"
    ITEMS |= forms.ITEMS


def timed(work, reps):
    if hasattr(work, "seconds"):  # it has a clock of its own
        return sum([(work(), work.seconds)[1] for _ in range(reps)]) / reps
    began = clock()
    for _ in range(reps):
        work()
    return (clock() - began) / reps


def prepare(request):
    """Sets an item up, checks that its forms agree, and keeps the fastest."""
    forms = ITEMS[request["item"]](**request["args"])
    first, values, seconds = None, None, {}
    for name, work in forms.items():
        value = np.atleast_1d(np.asarray(work(), dtype=float))  # also compiles
        if values is None:
            first, values = name, value
        if not np.all(np.abs(value - values) <= request["tol"] * np.abs(values).max()):
            raise ValueError(f"{name} gives {value}, {first} gives {values}")
        once = timed(work, 1)
        reps = max(1, min(20, int(0.3 / max(once, 1e-6))))
        seconds[name] = min(once, *(timed(work, reps) for _ in range(3))) if once < 2 and len(forms) > 1 else once
    best = min(seconds, key=seconds.get)
    return forms[best], {"form": best, "forms": seconds, "value": values.tolist()}


def versions(_):
    import copt, numba, scipy, sklearn  # noqa: E401
    from importlib.metadata import version
    found = {m.__name__: m.__version__ for m in (np, scipy, sklearn, numba)}
    blas = np.__config__.CONFIG["Build Dependencies"]["blas"]
    return {"versions": {"python": sys.version.split()[0], **found, "copt": copt.__version__,
                         **{name: version(name) for name in ("aequilibrae", "clarabel", "osqp")},
                         blas["name"]: blas["version"]}}


def main():
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a library prints is no answer
    work = None
    for line in sys.stdin:
        request = json.loads(line)
        try:
            if request["op"] == "prepare":
                work, answer = prepare(request)
            elif request["op"] == "time":
                if request["reps"] > 1:
                    work()  # what lies in the cache is the item's
                answer = {"seconds": timed(work, request["reps"])}
            elif request["op"] == "make":
                forms_spectral.make(**request["args"])
                answer = {}
            else:
                answer = versions(request)
        except Exception as e:  # the driver says which item, and stops
            answer = {"error": f"{type(e).__name__}: {e}"}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
