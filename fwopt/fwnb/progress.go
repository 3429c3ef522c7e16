package fwnb

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"
	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"github.com/projection-free/fwlab/fwopt/internal/num"
)

// pause is the least time between two updates, and before the first: a run that
// is over by then shows nothing.
const pause = 200 * time.Millisecond

// Progress shows how far a run is: in a notebook a line and the curve of the
// loss so far, in one display; on a terminal one line; in a pipe nothing.
type Progress struct {
	title string
	mu    sync.Mutex
	begun time.Time
	last  time.Time // of the last update, or of the start
	id    string    // of the display, once there is one
	wrote int       // letters now on the terminal's line
}

var now = time.Now // for the tests

// NewProgress returns the progress of a run that starts now. Nothing is shown
// before the first Update.
func NewProgress(title string) *Progress {
	return &Progress{title: title, begun: now(), last: now()}
}

// Update shows the trace so far, at most five times a second: at is where the
// run is, done is the share of the budget that is spent, 0 if unknown. An update
// that is shown costs about a millisecond, any other nothing.
func (p *Progress) Update(tr *fwopt.Trace, at fwopt.Point, done float64) {
	need.Given("fwnb", "the Progress", p == nil)
	p.mu.Lock()
	defer p.mu.Unlock()
	if now().Sub(p.last) < pause || tty == nil && !notebook() {
		return
	}
	state, spent := p.line(tr, at, done)
	p.put(state, spent, func() string { return p.page(state, spent, tr.Points, done) })
}

// put shows two lines, in a notebook as a page.
func (p *Progress) put(state, spent string, page func() string) {
	if notebook() {
		if p.id == "" {
			p.id = cmp.Or(place(), "fwnb_"+gonbui.UniqueId())
		}
		p.display(page(), strings.TrimSuffix(state+"\n"+spent, "\n"))
	} else {
		p.write(strings.ReplaceAll(strings.TrimRight(state+"  "+spent, " "), "\n", "  "))
	}
	p.last = now()
}

// Count shows how many of n parts are done, at most five times a second, as Update
// shows a trace.
func (p *Progress) Count(done, n int) {
	need.Given("fwnb", "the Progress", p == nil)
	p.mu.Lock()
	defer p.mu.Unlock()
	if now().Sub(p.last) < pause || tty == nil && !notebook() {
		return
	}
	line := fmt.Sprintf("%s  %d of %d done  %.0f s", p.title, done, n, now().Sub(p.begun).Seconds())
	p.put(line, "", func() string { return p.page(line, "", nil, float64(done)/float64(n)) })
}

// Done takes the display or the line away. The next figure or text of the
// program takes its place.
func (p *Progress) Done() {
	need.Given("fwnb", "the Progress", p == nil)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.id != "" {
		p.display("", "")
		flush()
		vacant.Lock()
		vacant.id, p.id = p.id, ""
		vacant.Unlock()
	}
	if p.wrote > 0 {
		p.write("")
		fmt.Fprint(tty, "\r")
	}
}

func (p *Progress) display(page, line string) {
	send(&protocol.DisplayData{
		Data:      map[protocol.MIMEType]any{protocol.MIMETextHTML: page, protocol.MIMETextPlain: line},
		DisplayID: p.id,
	})
}

// write replaces the terminal's line, which has room for 79 letters.
func (p *Progress) write(s string) {
	if r := []rune(s); len(r) > 79 {
		s = string(r[:79])
	}
	n := utf8.RuneCountInString(s)
	fmt.Fprint(tty, "\r"+s+strings.Repeat(" ", max(0, p.wrote-n)))
	p.wrote = n
}

// line tells how far the run is, and what it has spent.
func (p *Progress) line(tr *fwopt.Trace, at fwopt.Point, done float64) (state, spent string) {
	state = p.title
	if done > 0 {
		state += fmt.Sprintf(" %.0f %%", 100*min(done, 1))
	}
	if f := loss(tr, at); !math.IsNaN(f) {
		state += fmt.Sprintf("  f = %.5g", f)
	}
	state += fmt.Sprintf("  %.1f s  step %s (t = %d, k = %d)", at.Seconds, num.Thousands(at.Step), at.T, at.K)
	spent = calls(at.Calls)
	if tr.Note != "" {
		spent += "\n" + tr.Note
	}
	return state, spent
}

// loss returns the f that was recorded last.
func loss(tr *fwopt.Trace, at fwopt.Point) float64 {
	if math.IsNaN(at.F) && len(tr.Points) > 0 {
		return tr.Last().F
	}
	return at.F
}

func calls(c fwopt.Calls) string {
	var s []string
	for _, n := range []struct {
		n    int
		name string
	}{{c.Exact, "exact"}, {c.Stochastic, "stochastic"}, {c.Linear, "linear"}, {c.Projections, "projections"}} {
		if n.n > 0 {
			s = append(s, num.Thousands(n.n)+" "+n.name)
		}
	}
	return strings.Join(s, ", ")
}

const curveWidth, curveHeight = 400, 120

// page is the display in a notebook: two lines or three, a bar, and the curve. An SVG in
// an img element needs no drawing here, and is shown where SVG itself is not.
func (p *Progress) page(state, spent string, points []fwopt.Point, done float64) string {
	s := `<pre style="margin:0">` + escape.Replace(state+"\n"+spent) + "</pre>"
	if done > 0 {
		s += fmt.Sprintf(`<progress value="%.3f" max="1" style="width:%dpx"></progress><br>`, min(done, 1), curveWidth)
	}
	if svg := curve(points); svg != "" {
		s += fmt.Sprintf(`<img width="%d" height="%d" alt="f so far" src="data:image/svg+xml;base64,%s">`,
			curveWidth, curveHeight, base64.StdEncoding.EncodeToString([]byte(svg)))
	}
	return s
}

var escape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")

// curve draws f against seconds as an SVG, with the numbers at its ends. If all
// f are positive the height is their logarithm. It returns "" for fewer than
// two points.
func curve(points []fwopt.Point) string {
	lo, hi, end := math.Inf(1), math.Inf(-1), 0.0
	var good []fwopt.Point
	for _, p := range points {
		if !math.IsNaN(p.F) && !math.IsInf(p.F, 0) {
			lo, hi, end = min(lo, p.F), max(hi, p.F), max(end, p.Seconds)
			good = append(good, p)
		}
	}
	if len(good) < 2 || !(end > 0) {
		return ""
	}
	height, how := func(f float64) float64 { return (f - lo) / (hi - lo) }, ""
	if lo > 0 {
		height, how = func(f float64) float64 { return math.Log(f/lo) / math.Log(hi/lo) }, ", log scale"
	}
	const left, right, top, bottom = 4, curveWidth - 4, 5, curveHeight - 22
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d">`, curveWidth, curveHeight)
	fmt.Fprintf(&b, `<rect x="0.5" y="0.5" width="%d" height="%d" fill="#fff" stroke="#ddd"/>`, curveWidth-1, curveHeight-18)
	b.WriteString(`<polyline fill="none" stroke="#0072b2" stroke-width="2" points="`)
	last := -1
	for i, p := range good {
		y := 0.5
		if hi > lo {
			y = height(p.F)
		}
		x := left + (right-left)*p.Seconds/end
		if int(x) == last && i < len(good)-1 { // one point for each pixel
			continue
		}
		last = int(x)
		fmt.Fprintf(&b, "%.1f,%.1f ", x, bottom-(bottom-top)*y)
	}
	b.WriteString(`"/><g font-family="sans-serif" font-size="11" fill="#888">`)
	for _, l := range []struct {
		x      int
		anchor string
		text   string
	}{
		{0, "start", "0 s"},
		{curveWidth / 2, "middle", fmt.Sprintf("f between %.4g and %.4g%s", lo, hi, how)},
		{curveWidth, "end", fmt.Sprintf("%.1f s", end)},
	} {
		fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="%s">%s</text>`, l.x, curveHeight-4, l.anchor, l.text)
	}
	return b.String() + "</g></svg>"
}
