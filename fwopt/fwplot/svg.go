package fwplot

import (
	"bytes"
	"fmt"
	"html"
	"math"
	"regexp"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
)

// textElement finds the text of an SVG, its size and its letters.
var textElement = regexp.MustCompile(`<text [^>]*font-family:Liberation Sans;[^>]*font-size:([0-9.]+)px[^>]*>([^<]*)</text>`)

// finish names fonts of the same metrics for where Liberation Sans is missing,
// fixes the length of each text for where these are missing too, gives the SVG
// its text for screen readers, and shortens it.
func finish(svg []byte, alt string) []byte {
	svg = pathData.ReplaceAllFunc(svg, shorten)
	svg = textElement.ReplaceAllFunc(svg, func(e []byte) []byte {
		m := textElement.FindSubmatch(e)
		size, _ := strconv.ParseFloat(string(m[1]), 64)
		w := text.Style{Font: sans(size), Handler: plot.DefaultTextHandler}.Width(unescape.Replace(string(m[2])))
		return fmt.Appendf(nil, `<text textLength="%.1f"%s`, w.Points(), e[len("<text"):])
	})
	svg = bytes.ReplaceAll(svg, []byte("font-family:Liberation Sans"),
		[]byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif"))
	svg = bytes.ReplaceAll(svg, []byte(";font-variant:normal;font-weight:normal;font-style:normal"), nil)
	return bytes.Replace(svg, []byte("<svg "),
		[]byte(`<svg role="img" aria-label="`+html.EscapeString(alt)+`" `), 1)
}

var unescape = strings.NewReplacer("&amp;", "&", "&lt;", "<", "&gt;", ">", "&#34;", `"`, "&#39;", "'")

var pathData = regexp.MustCompile(`d="M[-0-9.,ML]*Z?"`)

// shorten rewrites a path of straight lines in steps of a tenth of a point from
// one end to the next, in less than half of the bytes.
func shorten(d []byte) []byte {
	out := []byte(`d="`)
	path := strings.TrimSuffix(string(d[3:]), `"`)
	path, closed := strings.CutSuffix(path, "Z")
	var px, py int // in tenths
	for _, sub := range strings.Split(path[1:], "M") {
		for i, pt := range strings.Split(sub, "L") {
			a, b, _ := strings.Cut(pt, ",")
			x, err1 := strconv.ParseFloat(a, 64)
			y, err2 := strconv.ParseFloat(b, 64)
			if err1 != nil || err2 != nil {
				return d
			}
			qx, qy := int(math.Round(10*x)), int(math.Round(10*y))
			switch {
			case i == 0:
				out = append(out, 'M')
				out = appendTenths(out, qx)
				out = append(out, ',')
				out = appendTenths(out, qy)
			case qx == px && qy == py && i > 1:
				continue
			default:
				out = append(out, 'l')
				out = appendTenths(out, qx-px)
				if qy >= py {
					out = append(out, ',')
				}
				out = appendTenths(out, qy-py)
			}
			px, py = qx, qy
		}
	}
	if closed {
		out = append(out, 'Z')
	}
	return append(out, '"')
}

func appendTenths(b []byte, n int) []byte {
	if n < 0 {
		b, n = append(b, '-'), -n
	}
	if n >= 10 || n == 0 {
		b = strconv.AppendInt(b, int64(n/10), 10)
	}
	if n%10 != 0 {
		b = append(b, '.', byte('0'+n%10))
	}
	return b
}
