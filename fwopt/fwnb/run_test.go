package fwnb

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwinst"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"github.com/projection-free/fwlab/fwopt/internal/small"
)

// child runs a race of two methods, as a cell would, in the folder of the test.
func child() {
	x := &fwsum.Sparse{N: 2, M: 2, Ptr: []int{0, 1, 2}, Col: []int32{0, 1}, Val: []float64{1, 2}}
	f := fwsum.NewLeastSquares(x, []float64{1, 1})
	omega := fwset.L2Ball{D: 2, R: 0.3}
	b := fwopt.Budget{Steps: 300}
	b.Watch = func(_ *fwopt.Trace, now fwopt.Point) {
		if now.Step == 50 {
			fmt.Println("step 50") // now the parent interrupts, or does not
			time.Sleep(300 * time.Millisecond)
		}
	}
	methods := []fwopt.Method{fwopt.SVRFTheorem1(), fwopt.SFWExperiments()}
	if os.Getenv("FWNB_TTY") != "" {
		tty = os.Stdout
	}
	if os.Getenv("FWNB_CHILD") == "own" {
		methods = []fwopt.Method{fwopt.MethodFunc(fwopt.SVRFTheorem1().Steps)}
	}
	for _, m := range methods {
		tr := Run(fwopt.NewOracle(f, omega, 1), m, b)
		fmt.Printf("%s: %v, %d points, %x\n", tr.Method, tr.Status, len(tr.Points), tr.W)
	}
}

// The Stop button: the run is saved, the rest of the cell is over at once, and
// the next execution goes on to the same bits.
func TestRunInterrupted(t *testing.T) {
	if os.Getenv("FWNB_CHILD") != "" {
		child()
		return
	}
	if runtime.GOOS == "windows" {
		t.Skip("no interrupt between processes here")
	}
	kind := "ours"
	run := func(dir string, interrupt bool) string {
		cmd := exec.Command(os.Args[0], "-test.run=^TestRunInterrupted$")
		cmd.Env, cmd.Dir = append(os.Environ(), "FWNB_CHILD="+kind), dir
		if interrupt {
			cmd.Env = append(cmd.Env, "FWNB_TTY=1")
		}
		out := must(cmd.StdoutPipe())
		ok(t, cmd.Start())
		var text strings.Builder
		for s := bufio.NewScanner(out); s.Scan(); {
			switch {
			case strings.HasPrefix(s.Text(), "coverage: "): // by go test -cover
			case !strings.HasSuffix(s.Text(), "step 50"):
				fmt.Fprintln(&text, s.Text())
			case interrupt:
				cmd.Process.Signal(os.Interrupt)
			}
		}
		if err := cmd.Wait(); err != nil {
			t.Fatalf("%v: %s", err, text.String())
		}
		return text.String()
	}
	whole := run(t.TempDir(), false)
	dir := t.TempDir()
	first := run(dir, true)
	if !strings.Contains(first, "SVRF: interrupted, ") ||
		!strings.Contains(first, "SFW: interrupted, 0 points") {
		t.Errorf("interrupted in the first method:\n%s", first)
	}
	if files, _ := filepath.Glob(filepath.Join(dir, folder, "*.ckpt")); len(files) != 1 {
		t.Errorf("the checkpoints are %v, want one", files)
	}
	if second := run(dir, false); second != whole {
		t.Errorf("after an interrupt:\n%swithout:\n%s", second, whole)
	}
	if third := run(dir, false); third != whole {
		t.Errorf("from the files:\n%swithout:\n%s", third, whole)
	}
	if strings.Contains(first, "not kept") || !strings.Contains(first, "saved: run the cell again") {
		t.Errorf("interrupted, and saved:\n%s", first)
	}
	kind, dir = "own", t.TempDir()
	first = run(dir, true)
	if strings.Count(first, "not kept: fwopt.MethodFunc has no method Identify") != 1 ||
		strings.Contains(first, "run the cell again") {
		t.Errorf("interrupted in a method without identity:\n%s", first)
	}
}

func TestPick(t *testing.T) {
	for value, want := range map[string]int{"full": 2, "short": 1, "": 1} {
		t.Setenv("FWLAB_BUDGET", value)
		if got := Pick(1, 2); got != want {
			t.Errorf("FWLAB_BUDGET=%q: %d", value, got)
		}
	}
	t.Setenv("FWLAB_BUDGET", "ful")
	if msg := small.Panics(func() { Pick(1, 2) }); msg != "fwnb: FWLAB_BUDGET=ful, want full or short" {
		t.Errorf("%q", msg)
	}
}

// Which seeds a draw has, and that Stop leaves whole draws alone and shows how many runs are done.
func TestRuns(t *testing.T) {
	s := set(t, true, false)
	point := func(draw, seed uint64) []fwopt.Point { return []fwopt.Point{{T: int(draw), K: int(seed)}} }
	want := [][][]fwopt.Point{{point(1, 1), point(1, 2)}, {point(2, 3), point(2, 4)},
		{point(3, 5), point(3, 6)}}
	r := Runs("SVRF", 3, 2, func(_ context.Context, draw, seed uint64) []fwopt.Point {
		return point(draw, seed)
	})
	if r.Name != "SVRF" || !reflect.DeepEqual(r.Draws, want) {
		t.Errorf("%v", r)
	}
	var begun atomic.Int64
	msg := small.Panics(func() {
		Runs("SVRF", 1000, 1, func(context.Context, uint64, uint64) []fwopt.Point {
			begun.Add(1)
			return []fwopt.Point{{Excess: math.NaN()}}
		})
	})
	if !strings.Contains(msg, "fwnb: Runs of SVRF: the runs have no gaps") ||
		int(begun.Load()) > runtime.GOMAXPROCS(0) {
		t.Errorf("after %d runs: %.200q", begun.Load(), msg)
	}
	ctx, stop := context.WithCancel(context.Background())
	interrupt = func() context.Context { return ctx }
	r = Runs("SVRF", 3, 2, func(ctx context.Context, draw, seed uint64) []fwopt.Point {
		if seed == 4 {
			time.Sleep(5 * pause / 2) // two ticks; the clock of the display stands still
			stop()
		}
		if seed >= 4 {
			<-ctx.Done()
			panic("cut short")
		}
		return point(draw, seed)
	})
	if !reflect.DeepEqual(r.Draws, want[:1]) {
		t.Errorf("stopped in draw 2: %v", r.Draws)
	}
	last := s.sent[len(s.sent)-1].Data["text/plain"]
	if last != "SVRF: stopped with 3 of 6 seeds done; what follows is of these" {
		t.Errorf("%q", last)
	}
}

// Draws makes the parameters of each draw of its constants, and has the checkpoints of the method: the ends
// of its epochs, or 1, 2, 4, …; the seeds go on from draw to draw unless the Plan wants the same.
func TestDraws(t *testing.T) {
	set(t, true, false)
	var mu sync.Mutex  // draws run side by side
	var made []float64 // the G of which a method was made
	problem := func(draw uint64) *fwinst.Instance {
		p := fwinst.IllBox(4, 4, 2, draw)
		p.G += float64(draw)
		return p
	}
	of := func(c fwopt.Constants) *fwopt.SFW {
		mu.Lock()
		defer mu.Unlock()
		made = append(made, c.G)
		return fwopt.SFWTheorem3(c)
	}
	r := Draws(Plan{Draws: 2, Seeds: 2, Last: 4}, problem, of)
	c := problem(1).Constants
	if q := r.Draws[0][0][2]; r.Name != "SFW" || q.K != 4 || len(r.Draws[1][1]) != 3 ||
		r.Bound(q) != c.BoundSFW(4) || !slices.Contains(made, problem(2).G) {
		t.Errorf("%s: %+v, of %v", r.Name, r.Draws, made)
	}
	svrf := func(fwopt.Constants) *fwopt.SVRF { return fwopt.SVRFTheorem1() }
	r = Draws(Plan{Name: "mine", Draws: 1, Seeds: 2, Last: 2}, problem, svrf)
	if q := r.Draws[0][1]; r.Name != "mine" || len(q) != 2 || q[1].T != 2 || q[1].K != 30 {
		t.Errorf("%s: %+v", r.Name, q)
	}
	alike := func(same bool) bool {
		first := func(uint64) *fwinst.Instance { return fwinst.NoisyBox(5, 16, 1) }
		d := Draws(Plan{Draws: 2, Last: 4, Same: same}, first, fwopt.SFWTheorem3).Draws
		return reflect.DeepEqual(d[0][0][2].Excess, d[1][0][2].Excess)
	}
	if !alike(true) || alike(false) {
		t.Error("the seeds of the second draw")
	}
}

// Count shows a line and a bar, and on a terminal the line alone.
func TestCount(t *testing.T) {
	for _, isNotebook := range []bool{true, false} {
		s := set(t, isNotebook, !isNotebook)
		p := newProgress("SVRF")
		p.count(0, 4)
		s.clock = s.clock.Add(12 * time.Second)
		p.count(1, 4)
		p.count(2, 4) // too soon
		const line = "SVRF  1 of 4 done  12 s"
		if !isNotebook && s.term.String() != "\r"+line {
			t.Errorf("%q", s.term.String())
		}
		if isNotebook && (len(s.sent) != 1 || s.sent[0].Data["text/plain"] != line ||
			!strings.Contains(s.sent[0].Data["text/html"].(string), `<progress value="0.250"`)) {
			t.Errorf("%+v", s.sent)
		}
		p.done()
	}
}

// Bad arguments are answered in words of ours, in a notebook and elsewhere.
func TestMistakes(t *testing.T) {
	t.Chdir(t.TempDir())
	f, omega := small.Problem()
	b := fwopt.Budget{Steps: 3}
	for _, isNotebook := range []bool{true, false} {
		set(t, isNotebook, !isNotebook)
		for name, c := range map[string][]any{
			"Columns":     {Columns, 3, []string{"a", "b"}, []string{"x", "y"}, []float64{1, 2}},
			"Figure.Show": {Figure.Show, Figure{PNG: []byte{1}, Width: 1, Height: 1, Alt: "alt"}},
			"Markdown":    {Markdown, "text"},
			"Pick":        {Pick[int], 1, 2},
			"Record.Num":  {Record.Num, Record{"a": "1"}, "a"},
			"Row":         {Row, 3, 0.5, "text"},
			"Run, o":      {func(o *fwopt.Oracle) { Run(o, &fwopt.FW{}, b) }, fwopt.NewOracle(f, omega, 1)},
			"Run, m":      {func(m fwopt.Method) { Run(fwopt.NewOracle(f, omega, 1), m, b) }, &fwopt.FW{}},
			"Run": {func(w0 []float64, b fwopt.Budget) {
				Run(fwopt.NewOracle(f, omega, 1).From(w0), &fwopt.FW{}, b)
			}, nil, b},
			"Runs": {Runs, "SVRF", 2, 1, func(context.Context, uint64, uint64) []fwopt.Point {
				return []fwopt.Point{at(1)}
			}},
			"Table": {Table, []string{"a"}, []string{"1"}},
		} {
			for _, bad := range small.Mistakes(c[0], c[1:]...) {
				t.Errorf("%s: %s", name, bad)
			}
		}
	}
}
