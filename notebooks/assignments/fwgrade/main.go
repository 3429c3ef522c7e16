// Command fwgrade judges a student's notebook against the teacher's:
//
//	go run ./notebooks/assignments/fwgrade -source SHEET.ipynb SUBMISSION.ipynb
//
// and prints JSON: for each check cell its points, with a report. Without
// -source it tells a student whether the cells that are graded compile without
// the others of the notebook, as they have to in grading; with -pictures KEY.ipynb
// it tells a teacher which pictures of a sheet its key draws otherwise. Data,
// accounts and verdict are in one program, the student's code in another that
// can only answer over a pipe: see package wire. Of the submission only the
// solution cells' text is used, of the sheet everything else.
//
// The student's program runs with limits on time, memory, threads and files,
// without arguments or environment. On Linux, as root or where user namespaces
// are allowed, it also has an empty folder as its root and sees no network and
// no other program; as root it has a user of its own. The wall says what of this
// the machine does not allow. Each check draws its instances from FWLAB_SEED.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"
)

// verdict is what is printed.
type verdict struct {
	Sheet      string   `json:"sheet"`
	Submission string   `json:"submission"`
	Seed       uint64   `json:"seed"` // FWLAB_SEED=seed shows a student the same instances
	Notes      []string `json:"notes"`
	Wall       string   `json:"wall"` // what this machine does not keep back from a solution; "" if nothing
	Cells      []mark   `json:"cells"`
}

// mark is that of one check cell.
type mark struct {
	ID      string  `json:"grade_id"`
	Passed  bool    `json:"passed"` // all of it
	Points  float64 `json:"points"`
	Parts   []part  `json:"parts"`
	Report  string  `json:"report"`
	Seconds float64 `json:"seconds"`
}

func main() {
	enterJail()
	runtime.LockOSThread() // what this thread starts dies with it
	var source string
	var seed uint64
	var limit limits
	flag.StringVar(&source, "source", "", "the teacher's `notebook`, with solutions and hidden tests")
	flag.Uint64Var(&seed, "seed", 0, "FWLAB_SEED of the checks; 0 draws one")
	flag.DurationVar(&limit.part, "limit", 8*time.Second, "what one part of a check may take")
	flag.DurationVar(&limit.all, "all", time.Minute, "what all of them may take together")
	key := flag.String("pictures", "", "the `notebook` of a key, whose pictures are to be those that it "+
		"draws")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var err error
	switch {
	case *key != "":
		var wrong []string
		wrong, err = pictures(*key)
		for _, w := range wrong {
			fmt.Println(w)
		}
	case flag.NArg() != 1:
		fmt.Fprintln(os.Stderr,
			`usage: fwgrade [-seed n] [-limit 8s] [-all 1m] -source SHEET.ipynb SUBMISSION.ipynb
       fwgrade SUBMISSION.ipynb
       fwgrade -pictures KEY.ipynb`)
		os.Exit(2)
	case source == "":
		text, err := handIn(ctx, flag.Arg(0))
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println(text)
	default:
		var j *judge
		if j, err = newJudge(ctx, source); err != nil {
			break
		}
		var v *verdict
		if v, err = j.grade(ctx, flag.Arg(0), seed, limit); err == nil {
			out := json.NewEncoder(os.Stdout)
			out.SetIndent("", " ")
			err = out.Encode(v)
		}
		j.close()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "fwgrade:", err)
		os.Exit(1)
	}
}

// A judge has a sheet and the program of its checks.
type judge struct {
	*builder
	sheet         *sheet
	source, check string
}

func newJudge(ctx context.Context, source string) (*judge, error) {
	root, err := moduleOf(source)
	if err != nil {
		return nil, err
	}
	s, err := readSheet(source)
	if err != nil {
		return nil, err
	}
	b, err := newBuilder(root)
	if err != nil {
		return nil, err
	}
	check, err := b.parent(ctx, s)
	if err != nil {
		b.close()
		return nil, err
	}
	return &judge{b, s, source, check}, nil
}

// grade judges one submission. One that cannot be used passes nothing; an error
// is the sheet's or the machine's.
func (j *judge) grade(ctx context.Context, submission string, seed uint64, limit limits) (*verdict, error) {
	for seed == 0 {
		seed = rand.Uint64()
	}
	v := &verdict{Sheet: j.source, Submission: submission, Seed: seed, Notes: []string{}, Cells: []mark{}}
	cells, notes, err := readSolutions(submission, j.sheet)
	v.Notes = append(v.Notes, notes...)
	if err != nil {
		v.Notes = append(v.Notes, err.Error())
		for _, c := range j.sheet.checks {
			v.Cells = append(v.Cells, mark{ID: c.id, Parts: c.parts, Report: err.Error()})
		}
		return v, nil
	}
	child, notes, err := j.child(ctx, j.sheet, cells)
	v.Notes = append(v.Notes, notes...)
	if err != nil {
		return nil, err
	}
	r := runner{parent: j.check, child: child, dir: j.sheet.dir, seed: seed, limit: limit}
	for _, c := range j.sheet.checks {
		m, err := r.check(ctx, c)
		if err != nil {
			return nil, err
		}
		v.Cells = append(v.Cells, m)
	}
	v.Notes = append(v.Notes, r.late...)
	v.Wall = r.note
	return v, nil
}
