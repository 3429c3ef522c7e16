package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"io"
	"iter"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwdata"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// run runs the command in a folder with files, and returns what it prints.
func run(t *testing.T, files map[string]string, args string) (dir, out string, err error) {
	dir = folder(t, files)
	var b bytes.Buffer
	err = command(context.Background(), strings.Fields(args), &b, nil)
	return dir, b.String(), err
}

// folder makes a folder with files the one to work in.
func folder(t *testing.T, files map[string]string) (dir string) {
	dir = t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	return dir
}

// drawn returns a table whose target is a line in some columns, which lie far from 0, with noise; label makes words of it.
func drawn(n, m int, label func(y float64) string) (text string, x [][]float64, y []float64) {
	rng := rand.New(rand.NewPCG(3, 3))
	for j := range m {
		text += fmt.Sprintf("x%d,", j)
	}
	text += "y\n"
	for range n {
		row, sum := make([]float64, m), 4+rng.NormFloat64()/2
		for j := range row {
			row[j] = float64(j) + float64(1+j)*rng.NormFloat64()
			if j < 3 {
				sum += (row[j] - float64(j)) / float64(1+j) * float64(2-j)
			}
			text += fmt.Sprintf("%g,", row[j])
		}
		x, y = append(x, row), append(y, sum)
		text += label(sum) + "\n"
	}
	return text, x, y
}

func digits(y float64) string { return strconv.FormatFloat(y, 'g', -1, 64) }

func word(y float64) string { return []string{"few", "some", "many"}[min(2, max(0, int(y/2)-1))] }

func yes(y float64) string { return map[bool]string{true: "yes", false: "no"}[y > 4] }

// What is written is what was found: the weights of the file as it is, whose predictions are those written, within
// the set, with an intercept that nothing holds back, and a gap that a longer run does not refute.
func TestFit(t *testing.T) {
	for _, c := range []struct {
		flags string
		label func(y float64) string
	}{
		{"--radius 2", digits}, {"--radius 2 --set l2 --loss huber", digits},
		{"--radius 0.4 --set box", digits}, {"--radius 3 --set simplex", digits},
		{"--radius 2 --method blended", digits}, {"--radius 3 --method fw --gap 1e-2", digits},
		{"--radius 0.5 --scale none --intercept=false", digits}, {"--radius 8", yes},
		{"--radius 3 --set l2 --method storc", yes}, {"--radius 8", word}, {"--radius 8 --set trace", word},
	} {
		text, x, y := drawn(200, 6, c.label)
		_, out, err := run(t, map[string]string{"a.csv": text},
			"fit "+c.flags+" --weights w.csv a.csv --test a.csv "+
				"--predictions p.csv")
		if err != nil {
			t.Errorf("%s: %v", c.flags, err)
			continue
		}
		if c.flags == "--radius 2" { // which binds here, on weights of columns divided by their deviations
			norm, column := 0., make([]float64, len(x))
			for j := range x[0] {
				for i, row := range x {
					column[i] = row[j]
				}
				norm += math.Abs(parse1(t, readCSV(t, "w.csv")[1+j][1])) * stat.PopStdDev(column, nil)
			}
			if math.Abs(norm-2) > 1e-9 {
				t.Errorf("the weights have the norm %g", norm)
			}
		}
		var f, gap float64
		_, after, _ := strings.Cut(out, "\nf = ")
		fmt.Sscanf(after, "%g, proven to be at most %g", &f, &gap)
		w, p := readCSV(t, "w.csv"), readCSV(t, "p.csv")
		if len(w) < 7 || len(w) > 8 || len(p) != 201 || w[1][0] != "x0" {
			t.Fatalf("%s: %q, %d predictions", c.flags, w, len(p))
		}
		intercept := strings.Contains(out, "200 rows") && !strings.Contains(c.flags, "intercept=false")
		if intercept != (w[len(w)-1][0] == "(intercept)") {
			t.Errorf("%s: the last weight is that of %s", c.flags, w[len(w)-1][0])
		}
		wrong, pull := 0, make([]float64, len(w[0])-1)
		for i, row := range x {
			s := make([]float64, len(w[0])-1)
			for k := range s {
				for j, v := range append(row[:6:6], 1)[:len(w)-1] {
					s[k] += v * parse1(t, w[1+j][1+k])
				}
			}
			want := digits(s[0])
			switch {
			case len(s) > 1:
				want = w[0][1+floats.MaxIdx(s)]
				z := floats.LogSumExp(s)
				for k := range s {
					pull[k] += math.Exp(s[k]-z) / 200
					if w[0][1+k] == c.label(y[i]) {
						pull[k] -= 1. / 200
					}
				}
			case c.label(0) == "no":
				want = map[bool]string{true: "yes", false: "no"}[s[0] > 0]
				pull[0] += (1/(1+math.Exp(-s[0])) - map[string]float64{"yes": 1}[yes(y[i])]) / 200
			case strings.Contains(c.flags, "huber"):
				pull[0] += max(-1, min(1, s[0]-y[i])) / 200
			default:
				pull[0] += (s[0] - y[i]) / 200
			}
			if got := p[1+i][1]; got != want && !(len(s) == 1 && near(got, want)) {
				t.Fatalf("%s: row %d: %s is predicted, want %s", c.flags, i, got, want)
			}
			if want != c.label(y[i]) {
				wrong++
			}
		}
		if intercept && floats.Norm(pull, math.Inf(1)) > 0.03 {
			t.Errorf("%s: the intercept would go on by %.3g", c.flags, pull)
		}
		if _, err := strconv.ParseFloat(c.label(0), 64); err != nil &&
			!strings.Contains(out, fmt.Sprintf("a.csv: error rate %.2f %% of 200 rows", float64(wrong)/2)) {
			t.Errorf("%s: %d of 200 are wrong, and %s", c.flags, wrong, out)
		}
		_, long, err := run(t, map[string]string{"a.csv": text},
			"fit "+c.flags+" --gap 1e-6 --method fista a.csv")
		var least float64
		_, after, _ = strings.Cut(long, "\nf = ")
		if fmt.Sscanf(after, "%g,", &least); err != nil || !(f-least <= gap+1e-8) || !(gap > 0) ||
			f < least-1e-6 {
			t.Errorf("%s: f = %g with a gap of %g, and a longer run has %g; %v", c.flags, f, gap, least, err)
		}
	}
}

// A row of weight 3 is three rows; its column is none to predict from.
func TestRowWeights(t *testing.T) {
	for _, label := range []func(float64) string{digits, yes, word} {
		text, _, _ := drawn(60, 3, label)
		lines := strings.Split(strings.TrimSpace(text), "\n")
		weighted, repeated := "often,"+lines[0]+"\n", lines[0]+"\n"
		for i, line := range lines[1:] {
			weighted += fmt.Sprintf("%d,%s\n", 2*(i%4), line)
			repeated += strings.Repeat(line+"\n", i%4)
		}
		files := map[string]string{"w.csv": weighted, "r.csv": repeated}
		var w [2][]float64
		for k, args := range []string{"--row-weights often w.csv", "r.csv"} {
			if _, _, err := run(t, files,
				"fit --scale none --radius 1 --gap 1e-9 --weights w.npy "+args); err != nil {
				t.Fatal(err)
			}
			x, err := readNPY("w.npy")
			if err != nil {
				t.Fatal(err)
			}
			w[k] = x.Val
		}
		if len(w[0]) != len(w[1]) || floats.Distance(w[0][:3], w[1][:3], 2) > 1e-3 {
			t.Errorf("%v, want %v", w[0], w[1])
		}
	}
	for want, text := range map[string]string{
		`no column "c" for --row-weights in f.csv, which has a, b`:     "a,b,y\n1,2,3\n2,3,4\n",
		"f.csv: row 2 has the weight -1: want 0 or more":               "a,c,y\n1,2,3\n2,-1,4\n",
		"f.csv: all rows have the weight 0: is c the right column?":    "a,c,y\n1,0,3\n2,0,4\n",
		"f.csv: all rows of a class have the weight 0: leave them out": "a,c,y\n1,2,no\n2,0,yes\n",
	} {
		_, _, err := run(t, map[string]string{"f.csv": text}, "fit --radius 1 --row-weights c f.csv")
		if err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// An intercept alone finds the share of a class, however rare.
func TestRareClass(t *testing.T) {
	for _, classes := range []string{"yes no", "yes no no2"} {
		text, n := "x,y\n", 300
		names := strings.Fields(classes)
		for i := range n {
			text += fmt.Sprintf("%d,%s\n", i%7, names[min(i, 1+i%(len(names)-1))])
		}
		_, out, err := run(t, map[string]string{"a.csv": text},
			"fit --radius 1e-6 --gap 1e-9 --weights w.csv a.csv")
		w := readCSV(t, "w.csv")
		last := w[len(w)-1]
		got := parse1(t, last[len(last)-1]) // yes is last in the alphabet
		want := -math.Log(float64(n - 1))
		if len(last) > 2 {
			got -= parse1(t, last[1])
			want = -math.Log(float64(n-1) / 2)
		}
		if err != nil || math.Abs(got-want) > 0.1 {
			t.Errorf("%s: the intercept is %g, want %g; %v, %s", classes, got, want, err, out)
		}
	}
}

func near(a, b string) bool {
	x, _ := strconv.ParseFloat(a, 64)
	y, _ := strconv.ParseFloat(b, 64)
	return math.Abs(x-y) < 1e-9*(1+math.Abs(y))
}

func parse1(t *testing.T, s string) float64 {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func readCSV(t *testing.T, name string) [][]string {
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// The same numbers from a .csv, a .npy with its target within or beside it, and LIBSVM text give the same weights,
// but for what the format leaves out: columns are named by numbers.
func TestFormats(t *testing.T) {
	text, x, y := drawn(50, 3, digits)
	all, alone, target := &fwsum.Dense{N: 50, M: 4}, &fwsum.Dense{N: 50, M: 3}, &fwsum.Dense{N: 50, M: 1,
		Val: y}
	lines := ""
	for i, row := range x {
		all.Val, alone.Val = append(append(all.Val, row...), y[i]), append(alone.Val, row...)
		lines += fmt.Sprintf("%v 1:%v 2:%v 3:%v\n", y[i], row[0], row[1], row[2])
	}
	files := map[string]string{"a.csv": text, "a.svm": lines}
	for name, x := range map[string]*fwsum.Dense{"a.npy": all, "x.npy": alone, "y.npy": target} {
		var b bytes.Buffer
		if err := fwdata.WriteNPY(&b, x); err != nil {
			t.Fatal(err)
		}
		files[name] = b.String()
	}
	var want []float64
	for _, args := range []string{"a.csv", "a.npy", "--target 4 a.npy", "--target y.npy x.npy", "a.svm"} {
		_, out, err := run(t, files, "fit --radius 2 --weights w.npy "+args)
		if err != nil {
			t.Errorf("%s: %v", args, err)
			continue
		}
		w, err := readNPY("w.npy")
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = w.Val
		}
		if w.N != 4 || w.M != 1 || floats.Distance(w.Val, want, 2) > 1e-3 {
			t.Errorf("%s: %v, want %v\n%s", args, w, want, out)
		}
	}
}

// Each mistake has a sentence with a remedy, and its exit status.
func TestMistakes(t *testing.T) {
	good := "a,b,y\n1,2,3\n2,1,4\n3,5,9\n4,4,2\n"
	for _, c := range []struct {
		file, args, want string
		status           int
	}{
		{good, "", "want the command fit; fwlab fit --help has an example", 2},
		{good, "fit --radius 1", "0 files, want one to fit to; another one is for --test", 2},
		{good, "fit --radius 1 f.csv f.csv", "2 files, want one to fit to; another one is for --test", 2},
		{good, "fit f.csv",
			"--radius 0, want a positive number: how large the weights may be together; try 1, 10 and " +
				"100, and take the one with the fewest errors on --test", 2},
		{good, "fit --radius 1 --set ball f.csv",
			`--set "ball", want l1, l2, trace, simplex, box, completion`, 2},
		{good, "fit --radius 1 --nix f.csv",
			"flag provided but not defined: -nix; fwlab fit --help has all flags", 2},
		{good, "fit --radius 1 --predictions p.csv f.csv",
			"--predictions without --test, whose rows would be predicted", 2},
		{good, "fit --radius 1 --weights w.txt f.csv", `"w.txt", want a name that ends in .csv or .npy`, 2},
		{good, "fit --radius 1 --gap 0 f.csv", "--delta 1, --gap 0, --seconds 600, want positive numbers", 2},
		{good, "fit --radius 1 g.csv", "open g.csv: no such file or directory", 1},
		{"a,b,y\n1,2,3\n2,2,4\n3,2,9\n", "fit --radius 1 f.csv",
			`f.csv: column "b" is the same in all rows, and tells ` +
				"nothing: --leave b, or --scale none", 1},
		{"a,b,y\n1,2,3\n2,2\n", "fit --radius 1 f.csv",
			"fwdata: f.csv: line 3: 2 columns, where the first line has 3: " +
				"is a separator missing, or a comma within a number or a text without quotes?", 1},
		{"a,b,y\n1,2,no\n2,3,yes\n", "fit --radius 1 --loss squared f.csv",
			`f.csv: the target has words as "no", of ` +
				"which the squared loss can make nothing: --loss logistic, or another --target", 1},
		{"a,b,y\n1,2,no\n2,3,no\n", "fit --radius 1 f.csv",
			"f.csv: the target is no in all rows: want two values at " +
				"least; is it the right --target?", 1},
		{good, "fit --radius 1 --target z f.csv",
			`fwdata: f.csv: line 1: no column "z" to predict; there are "a, b, y"`, 1},
		{"3 1:2\n", "fit --radius 1 --target 2 f.txt",
			"f.txt is read as LIBSVM text, which has no columns to --target or " +
				"--leave; name a table .csv", 2},
		{good, "fit --radius 1 --test g.csv f.csv", "open g.csv: no such file or directory", 1},
		{good, "fit --radius 1 --gap 1e-300 --seconds 0.01 f.csv",
			"the gap is not reached: give more --seconds, or take " +
				"a larger --gap", 3},
		{good, "fit --radius 1 --weights nix/w.csv f.csv", "--weights nix/w.csv: no folder nix: make it", 1},
		{good, "fit --radius 1 --weights f.txt/w.csv f.csv",
			"--weights f.txt/w.csv: no file can be made in f.txt: not a directory", 1},
		{good, "fit --radius 1 --weights dir.csv f.csv", "--weights dir.csv is a folder: name a file", 1},
		{good, "fit --radius 1 dir.csv", "dir.csv is a folder: name a file in it", 1},
		{good, "fit --radius 1 --set completion dir.csv", "dir.csv is a folder: name a file in it", 1},
		{good, "fit --radius 1 --weights f.csv f.csv", "--weights f.csv is the file to fit to: give another name", 2},
		{good, "fit --radius 1 --weights ./f.csv f.csv",
			"--weights ./f.csv is the file to fit to: give another name", 2},
		{good, "fit --radius 1 --weights link.csv f.csv",
			"--weights link.csv is the file to fit to: give another name", 2},
		{good, "fit --radius 1 --test dir.csv/t.csv --predictions dir.csv/../dir.csv/t.csv f.csv",
			"--predictions dir.csv/../dir.csv/t.csv is the file of --test: give another name", 2},
		{good, "fit --radius 1 --test f.txt --weights to/w.csv --predictions dir.csv/w.csv f.csv",
			"--predictions dir.csv/w.csv is the file of --weights: give another name", 2},
		{good, "fit --radius 1 --target y.npy --weights y.npy x.npy",
			"--weights y.npy is the file of --target: give another name", 2},
		{good, "fit --radius 1 --leave z --test f.csv f.csv",
			`fwdata: f.csv: line 1: no column "z" to leave out; there are "a, b, y"`, 1},
		{"a,b,y\n", "fit --radius 1 f.csv", "fwdata: f.csv: line 1: the file has a heading and no rows", 1},
		{good, "fit --radius 1 f.txt",
			`"a,b,y": a table with commas (CSV), not LIBSVM text: read it by ReadTable, or rename it to .csv for fwlab fit`, 1},
	} {
		dir := folder(t, map[string]string{"f.csv": c.file, "f.txt": c.file})
		for _, err := range []error{os.Mkdir("dir.csv", 0o777), os.Symlink("f.csv", "link.csv"),
			os.Symlink("dir.csv", "to")} {
			if err != nil {
				t.Fatal(err)
			}
		}
		err := command(context.Background(), strings.Fields(c.args), io.Discard, nil)
		if temporary, _ := filepath.Glob(filepath.Join(dir, "fwlab*")); temporary != nil {
			t.Errorf("%q leaves %q", c.args, temporary)
		}
		if err == nil || !strings.HasSuffix(err.Error(), c.want) || status(err) != c.status {
			t.Errorf("%q: %v, status %d, want %s, %d", c.args, err, status(err), c.want, c.status)
		}
	}
	for test, want := range map[string]string{
		"b,a,y\n1,2,3\n":     "t.csv has the same columns as f.csv in another order: want a, b",
		"a,y\n1,2\n":         "t.csv lacks b: want the columns of f.csv, or --leave b",
		"a,b,c,y\n1,2,3,4\n": "t.csv has c besides: want the columns of f.csv, or --leave c",
		"a,c,y\n1,2,3\n":     "t.csv lacks b and has c besides: want the columns of f.csv, or --leave b,c",
		"a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t,u,v,w,y\n" + strings.Repeat("1,", 23) + "1\n": "t.csv has " +
			"c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v … (21) besides: want the columns of f.csv, " +
			"or --leave these",
		"1,2,3\n":         "t.csv has no heading, and f.csv has: add it",
		"a,b\n1,2\n":      "t.csv lacks y, to count errors on: give --predictions to predict it",
		"a,b,y\n1,2,no\n": "t.csv: the target has words, and f.csv numbers",
	} {
		_, _, err := run(t, map[string]string{"f.csv": good, "t.csv": test},
			"fit --radius 1 --test t.csv f.csv")
		if err == nil || err.Error() != want || status(err) != 1+strings.Count(want, "--predictions") {
			t.Errorf("%v, want %s", err, want)
		}
	}
	_, out, err := run(t, nil, "fit --help")
	if example := strings.Index(out, "fwlab fit --target"); !errors.Is(err, flag.ErrHelp) ||
		status(err) != 0 ||
		example < 0 || example > strings.Index(out, "Flags:") {
		t.Errorf("%v, %s", err, out)
	}
}

// A column to leave out may be in one of the files alone; rows of a table without the target are predicted.
func TestOneLacks(t *testing.T) {
	for _, c := range []struct {
		label  func(float64) string
		target string
	}{{digits, ""}, {yes, ""}, {word, "--target y"}, {digits, "--target 4"}} {
		text, _, _ := drawn(40, 3, c.label)
		bare, more, named := "", "", ""
		for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
			id := fmt.Sprintf("i%d,", i)
			if i == 0 {
				id = "id,"
			}
			without := line[:strings.LastIndexByte(line, ',')] + "\n"
			bare, more, named = bare+without, more+id+line+"\n", named+id+without
		}
		files := map[string]string{"a.csv": text, "b.CSV": bare, "more.csv": more, "named.csv": named}
		args := "fit --radius 2 --predictions p.csv " + c.target
		if _, _, err := run(t, files, args+" --test a.csv a.csv"); err != nil {
			t.Fatal(err)
		}
		want := readCSV(t, "p.csv")
		for _, more := range []string{" --test b.CSV a.csv", " --leave id --test named.csv a.csv",
			" --leave id --test b.CSV --target y more.csv"} {
			_, out, err := run(t, files, args+more)
			if err != nil {
				t.Errorf("%s: %v", more, err)
			} else if got := readCSV(t, "p.csv"); !reflect.DeepEqual(got, want) ||
				strings.Contains(out, "b.CSV: ") {
				t.Errorf("%s: %v, want %v; %s", more, got, want, out)
			}
		}
	}
}

// What the lines say of f, the set and the method is so, and no weight is -0.
func TestLines(t *testing.T) {
	text, _, _ := drawn(200, 6, digits)
	files := map[string]string{"a.csv": text}
	const scaled = " of columns scaled by std (--scale none: as they are)"
	const why = "FISTA, as gradients and projections are cheap here\n"
	for args, want := range map[string]string{
		"--radius 100": "squared loss (f is half the mean square error) over the ℓ1 ball of radius 100" + scaled +
			", by " + why,
		"--radius 2 --scale none --method fista": "over the ℓ1 ball of radius 2, by FISTA\n",
	} {
		_, out, err := run(t, files, "fit --weights w.csv --gap 1e-6 "+args+" a.csv")
		var f, rmse float64
		_, after, _ := strings.Cut(out, "\nf = ")
		fmt.Sscanf(after, "%g,", &f)
		_, after, _ = strings.Cut(out, "root mean square error ")
		fmt.Sscan(after, &rmse)
		if err != nil || !strings.Contains(out, want) || math.Abs(rmse*rmse/2-f) > 1e-3*f ||
			strings.Contains(out, "the radius does not bind") != strings.Contains(args, "100") {
			t.Errorf("%s: %v, %s", args, err, out)
		}
	}
	m := &model{options: &options{gap: 1, seconds: 1, scale: "none"}, size: []float64{1}, h: 1}
	m.f = fwsum.NewLeastSquares(&fwsum.Dense{N: 1, M: 1, Val: []float64{1}}, []float64{0}).RowSum
	m.run(context.Background(), fwset.L1Ball{D: 1, R: 1}, zero{}, io.Discard, nil)
	if math.Signbit(m.w[0]) {
		t.Error("the weight -0")
	}
}

// zero is a method that goes to -0.
type zero struct{}

func (zero) Steps(o *fwopt.Oracle, w0 []float64) iter.Seq[fwopt.Step] {
	return func(yield func(fwopt.Step) bool) {
		yield(fwopt.Step{T: 1, K: 1, X: []float64{math.Copysign(0, -1)}})
	}
}

// Ratings of rank one are completed, an unknown user gets the mean, and what is written is what is counted.
func TestCompletion(t *testing.T) {
	var train, test strings.Builder
	rng := rand.New(rand.NewPCG(7, 7))
	for u := range 20 {
		for i := range 15 {
			to := &train
			if rng.IntN(4) == 0 {
				to = &test
			}
			fmt.Fprintf(to, "u%d,i%d,%g\n", u, i, 3+math.Copysign(1, float64(u%3)-0.5)*math.Copysign(1,
				float64(i%2)-0.5))
		}
	}
	test.WriteString("nobody,i1,3\n")
	files := map[string]string{"a.csv": train.String(), "t.csv": test.String()}
	_, out, err := run(t, files,
		"fit --set completion --radius 18 --gap 0.01 --test t.csv --predictions p.csv a.csv")
	_, after, _ := strings.Cut(out, "t.csv: root mean square error ")
	var rmse, f, gap, sum, trained float64
	fmt.Sscan(after, &rmse)
	_, after, _ = strings.Cut(out, "\na.csv: root mean square error ")
	fmt.Sscan(after, &trained)
	_, after, _ = strings.Cut(out, "\nf = ")
	fmt.Sscanf(after, "%g, proven to be at most %g", &f, &gap)
	p, want := readCSV(t, "p.csv"), strings.Split(strings.TrimSpace(test.String()), "\n")
	for k, line := range want {
		sum += math.Pow(parse1(t, p[1+k][1])-parse1(t, line[strings.LastIndexByte(line, ',')+1:]), 2)
	}
	if err != nil || len(p) != 1+len(want) || math.Abs(math.Sqrt(sum/float64(len(want)))-rmse) > 1e-3*rmse ||
		math.Abs(trained*trained/2-f) > 1e-3*f || !(rmse < 0.3) || !(gap > 0 && gap < 0.01) {
		t.Errorf("%v, %s: %g over %d", err, out, sum, len(want))
	}
	if _, _, err := run(t, files, "fit --set completion --radius 18 --loss huber a.csv"); status(err) != 2 {
		t.Error(err)
	}
	if _, _, err := run(t, files, "fit --set completion --radius 18 --test b.csv a.csv"); status(err) != 1 {
		t.Error(err)
	}
}

// An interrupt leaves weights and their gap.
func TestInterrupt(t *testing.T) {
	text, _, _ := drawn(200, 6, digits)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.csv"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var b bytes.Buffer
	err := command(ctx, strings.Fields("fit --radius 2 --weights w.csv a.csv"), &b, nil)
	if w := readCSV(t, "w.csv"); !errors.Is(err, errEarly) || len(w) != 8 || !strings.Contains(b.String(),
		"proven to be at most") {
		t.Errorf("%v, %q, %s", err, w, b.String())
	}
}
