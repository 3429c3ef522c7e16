package fwnb

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"html"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"
	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/num"
)

// pause is the least time between two updates, and before the first: a run that
// is over by then shows nothing.
const pause = 200 * time.Millisecond

// progress shows how far a run is: in a notebook a line and the curve of the loss so far, in one display; on
// a terminal one line; in a pipe nothing.
type progress struct {
	title string
	begun time.Time
	last  time.Time // of the last update, or of the start
	id    string    // of the display, once there is one
	wrote int       // letters now on the terminal's line
}

var now = time.Now // for the tests

func newProgress(title string) *progress {
	return &progress{title: title, begun: now(), last: now()}
}

// update shows the trace so far, at most five times a second: at is where the run is, done is the share of
// the budget that is spent, 0 if unknown. An update that is shown costs about a millisecond.
func (p *progress) update(tr *fwopt.Trace, at fwopt.Point, done float64) {
	p.show(done, func() (state, spent string, points []fwopt.Point) {
		state, spent = p.line(tr, at, done)
		return state, spent, tr.Points
	})
}

// count shows how many of n parts are done, as update shows a trace.
func (p *progress) count(done, n int) {
	p.show(float64(done)/float64(n), func() (state, spent string, points []fwopt.Point) {
		seconds := now().Sub(p.begun).Seconds()
		return fmt.Sprintf("%s  %d of %d done  %.0f s", p.title, done, n, seconds), "", nil
	})
}

func (p *progress) show(done float64, tell func() (state, spent string, points []fwopt.Point)) {
	if now().Sub(p.last) < pause || tty == nil && !notebook() {
		return
	}
	state, spent, points := tell()
	if notebook() {
		if p.id == "" {
			p.id = cmp.Or(place(), "fwnb_"+gonbui.UniqueId())
		}
		p.display(inPage(state, spent, points, done), strings.TrimSuffix(state+"\n"+spent, "\n"))
	} else {
		p.write(strings.ReplaceAll(strings.TrimRight(state+"  "+spent, " "), "\n", "  "))
	}
	p.last = now()
}

// done takes the display or the line away. The next figure or text of the program takes its place.
func (p *progress) done() {
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

func (p *progress) display(page, line string) {
	send(&protocol.DisplayData{
		Data:      map[protocol.MIMEType]any{protocol.MIMETextHTML: page, protocol.MIMETextPlain: line},
		DisplayID: p.id,
	})
}

// write replaces the terminal's line, which has room for 79 letters.
func (p *progress) write(s string) {
	if r := []rune(s); len(r) > 79 {
		s = string(r[:79])
	}
	n := utf8.RuneCountInString(s)
	fmt.Fprint(tty, "\r"+s+strings.Repeat(" ", max(0, p.wrote-n)))
	p.wrote = n
}

// line tells how far the run is, and what it has spent.
func (p *progress) line(tr *fwopt.Trace, at fwopt.Point, done float64) (state, spent string) {
	state = p.title
	if done > 0 {
		state += fmt.Sprintf(" %.0f %%", 100*min(done, 1))
	}
	f := at.F
	if math.IsNaN(f) && len(tr.Points) > 0 {
		f = tr.Last().F // which was recorded last
	}
	if !math.IsNaN(f) {
		state += fmt.Sprintf("  f = %.5g", f)
	}
	state += fmt.Sprintf("  %.1f s  step %s (t = %d, k = %d)", at.Seconds, num.Thousands(at.Step), at.T, at.K)
	var all []string
	what := [...]string{" exact", " stochastic", " linear", " projections"}
	for i, n := range []int{at.Calls.Exact, at.Calls.Stochastic, at.Calls.Linear, at.Calls.Projections} {
		if n > 0 {
			all = append(all, num.Thousands(n)+what[i])
		}
	}
	if spent = strings.Join(all, ", "); tr.Note != "" {
		spent += "\n" + tr.Note
	}
	return state, spent
}

const curveWidth, curveHeight = 400, 120

// inPage is the display in a notebook: two lines or three, a bar, and the curve. An SVG in an img element is
// shown where SVG itself is not.
func inPage(state, spent string, points []fwopt.Point, done float64) string {
	s := `<pre style="margin:0">` + html.EscapeString(state+"\n"+spent) + "</pre>"
	if done > 0 {
		s += fmt.Sprintf(`<progress value="%.3f" max="1" style="width:%dpx"></progress><br>`,
			min(done, 1), curveWidth)
	}
	if svg := curve(points); svg != "" {
		s += fmt.Sprintf(`<img width="%d" height="%d" alt="f so far" src="data:image/svg+xml;base64,%s">`,
			curveWidth, curveHeight, base64.StdEncoding.EncodeToString([]byte(svg)))
	}
	return s
}

// curve draws f against seconds as an SVG, with the numbers at its ends. If all f are positive the height is
// their logarithm. It returns "" for fewer than two points.
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
	fmt.Fprintf(&b, `<rect x="0.5" y="0.5" width="%d" height="%d" fill="#fff" stroke="#ddd"/>`,
		curveWidth-1, curveHeight-18)
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
	text := func(x int, anchor, format string, a ...any) {
		fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="%s">`+format+`</text>`,
			append([]any{x, curveHeight - 4, anchor}, a...)...)
	}
	text(0, "start", "0 s")
	text(curveWidth/2, "middle", "f between %.4g and %.4g%s", lo, hi, how)
	text(curveWidth, "end", "%.1f s", end)
	return b.String() + "</g></svg>"
}
