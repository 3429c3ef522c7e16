package cells

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// An Error is what parser, compiler or linker say of a program. It names the cell's lines.
type Error struct {
	Text  string // with main.go:LINE:COLUMN
	Lines []Line
	Code  string
}

var (
	place  = regexp.MustCompile(`^.*main\.go:(\d+)(?::(\d+))?: (.*)$`)
	notTab = regexp.MustCompile(`[^\t]`)
)

func (e *Error) Error() string {
	code := strings.Split(e.Code, "\n")
	var out []string
	for _, line := range strings.Split(strings.TrimSpace(e.Text), "\n") {
		m := place.FindStringSubmatch(line)
		if m == nil {
			out = append(out, line)
			continue
		}
		at, _ := strconv.Atoi(m[1])
		if at > 0 && at <= len(e.Lines) && e.Lines[at-1].At >= 0 {
			l := e.Lines[at-1]
			out = append(out, fmt.Sprintf("Cell[%d]: Line %d: %s", l.Cell, l.At+1, m[3]))
		} else {
			out = append(out, m[3])
		}
		if at > 0 && at <= len(code) && strings.TrimSpace(code[at-1]) != "" {
			out = append(out, code[at-1])
			if col, _ := strconv.Atoi(m[2]); col > 0 && col <= len(code[at-1])+1 {
				out = append(out, notTab.ReplaceAllString(code[at-1][:col-1], " ")+"^")
			}
		}
	}
	return strings.Join(out, "\n")
}

var traced = regexp.MustCompile(`\S*main\.go:(\d+)`)

// Trace names the cell's lines in what a program prints as it panics.
func (p *Program) Trace(text string) string {
	return traced.ReplaceAllStringFunc(text, func(s string) string {
		at, _ := strconv.Atoi(traced.FindStringSubmatch(s)[1])
		if at < 1 || at > len(p.Lines) || p.Lines[at-1].At < 0 {
			return s
		}
		l := p.Lines[at-1]
		return fmt.Sprintf("[[ Cell [%d] Line %d ]] %s", l.Cell, l.At+1, s)
	})
}
