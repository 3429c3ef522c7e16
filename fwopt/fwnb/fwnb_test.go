package fwnb

import (
	"bytes"
	"encoding/base64"
	"encoding/gob"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/janpfeifer/gonb/gonbui/protocol"
	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/num"
)

// stage puts a notebook, a terminal or a pipe and a clock in place for a test.
type stage struct {
	sent   []*protocol.DisplayData
	synced int // how many had been sent at the last flush
	term   bytes.Buffer
	clock  time.Time
}

func set(t *testing.T, isNotebook, isTerminal bool) *stage {
	s := &stage{clock: time.Unix(1e9, 0)}
	n, d, f, w, c := notebook, send, flush, tty, now
	t.Cleanup(func() { notebook, send, flush, tty, now = n, d, f, w, c; place() })
	notebook = func() bool { return isNotebook }
	send = func(d *protocol.DisplayData) { s.sent = append(s.sent, d) }
	flush = func() { s.synced = len(s.sent) }
	tty = nil
	if isTerminal {
		tty = &s.term
	}
	now = func() time.Time { return s.clock }
	return s
}

func at(k int) fwopt.Point {
	return fwopt.Point{Step: k, T: 1, K: k, Seconds: float64(k) / 100, F: 3 / float64(k+1), DualityGap: math.NaN(),
		Calls: fwopt.Calls{Exact: 2, Stochastic: 1000 * k, Linear: k + 1}}
}

func TestShow(t *testing.T) {
	s := set(t, true, false)
	Figure{PNG: []byte("png"), SVG: []byte("<svg/>"), Width: 576, Height: 346, Alt: "alt"}.Show()
	if len(s.sent) != 1 || s.synced != 1 {
		t.Fatalf("%d displays, %d complete", len(s.sent), s.synced)
	}
	d := s.sent[0]
	if string(d.Data["image/png"].([]byte)) != "png" || d.Data["image/svg+xml"] != "<svg/>" || d.Data["text/plain"] != "alt" || len(d.Data) != 3 {
		t.Errorf("%v", d.Data)
	}
	if m := d.Metadata["image/png"].(map[string]int); m["width"] != 576 || m["height"] != 346 {
		t.Errorf("%v", d.Metadata)
	}
	if d = s.sent[0]; d.Metadata[vegaLite] != nil {
		t.Error("a figure without Vega has it")
	}
	Figure{Alt: "no picture"}.Show()
	if d = s.sent[1]; len(d.Data) != 1 {
		t.Errorf("%v", d.Data)
	}
}

// A figure that slides goes as JSON, in types that the kernel knows, without the menu of Vega; what is none is a panic.
func TestShowVega(t *testing.T) {
	s := set(t, true, false)
	Figure{PNG: []byte("png"), Vega: []byte(`{"layer": [1, {"mark": "line"}], "width": 420}`)}.Show()
	d := s.sent[0]
	spec, ok := d.Data[vegaLite].(map[string]any)
	if !ok || len(spec["layer"].([]any)) != 2 || d.Data["image/png"] == nil {
		t.Fatalf("%v", d.Data)
	}
	if o := d.Metadata[vegaLite].(map[string]any)["embed_options"].(map[string]any); o["actions"] != false {
		t.Errorf("%v", d.Metadata)
	}
	var pipe bytes.Buffer
	if err := gob.NewEncoder(&pipe).Encode(d); err != nil {
		t.Error(err)
	}
	defer func() {
		if p := fmt.Sprint(recover()); !strings.HasPrefix(p, "fwnb: the Vega of a figure: ") {
			t.Errorf("%q", p)
		}
	}()
	Figure{Vega: []byte("no JSON")}.Show()
}

func TestMarkdown(t *testing.T) {
	s := set(t, true, false)
	Markdown("**a** $x^2$")
	Table([]string{"method", "seconds"}, []string{"SVRF", "1.5"})
	if len(s.sent) != 2 || s.synced != 2 {
		t.Fatalf("%d displays, %d complete", len(s.sent), s.synced)
	}
	if d := s.sent[0].Data; d["text/markdown"] != "**a** $x^2$" || d["text/plain"] != "**a** $x^2$" {
		t.Errorf("%v", d)
	}
	if d := s.sent[1].Data; !strings.HasPrefix(d["text/markdown"].(string), "| method | seconds |\n") {
		t.Errorf("%v", d)
	}
}

func TestTable(t *testing.T) {
	got := table([][]string{
		{"method", "s", "note"},
		{"SVRF", "1,250.5", "a|b"},
		{"SFW", "−3e−2 ± 1", "two\nlines", "extra"},
		{"SGD"},
	})
	want := `
| method |         s | note      |       |
|:-------|----------:|:----------|:------|
| SVRF   |   1,250.5 | a\|b      |       |
| SFW    | −3e−2 ± 1 | two lines | extra |
| SGD    |           |           |       |
`
	if got != want[1:] {
		t.Errorf("\n%s", got)
	}
	if table(nil) != "" || table([][]string{{}}) != "|\n|\n" {
		t.Error("empty tables")
	}
}

// Why a run is not kept stands where it is announced.
func TestProgressNote(t *testing.T) {
	for _, isNotebook := range []bool{true, false} {
		s := set(t, isNotebook, true)
		p := NewProgress("own")
		s.clock = s.clock.Add(time.Second)
		p.Update(&fwopt.Trace{Note: "not kept: T has no method Identify", Points: []fwopt.Point{at(0)}}, at(1), 0)
		said := s.term.String()
		if isNotebook {
			said = s.sent[0].Data["text/html"].(string)
			if text := s.sent[0].Data["text/plain"].(string); strings.Count(text, "not kept: T") != 1 {
				t.Errorf("%q", text)
			}
		} else if strings.Contains(said, "\n") {
			t.Errorf("more than one line: %q", said)
		}
		if isNotebook && strings.Count(said, "not kept: T") != 1 {
			t.Errorf("%q", said)
		}
	}
}

// A run of 10 s with a step each 10 ms, seen in a notebook.
func TestProgressNotebook(t *testing.T) {
	s := set(t, true, true)
	p := NewProgress("SVRF <1>")
	tr := &fwopt.Trace{Method: "SVRF", Points: []fwopt.Point{at(0)}}
	for k := 1; k <= 1000; k++ {
		s.clock = s.clock.Add(10 * time.Millisecond)
		q := at(k)
		if k%7 == 0 {
			tr.Points = append(tr.Points, q)
		} else {
			q.F = math.NaN()
		}
		p.Update(tr, q, float64(k)/1000)
		if k == 19 && len(s.sent) > 0 {
			t.Error("a short run is shown")
		}
	}
	if n := len(s.sent); n < 45 || n > 50 {
		t.Errorf("%d updates in 10 s", n)
	}
	id := s.sent[0].DisplayID
	for _, d := range s.sent {
		if d.DisplayID != id || id == "" {
			t.Fatalf("display %q after %q", d.DisplayID, id)
		}
	}
	last := s.sent[len(s.sent)-1]
	want := "SVRF <1> 100 %  f = 0.0030151  10.0 s  step 1,000 (t = 1, k = 1000)\n2 exact, 1,000,000 stochastic, 1,001 linear"
	if last.Data["text/plain"] != want {
		t.Errorf("%q, want %q", last.Data["text/plain"], want)
	}
	page := last.Data["text/html"].(string)
	if !strings.Contains(page, "SVRF &lt;1&gt; 100 %") || !strings.Contains(page, `<progress value="1.000"`) {
		t.Errorf("page %.300s", page)
	}
	m := regexp.MustCompile(`<img width="400" height="120" alt="f so far" src="data:image/svg[+]xml;base64,([^"]*)">`).FindStringSubmatch(page)
	if m == nil {
		t.Fatalf("no curve in %.300s", page)
	}
	svg, err := base64.StdEncoding.DecodeString(m[1])
	if err != nil || !strings.Contains(string(svg), ">f between 0.003015 and 3, log scale</text>") || !strings.Contains(string(svg), ">9.9 s</text>") {
		t.Errorf("%v, %s", err, svg)
	}
	p.Done()
	n := len(s.sent)
	if d := s.sent[n-1]; d.DisplayID != id || d.Data["text/html"] != "" || d.Data["text/plain"] != "" || s.synced != n {
		t.Errorf("at the end %q, complete %v", d.Data, s.synced == n)
	}
	if s.term.Len() > 0 {
		t.Error("a notebook's program wrote to its terminal")
	}

	// the next run, then the figure, take its place; a second figure has its own
	p = NewProgress("SFW")
	s.clock = s.clock.Add(time.Second)
	p.Update(tr, at(5), 0)
	p.Done()
	Figure{}.Show()
	Figure{}.Show()
	for i, want := range []string{id, id, id, ""} {
		if got := s.sent[n+i].DisplayID; got != want {
			t.Errorf("display %d in %q, want %q", i, got, want)
		}
	}
	if p := s.sent[n].Data["text/plain"].(string); !strings.HasPrefix(p, "SFW  f = 0.5  ") {
		t.Errorf("unknown share: %q", p)
	}
	p = NewProgress("over before it is seen")
	p.Update(tr, at(5), 0)
	p.Done()
	if len(s.sent) != n+4 {
		t.Error("a run that was not shown cleared something")
	}
}

// On a terminal there is one line, and nothing is left of it.
func TestProgressTerminal(t *testing.T) {
	s := set(t, false, true)
	p := NewProgress("SVRF")
	tr := &fwopt.Trace{Points: []fwopt.Point{at(0)}}
	for k := 1; k <= 300; k++ {
		s.clock = s.clock.Add(10 * time.Millisecond)
		q := at(k)
		if k > 100 {
			q.T, q.Calls = 0, fwopt.Calls{} // a shorter line after a longer one
		}
		p.Update(tr, q, float64(k)/300)
	}
	seen := s.term.String()
	if strings.Contains(seen, "\n") || !strings.HasPrefix(seen, "\rSVRF 7 %  f = 0.14286  0.2 s  step 20 (t = 1, k = 20)  2 exact, 20,000 stocha") {
		t.Errorf("%q", seen)
	}
	if n := strings.Count(seen, "\r"); n != 15 {
		t.Errorf("%d lines in 3 s", n)
	}
	p.Done()
	// what a terminal shows of it
	var screen []rune
	col := 0
	for _, r := range s.term.String() {
		if r == '\r' {
			col = 0
			continue
		}
		for col >= len(screen) {
			screen = append(screen, ' ')
		}
		screen[col] = r
		col++
	}
	if left := strings.TrimSpace(string(screen)); left != "" || col != 0 || len(screen) > 79 {
		t.Errorf("left %q, cursor at %d of %d", left, col, len(screen))
	}
	for _, l := range strings.Split(seen, "\r") {
		if utf8.RuneCountInString(l) > 79 {
			t.Errorf("a line of %d letters", utf8.RuneCountInString(l))
		}
	}
	s.term.Reset()
	note("saved")
	if s.term.String() != "saved\n" {
		t.Errorf("%q", s.term.String())
	}
}

// In a pipe there is nothing. The program is this test, run again with its
// output in pipes.
func TestPipe(t *testing.T) {
	if os.Getenv("FWNB_CHILD") == "pipe" {
		p := NewProgress("SVRF")
		now = func() time.Time { return time.Now().Add(time.Hour) }
		p.Update(&fwopt.Trace{}, at(1), 0.5)
		p.Done()
		Figure{Alt: "alt"}.Show()
		Markdown("text")
		Table([]string{"a"})
		note("note")
		os.Exit(0)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestPipe$")
	cmd.Env = append(os.Environ(), "FWNB_CHILD=pipe", "GONB_PIPE=")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil || out.Len() > 0 {
		t.Errorf("%v, %q", err, out.String())
	}
}

func TestTerminal(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	file, err := os.Create(t.TempDir() + "/f")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for _, f := range []*os.File{w, null, file, nil} {
		if terminal(f) != nil {
			t.Errorf("%v is a terminal", f)
		}
	}
	if f, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0); err == nil {
		defer f.Close()
		if terminal(f) == nil {
			t.Error("a terminal is none")
		}
	}
}

// The curve goes from the top left to the bottom right as f falls, and bad
// values do no harm.
func TestCurve(t *testing.T) {
	pt := func(sec, f float64) fwopt.Point { return fwopt.Point{Seconds: sec, F: f} }
	for _, few := range [][]fwopt.Point{nil, {pt(0, 1)}, {pt(0, 1), pt(1, math.NaN())}, {pt(0, 1), pt(0, 2)}} {
		if svg := curve(few); svg != "" {
			t.Errorf("a curve of %v", few)
		}
	}
	var many []fwopt.Point
	for k := range 100000 {
		many = append(many, pt(float64(k), 1))
	}
	for name, c := range map[string]struct {
		points []fwopt.Point
		want   string
	}{
		"positive": {[]fwopt.Point{pt(0, 1), pt(1, math.Inf(1)), pt(5, 0.1), pt(7, math.NaN()), pt(10, 0.01)}, "4.0,5.0 200.0,51.5 396.0,98.0 "},
		"negative": {[]fwopt.Point{pt(0, 1), pt(5, -1), pt(10, -3)}, "4.0,5.0 200.0,51.5 396.0,98.0 "},
		"rising":   {[]fwopt.Point{pt(0, 1), pt(10, 2)}, "4.0,98.0 396.0,5.0 "},
		"flat":     {[]fwopt.Point{pt(0, 1), pt(10, 1)}, "4.0,51.5 396.0,51.5 "},
		"many":     {many, ""},
	} {
		svg := curve(c.points)
		for d := xml.NewDecoder(strings.NewReader(svg)); ; {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatal(name, err)
			}
		}
		got := regexp.MustCompile(` points="([^"]*)"`).FindStringSubmatch(svg)[1]
		if got != c.want && c.want != "" {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		if len(svg) > 8000 || !strings.HasPrefix(got, "4.0,") || !strings.Contains(got, " 396.0,") {
			t.Errorf("%s: %d bytes, %.20q", name, len(svg), got)
		}
	}
}

func TestThousands(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -123: "-123", -1234: "-1,234"} {
		if got := num.Thousands(n); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
}

// A cell with progress must link fast.
func TestImports(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Skip(err)
	}
	for _, p := range []string{"gonum.org/v1/plot", "fwopt/fwplot", "net/http"} {
		if strings.Contains(string(out), p) {
			t.Errorf("fwnb imports %s", p)
		}
	}
}

func BenchmarkUpdate(b *testing.B) {
	notebook, send = func() bool { return true }, func(*protocol.DisplayData) {}
	clock := time.Now()
	now = func() time.Time { clock = clock.Add(time.Second); return clock }
	tr := &fwopt.Trace{}
	for k := range 1000 {
		tr.Points = append(tr.Points, at(k))
	}
	p := NewProgress("SVRF")
	for b.Loop() {
		p.Update(tr, at(1000), 0.5)
	}
}
