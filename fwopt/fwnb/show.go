// Package fwnb is what a program needs of the notebook it runs in: to show figures and tables, and the
// progress of a run. In a notebook it displays, on a terminal it writes one line that is gone when the run is
// done, and in a pipe nothing. It does not link gonum/plot.
//
// Every display is complete before the call returns: GoNB may lose what is under way when a program ends.
package fwnb

import (
	"encoding/gob"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"
	"github.com/projection-free/fwlab/fwopt/internal/need"
)

// Figure is a drawing in two formats that look alike, by fwplot.Grid; one of fwplot.Moving has a third.
type Figure struct {
	PNG, SVG      []byte
	Vega          []byte // in the language Vega-Lite 5, in JSON; or nil
	Width, Height int    // on the screen, in pixels of 1/96 inch
	Alt           string // the same in a sentence, with the last values
}

// Show displays the figure in the notebook. The page shows the SVG where it is trusted and the PNG where it
// is not, and its file keeps both. JupyterLab shows Vega in their place if there is one: its slider needs no
// kernel, no network and no trust. What is no JSON is a panic. Elsewhere Show does nothing.
func (f Figure) Show() {
	data := map[protocol.MIMEType]any{protocol.MIMETextPlain: f.Alt}
	if len(f.PNG) > 0 {
		data[protocol.MIMEImagePNG] = f.PNG
	}
	if len(f.SVG) > 0 {
		data[protocol.MIMEImageSVG] = string(f.SVG)
	}
	metadata := map[string]any{"image/png": map[string]int{"width": f.Width, "height": f.Height}}
	if len(f.Vega) > 0 {
		var spec map[string]any
		if err := json.Unmarshal(f.Vega, &spec); err != nil {
			panic(need.Line("fwnb: the Vega of a figure: " + err.Error()))
		}
		data[vegaLite] = spec
		// without the menu, which leads to a web site
		metadata[vegaLite] = map[string]any{"embed_options": map[string]any{"actions": false}}
	}
	display(data, metadata)
}

const vegaLite = "application/vnd.vegalite.v5+json"

// A kernel takes what JSON is made of, if it is told the types.
func init() {
	gob.Register(map[string]any{})
	gob.Register([]any{})
}

// Markdown displays a text in the notebook, with formulas between dollar signs. Elsewhere it does nothing.
func Markdown(text string) {
	display(map[protocol.MIMEType]any{protocol.MIMETextMarkdown: text, protocol.MIMETextPlain: text}, nil)
}

// Table displays a table in the notebook. The first row is the heading; columns of numbers are aligned right.
// Elsewhere it does nothing.
func Table(rows ...[]string) { Markdown(table(rows)) }

// table writes a table in Markdown that is aligned as plain text too.
func table(rows [][]string) string {
	cols := 0
	for _, row := range rows {
		cols = max(cols, len(row))
	}
	plain := strings.NewReplacer("|", `\|`, "\n", " ")
	cell := func(i, j int) string {
		if j >= len(rows[i]) {
			return ""
		}
		return plain.Replace(rows[i][j])
	}
	width, right := make([]int, cols), make([]bool, cols)
	for j := range cols {
		width[j], right[j] = 3, len(rows) > 1
		for i := range rows {
			width[j] = max(width[j], utf8.RuneCountInString(cell(i, j)))
			if i > 0 && !numeric(cell(i, j)) {
				right[j] = false
			}
		}
	}
	var b strings.Builder
	for i := range rows {
		for j := range cols {
			s := cell(i, j)
			pad := strings.Repeat(" ", width[j]-utf8.RuneCountInString(s))
			if right[j] {
				s, pad = pad, s
			}
			b.WriteString("| " + s + pad + " ")
		}
		b.WriteString("|\n")
		if i > 0 {
			continue
		}
		for j := range cols {
			rule := ":" + strings.Repeat("-", width[j]+1)
			if right[j] {
				rule = rule[1:] + ":"
			}
			b.WriteString("|" + rule)
		}
		b.WriteString("|\n")
	}
	return b.String()
}

// numeric reports whether a cell is a number, a unit allowed, or empty.
func numeric(s string) bool {
	s, _, _ = strings.Cut(strings.TrimSpace(s), " ")
	s = strings.NewReplacer("−", "-", ",", "", "%", "", "±", "").Replace(s)
	_, err := strconv.ParseFloat(s, 64)
	return err == nil || s == "" || s == "-" || s == "–"
}

// note tells the reader something about a run: in the notebook, or in a line on the terminal.
func note(s string) {
	if notebook() {
		display(map[protocol.MIMEType]any{protocol.MIMETextPlain: s}, nil)
	} else if tty != nil {
		fmt.Fprintln(tty, s)
	}
}

// Where things go. The tests put others in their place.
var (
	notebook = func() bool { return gonbui.IsNotebook }
	send     = gonbui.SendData
	flush    = func() {
		done := make(chan struct{})
		go func() { gonbui.Sync(); close(done) }()
		select {
		case <-done:
		case <-time.After(5 * time.Second): // without a kernel Sync waits for ever
		}
	}
	tty = terminal(os.Stderr)
)

// terminal returns f if it is a terminal, and else nil.
func terminal(f *os.File) io.Writer {
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return nil
	}
	if null, err := os.Stat(os.DevNull); err == nil && os.SameFile(info, null) {
		return nil
	}
	return f
}

// vacant is the place of a progress display that is done. The next display of the program takes it, so that
// no empty output is left on the page.
var vacant struct {
	sync.Mutex
	id string
}

// place returns the vacant place, or "".
func place() string {
	vacant.Lock()
	defer vacant.Unlock()
	id := vacant.id
	vacant.id = ""
	return id
}

func display(data map[protocol.MIMEType]any, metadata map[string]any) {
	if !notebook() {
		return
	}
	send(&protocol.DisplayData{Data: data, Metadata: metadata, DisplayID: place()})
	flush()
}
