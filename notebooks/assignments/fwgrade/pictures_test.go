package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image"
	"image/color"
	"image/png"
	"strings"
	"testing"
)

// A picture of a sheet is the one that its key draws, up to what rounding does to few pixels.
func TestPictures(t *testing.T) {
	picture := func(wide int, c color.Color, dots int) string {
		p := image.NewRGBA(image.Rect(0, 0, wide, 40))
		for i := range dots {
			p.Set(i%wide, i/wide, c)
		}
		var b bytes.Buffer
		if err := png.Encode(&b, p); err != nil {
			t.Fatal(err)
		}
		return base64.StdEncoding.EncodeToString(b.Bytes())
	}
	red, reddish := color.RGBA{255, 0, 0, 255}, color.RGBA{250, 4, 0, 255}
	type m = map[string]any
	for name, f := range map[string]struct{ shown, drawn, says string }{
		"the same": {picture(40, red, 800), picture(40, red, 800), ""},
		"rounded":  {picture(40, red, 800), picture(40, reddish, 800), ""},
		"another line": {picture(40, red, 800), picture(40, red, 830),
			"fig.png above cell 2 is not the picture that its solutions draw: 30 pixels"},
		"another colour": {picture(40, red, 800), picture(40, color.Black, 800),
			"800 pixels have other colours"},
		"another size":    {picture(40, red, 800), picture(41, red, 800), "(40,40) and (41,40) pixels"},
		"no picture":      {picture(40, red, 800), "", "the cell draws no PNG"},
		"no PNG attached": {"x", picture(40, red, 800), "it is no PNG"},
	} {
		output := m{"data": m{"image/png": []string{f.drawn[:len(f.drawn)/2], f.drawn[len(f.drawn)/2:] +
			"\n"}, "text/plain": []string{"a", "b"}}}
		data, err := json.Marshal(m{"cells": []m{
			{"cell_type": "markdown", "attachments": m{"fig.png": m{"image/png": f.shown}}},
			{"cell_type": "code", "outputs": []m{output}},
		}})
		if err != nil {
			t.Fatal(err)
		}
		wrong, err := pictures(write(t, t.TempDir(), data))
		if err != nil || len(wrong) != min(1, len(f.says)) || !strings.Contains(strings.Join(wrong, ""),
			f.says) {
			t.Errorf("%s: %q, %v; want %q", name, wrong, err, f.says)
		}
	}
}
