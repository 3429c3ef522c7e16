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
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/janpfeifer/gonb/gonbui/protocol"
	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/small"
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
	n, d, f, w, c, i := notebook, send, flush, tty, now, interrupt
	t.Cleanup(func() { notebook, send, flush, tty, now, interrupt = n, d, f, w, c, i; place() })
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
	return fwopt.Point{Step: k, T: 1, K: k, Seconds: float64(k) / 100, F: 3 / float64(k+1),
		DualityGap: math.NaN(),
		Calls:      fwopt.Calls{Exact: 2, Stochastic: 1000 * k, Linear: k + 1}}
}

func TestShow(t *testing.T) {
	s := set(t, true, false)
	Figure{PNG: []byte("png"), SVG: []byte("<svg/>"), Width: 576, Height: 346, Alt: "alt"}.Show()
	Figure{Alt: "no picture"}.Show()
	Markdown("**a** $x^2$")
	Table([]string{"method", "seconds"}, []string{"SVRF", "1.5"})
	var got []string
	for _, d := range s.sent {
		for _, kind := range []protocol.MIMEType{"image/png", "image/svg+xml", "text/markdown",
			"text/plain"} {
			if x, ok := d.Data[kind]; ok {
				got = append(got, fmt.Sprintf("%s", x))
			}
		}
		got = append(got, fmt.Sprint(len(d.Data), d.Metadata))
	}
	text := "| method | seconds |\n|:-------|--------:|\n| SVRF   |     1.5 |\n"
	if want := []string{"png", "<svg/>", "alt", "3 map[image/png:map[height:346 width:576]]",
		"no picture", "1 map[image/png:map[height:0 width:0]]",
		"**a** $x^2$", "**a** $x^2$", "2 map[]", text, text, "2 map[]"}; !slices.Equal(got, want) ||
		s.synced != 4 {
		t.Errorf("%d complete: %q", s.synced, got)
	}
	// A figure that slides goes as JSON, in types that the kernel knows, without the menu of Vega.
	Figure{PNG: []byte("png"), Vega: []byte(`{"layer": [1, {"mark": "line"}], "width": 420}`)}.Show()
	d := s.sent[4]
	spec, ok := d.Data[vegaLite].(map[string]any)
	if !ok || len(spec["layer"].([]any)) != 2 || d.Data["image/png"] == nil ||
		fmt.Sprint(d.Metadata[vegaLite]) != "map[embed_options:map[actions:false]]" {
		t.Errorf("%v, %v", d.Data, d.Metadata)
	}
	if err := gob.NewEncoder(io.Discard).Encode(d); err != nil {
		t.Error(err)
	}
	if p := small.Panics(Figure{Vega: []byte("no JSON")}.Show); !strings.HasPrefix(p,
		"fwnb: the Vega of a figure: ") {
		t.Errorf("%q", p)
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

// A run of 10 s with a step each 10 ms, seen in a notebook.
func TestProgressNotebook(t *testing.T) {
	s := set(t, true, true)
	p := newProgress("SVRF <1>")
	tr := &fwopt.Trace{Method: "SVRF", Points: []fwopt.Point{at(0)}}
	for k := 1; k <= 1000; k++ {
		s.clock = s.clock.Add(10 * time.Millisecond)
		q := at(k)
		if k%7 == 0 {
			tr.Points = append(tr.Points, q)
		} else {
			q.F = math.NaN()
		}
		p.update(tr, q, float64(k)/1000)
		if k == 19 && len(s.sent) > 0 {
			t.Error("a short run is shown")
		}
	}
	if n := len(s.sent); n < 45 || n > 50 {
		t.Errorf("%d updates in 10 s", n)
	}
	id := s.sent[0].DisplayID
	other := func(d *protocol.DisplayData) bool { return d.DisplayID != id }
	if id == "" || slices.ContainsFunc(s.sent, other) {
		t.Errorf("not all in the display %q", id)
	}
	last := s.sent[len(s.sent)-1].Data
	const want = "SVRF <1> 100 %  f = 0.0030151  10.0 s  step 1,000 (t = 1, k = 1000)\n" +
		"2 exact, 1,000,000 stochastic, 1,001 linear"
	if last["text/plain"] != want {
		t.Errorf("%q, want %q", last["text/plain"], want)
	}
	page := last["text/html"].(string)
	if !strings.Contains(page, "SVRF &lt;1&gt; 100 %") || !strings.Contains(page, `<progress value="1.000"`) {
		t.Errorf("page %.300s", page)
	}
	_, m, ok := strings.Cut(page,
		`<img width="400" height="120" alt="f so far" src="data:image/svg+xml;base64,`)
	m, _, _ = strings.Cut(m, `">`)
	svg, err := base64.StdEncoding.DecodeString(m)
	if !ok || err != nil || !strings.Contains(string(svg), ">f between 0.003015 and 3, log scale</text>") ||
		!strings.Contains(string(svg), ">9.9 s</text>") {
		t.Errorf("%v, %s in %.300s", err, svg, page)
	}
	p.done()
	n := len(s.sent)
	if d := s.sent[n-1]; d.DisplayID != id || d.Data["text/html"] != "" || d.Data["text/plain"] != "" ||
		s.synced != n {
		t.Errorf("at the end %q, complete %v", d.Data, s.synced == n)
	}
	if s.term.Len() > 0 {
		t.Error("a notebook's program wrote to its terminal")
	}

	// the next run, then the figure, take its place; a second figure has its own
	p, tr.Note = newProgress("SFW"), "not kept: T has no method Identify"
	s.clock = s.clock.Add(time.Second)
	p.update(tr, at(5), 0)
	p.done()
	Figure{}.Show()
	Figure{}.Show()
	for i, want := range []string{id, id, id, ""} {
		if got := s.sent[n+i].DisplayID; got != want {
			t.Errorf("display %d in %q, want %q", i, got, want)
		}
	}
	said := s.sent[n].Data
	if p := said["text/plain"].(string); !strings.HasPrefix(p, "SFW  f = 0.5  ") ||
		strings.Count(p, "\nnot kept: T") != 1 ||
		strings.Count(said["text/html"].(string), "\nnot kept: T") != 1 {
		t.Errorf("unknown share, and a note: %q", said)
	}
	p = newProgress("over before it is seen")
	p.update(tr, at(5), 0)
	p.done()
	if len(s.sent) != n+4 {
		t.Error("a run that was not shown cleared something")
	}
}

// On a terminal there is one line, and nothing is left of it.
func TestProgressTerminal(t *testing.T) {
	s := set(t, false, true)
	p := newProgress("SVRF")
	tr := &fwopt.Trace{Points: []fwopt.Point{at(0)}, Note: "not kept"}
	for k := 1; k <= 300; k++ {
		s.clock = s.clock.Add(10 * time.Millisecond)
		q := at(k)
		if k > 100 {
			q.T, q.Calls = 0, fwopt.Calls{} // a shorter line after a longer one
		}
		p.update(tr, q, float64(k)/300)
	}
	seen := s.term.String()
	if strings.Contains(seen, "\n") ||
		!strings.HasPrefix(seen,
			"\rSVRF 7 %  f = 0.14286  0.2 s  step 20 (t = 1, k = 20)  2 exact, 20,000 stocha") {
		t.Errorf("%q", seen)
	}
	if n := strings.Count(seen, "\r"); n != 15 {
		t.Errorf("%d lines in 3 s", n)
	}
	p.done()
	wide := 0
	for _, l := range strings.Split(seen, "\r") {
		n := utf8.RuneCountInString(strings.TrimRight(l, " "))
		if wide > utf8.RuneCountInString(l) || n > 79 {
			t.Errorf("a line of %d letters after one of %d", n, wide)
		}
		wide = n
	}
	if end := strings.TrimPrefix(s.term.String(), seen); end != "\r"+strings.Repeat(" ", wide)+"\r" {
		t.Errorf("left at the end: %q after a line of %d", end, wide)
	}
	s.term.Reset()
	note("saved")
	if s.term.String() != "saved\n" {
		t.Errorf("%q", s.term.String())
	}
}

func TestTerminal(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	null := must(os.OpenFile(os.DevNull, os.O_WRONLY, 0))
	defer null.Close()
	file := must(os.Open("show.go"))
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

// The curve goes from the top left to the bottom right as f falls, and bad values do no harm.
func TestCurve(t *testing.T) {
	pt := func(sec, f float64) fwopt.Point { return fwopt.Point{Seconds: sec, F: f} }
	one := pt(0, 1)
	for _, few := range [][]fwopt.Point{nil, {one}, {one, pt(1, math.NaN())}, {one, pt(0, 2)}} {
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
		"positive": {[]fwopt.Point{pt(0, 1), pt(1, math.Inf(1)), pt(5, 0.1), pt(7, math.NaN()), pt(10, 0.01)},
			"4.0,5.0 200.0,51.5 396.0,98.0 "},
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

// must is for what a test needs and does not test.
func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
