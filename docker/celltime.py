"""Prints what a warm edited cell costs: seconds from its request to the kernel's idle, and what it adds to a trivial cell.

The cells take turns, each time with another number in their text, so that each is compiled, linked and run anew.
Those marked bare have nothing of fwlab in them: what the libraries below it cost by themselves.
"""

import os
import statistics
import sys
import tempfile
import time

from jupyter_client.manager import start_new_kernel

ROUNDS = 9

SETUP = """
%noautoget
"""
MAT = """
import (
	"fmt"

	"gonum.org/v1/gonum/mat"
)
func sigma(x float64) []float64 {
	var s mat.SVD
	s.Factorize(mat.NewDense(2, 2, []float64{1, 2, 3, x}), mat.SVDThin)
	return s.Values(nil)
}
"""
DISPLAY = """
import "github.com/janpfeifer/gonb/gonbui"
""" + MAT
PLOT = """
import (
	"bytes"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	_ "gonum.org/v1/plot/vg/vgimg"
	_ "gonum.org/v1/plot/vg/vgsvg"
)
""" + DISPLAY + """
func picture(format string, y float64) string {
	p := plot.New()
	line, err := plotter.NewLine(plotter.XYs{{X: 0, Y: 1}, {X: 1, Y: y}})
	if err != nil {
		panic(err)
	}
	p.Add(line)
	w, err := p.WriterTo(5*vg.Inch, 4*vg.Inch, format)
	if err != nil {
		panic(err)
	}
	var b bytes.Buffer
	if _, err := w.WriteTo(&b); err != nil {
		panic(err)
	}
	return b.String()
}
"""
IMPORTS = SETUP + """
import (
	"context"
	"fmt"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwdata"
	"github.com/projection-free/fwlab/fwopt/fwnb"
	"github.com/projection-free/fwlab/fwopt/fwplot"
	"github.com/projection-free/fwlab/fwopt/fwset"
)
func problem(seed int) *fwopt.Oracle {
	s, err := fwdata.Load("digits")
	if err != nil {
		panic(err)
	}
	omega := fwset.TraceNorm{H: s.H(), M: s.M(), Tau: 50}
	return fwopt.NewOracle(s.Logistic(), omega, uint64(seed))
}
"""

# A cell's name: what its kernel has declared before, since that is linked into it too; the cell.
CELLS = {
    "trivial": (SETUP, """import "fmt"
%%
fmt.Println(EDIT)
"""),
    "bare mat": (SETUP + MAT, """%%
fmt.Println(sigma(EDIT))
"""),
    "bare display": (SETUP + DISPLAY, """%%
gonbui.DisplayHTML(fmt.Sprint(sigma(EDIT)))
"""),
    "bare plot": (SETUP + PLOT, """%%
picture("png", sigma(EDIT)[0])
gonbui.DisplaySVG(picture("svg", sigma(EDIT)[0]))
"""),
    "fwopt, data": (IMPORTS, """%%
o := problem(EDIT)
fmt.Println(fwopt.Run(context.Background(), o, &fwopt.FW{Rule: fwopt.Short{L: 1}}, fwopt.Budget{Steps: 3}).Last().F)
"""),
    "progress": (IMPORTS, """%%
o := problem(EDIT)
fmt.Println(fwnb.Run(o, &fwopt.FW{Rule: fwopt.Short{L: 1}}, fwopt.Budget{Steps: 3}).Last().F)
"""),
    "plot": (IMPORTS, """%%
o := problem(EDIT)
tr := fwnb.Run(o, &fwopt.FW{Rule: fwopt.Short{L: 1}}, fwopt.Budget{Steps: 3})
fwplot.Show(fwplot.Traces(fwrate.Steps, fwplot.Loss(), tr))
"""),
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
kernels = {}
with tempfile.TemporaryDirectory() as folder:
    try:
        for setup, _ in CELLS.values():
            if setup not in kernels:
                kernels[setup] = start_new_kernel(kernel_name="gonb", cwd=folder)
                run(kernels[setup][1], setup)
        for edit in range(ROUNDS + 1):
            for name, (setup, source) in CELLS.items():
                seconds = run(kernels[setup][1], source.replace("EDIT", str(edit)))
                if edit > 0:  # the first round warms
                    times[name].append(seconds)
    finally:
        for manager, client in kernels.values():
            client.stop_channels()
            manager.shutdown_kernel()
trivial = statistics.median(times["trivial"])
print(f"seconds, median of {ROUNDS} (least to most)")
for name, t in times.items():
    m = statistics.median(t)
    print(f"{name:12} {m:6.3f} ({min(t):.3f} to {max(t):.3f})" + (f"  +{m - trivial:.3f}" if name != "trivial" else ""))
