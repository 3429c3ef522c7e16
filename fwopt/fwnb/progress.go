package fwnb

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"
	"github.com/projection-free/fwlab/fwopt"
)

// pause is the least time between two updates, and before the first: a run that
// is over by then shows nothing.
const pause = 200 * time.Millisecond

// Progress shows how far a run is: in a notebook a line and the curve of the
// loss so far, in one display; on a terminal one line; in a pipe nothing.
type Progress struct {
	title string
	mu    sync.Mutex
	last  time.Time // of the last update, or of the start
	id    string    // of the display, once there is one
	wrote int       // letters now on the terminal's line
}

var now = time.Now // for the tests

// NewProgress returns the progress of a run that starts now. Nothing is shown
// before the first Update.
func NewProgress(title string) *Progress {
	return &Progress{title: title, last: now()}
}

// Update shows the trace so far, at most five times a second: at is where the
// run is, done is the share of the budget that is spent, 0 if unknown. An update
// that is shown costs a few milliseconds, any other nothing.
func (p *Progress) Update(tr *fwopt.Trace, at fwopt.Point, done float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now().Sub(p.last) < pause || tty == nil && !notebook() {
		return
	}
	state, spent := p.line(tr, at, done)
	if notebook() {
		if p.id == "" {
			p.id = cmp.Or(place(), "fwnb_"+gonbui.UniqueId())
		}
		p.display(p.page(tr, at, done), state+"\n"+spent)
	} else {
		p.write(state + "  " + spent)
	}
	p.last = now()
}

// Done takes the display or the line away. The next figure or text of the
// program takes its place.
func (p *Progress) Done() {
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
	state += fmt.Sprintf("  %.1f s  step %s (t = %d, k = %d)", at.Seconds, thousands(at.Step), at.T, at.K)
	return state, calls(at.Calls)
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
			s = append(s, thousands(n.n)+" "+n.name)
		}
	}
	return strings.Join(s, ", ")
}

// thousands writes 1234567 as 1,234,567.
func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

const curveWidth, curveHeight = 400, 120 // on the screen; drawn at twice the size

// page is the display in a notebook: two lines, a bar, and the curve.
func (p *Progress) page(tr *fwopt.Trace, at fwopt.Point, done float64) string {
	escape := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")
	state, spent := p.line(tr, at, done)
	s := `<pre style="margin:0">` + escape.Replace(state+"\n"+spent) + "</pre>"
	if done > 0 {
		s += fmt.Sprintf(`<progress value="%.3f" max="1" style="width:%dpx"></progress>`, min(done, 1), curveWidth)
	}
	if img, about := curve(tr.Points); img != nil {
		var b bytes.Buffer
		enc := png.Encoder{CompressionLevel: png.BestSpeed}
		enc.Encode(&b, img) // a Buffer has no errors
		s += fmt.Sprintf(`<br><img width="%d" height="%d" alt="%s" src="data:image/png;base64,%s"><pre style="margin:0">%s</pre>`,
			curveWidth, curveHeight, escape.Replace(about), base64.StdEncoding.EncodeToString(b.Bytes()), escape.Replace(about))
	}
	return s
}

// curve draws f against seconds, and says between which values. If all are
// positive the height is their logarithm. It returns nil for fewer than two
// points.
func curve(points []fwopt.Point) (img *image.Paletted, about string) {
	lo, hi, end := math.Inf(1), math.Inf(-1), 0.0
	n := 0
	for _, p := range points {
		if !math.IsNaN(p.F) && !math.IsInf(p.F, 0) {
			lo, hi, end = min(lo, p.F), max(hi, p.F), max(end, p.Seconds)
			n++
		}
	}
	if n < 2 || !(end > 0) {
		return nil, ""
	}
	scale, how := func(f float64) float64 { return (f - lo) / (hi - lo) }, ""
	if lo > 0 {
		scale, how = func(f float64) float64 { return math.Log(f/lo) / math.Log(hi/lo) }, ", logarithmic"
	}
	about = fmt.Sprintf("f between %.5g and %.5g%s, against seconds up to %.1f", lo, hi, how, end)

	const w, h, margin = 2 * curveWidth, 2 * curveHeight, 6
	white, frame, line := color.White, color.Gray{0xDD}, color.RGBA{0x00, 0x72, 0xB2, 0xFF}
	img = image.NewPaletted(image.Rect(0, 0, w, h), color.Palette{white, frame, line})
	for x := range w {
		img.SetColorIndex(x, 0, 1)
		img.SetColorIndex(x, h-1, 1)
	}
	for y := range h {
		img.SetColorIndex(0, y, 1)
		img.SetColorIndex(w-1, y, 1)
	}
	px, py := -1, -1
	for _, p := range points {
		if math.IsNaN(p.F) || math.IsInf(p.F, 0) {
			continue
		}
		y := 0.5
		if hi > lo {
			y = scale(p.F)
		}
		x := margin + int(p.Seconds/end*(w-2*margin))
		v := h - margin - int(y*(h-2*margin))
		if px >= 0 {
			stroke(img, px, py, x, v)
		}
		px, py = x, v
	}
	return img, about
}

// stroke draws a segment, four pixels thick.
func stroke(img *image.Paletted, x0, y0, x1, y1 int) {
	n := max(x1-x0, x0-x1, y1-y0, y0-y1, 1)
	for i := range n + 1 {
		x, y := x0+(x1-x0)*i/n, y0+(y1-y0)*i/n
		for dx := -2; dx < 2; dx++ {
			for dy := -2; dy < 2; dy++ {
				if pt := image.Pt(x+dx, y+dy); pt.In(img.Rect) {
					img.SetColorIndex(pt.X, pt.Y, 2)
				}
			}
		}
	}
}
