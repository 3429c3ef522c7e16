"""Prints what a warm edited cell costs: seconds from its request to the kernel's idle, and what it adds to a trivial cell.

The cells take turns, each time with another number in their text, so that each is compiled, linked and run anew.
That of gonum's mat, which fwopt stands on, is there to compare.
"""

import os
import statistics
import sys
import tempfile
import time

from jupyter_client.manager import start_new_kernel

ROUNDS = 9

SETUP = """
//gonb:!*[ -f go.work ] || go work init . "$FWOPT_DIR"
//gonb:%noautoget
"""
MAT = """
import (
	"fmt"

	"gonum.org/v1/gonum/mat"
)
"""
IMPORTS = SETUP + """
import (
	"context"
	"fmt"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwdata"
	"github.com/projection-free/fwlab/fwopt/fwnb"
	"github.com/projection-free/fwlab/fwopt/fwplot"
)
func problem(seed int) *fwopt.Oracle {
	s, err := fwdata.Load("digits")
	if err != nil {
		panic(err)
	}
	omega := fwopt.TraceNorm{H: s.H(), M: s.M(), Tau: 50}
	return fwopt.NewOracle(s.Logistic(), omega, uint64(seed))
}
"""

CELLS = {
    "trivial": """import "fmt"
%%
fmt.Println(EDIT)
""",
    "gonum/mat": """%%
var s mat.SVD
fmt.Println(s.Factorize(mat.NewDense(2, 2, []float64{1, 2, 3, EDIT}), mat.SVDThin), s.Values(nil))
""",
    "fwopt, data": """%%
o := problem(EDIT)
fmt.Println(fwopt.Run(context.Background(), o, fwopt.FWSafe(1), nil, fwopt.Budget{Steps: 3}).Last().F)
""",
    "progress": """%%
o := problem(EDIT)
fmt.Println(fwnb.Run(o, fwopt.FWSafe(1), nil, fwopt.Budget{Steps: 3}).Last().F)
""",
    "plot": """%%
o := problem(EDIT)
tr := fwnb.Run(o, fwopt.FWSafe(1), nil, fwopt.Budget{Steps: 3})
fwnb.Show(fwplot.Bundle(fwplot.Traces(fwplot.Steps, fwplot.Loss(), tr)))
""",
}


def run(client, source):
    start = time.perf_counter()
    reply = client.execute_interactive(source, timeout=300, output_hook=lambda msg: None)
    seconds = time.perf_counter() - start
    if reply["content"]["status"] != "ok":
        sys.exit("\n".join([source, *reply["content"]["traceback"]]))
    return seconds


os.environ["FWOPT_DIR"] = os.getcwd()
times = {name: [] for name in CELLS}
kernels = []
with tempfile.TemporaryDirectory() as folder:
    try:
        for setup in SETUP, SETUP + MAT, IMPORTS:
            kernels.append(start_new_kernel(kernel_name="gonb", cwd=folder))
            run(kernels[-1][1], setup)
        for edit in range(ROUNDS + 1):
            for name, source in CELLS.items():
                # The first two have kernels of their own: what another declares would be linked into them.
                seconds = run(kernels[min(2, list(CELLS).index(name))][1], source.replace("EDIT", str(edit)))
                if edit > 0:  # the first round warms
                    times[name].append(seconds)
    finally:
        for manager, client in kernels:
            client.stop_channels()
            manager.shutdown_kernel()
trivial = statistics.median(times["trivial"])
print(f"seconds, median of {ROUNDS} (least to most)")
for name, t in times.items():
    m = statistics.median(t)
    print(f"{name:12} {m:6.3f} ({min(t):.3f} to {max(t):.3f})" + (f"  +{m - trivial:.3f}" if name != "trivial" else ""))
