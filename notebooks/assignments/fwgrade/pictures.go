package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"maps"
	"os"
	"slices"
	"strings"
)

// Pictures are the same if few pixels are off by much: another processor rounds otherwise.
const (
	offBy   = 0x1800 // of 0xffff, in a colour
	fewOffs = 20
)

// A drawnCell is what of a cell has to do with pictures.
type drawnCell struct {
	Type        string                      `json:"cell_type"`
	Attachments map[string]map[string]lines // by name, by kind
	Outputs     []struct{ Data map[string]json.RawMessage }
}

// pictures compares what a sheet shows with what its key drew: a picture attached to a text
// is that of the next cell of code. It names those that are not.
func pictures(key string) (wrong []string, err error) {
	data, err := os.ReadFile(key)
	if err != nil {
		return nil, err
	}
	var book struct{ Cells []drawnCell }
	if err := json.Unmarshal(data, &book); err != nil {
		return nil, fmt.Errorf("%s: %w", key, err)
	}
	for i, c := range book.Cells {
		for _, name := range slices.Sorted(maps.Keys(c.Attachments)) {
			var drawn lines
			if next := slices.IndexFunc(book.Cells[i:],
				func(c drawnCell) bool { return c.Type == "code" }); next >= 0 {
				drawn = book.Cells[i+next].drawn()
			}
			if why := differ(c.Attachments[name]["image/png"], drawn); why != "" {
				wrong = append(wrong, fmt.Sprintf("%s above cell %d is not the picture that its solutions "+
					"draw: %s", name, i+2, why))
			}
		}
	}
	return wrong, nil
}

// lines are a text in a notebook: a string, or a list of them.
type lines string

func (l *lines) UnmarshalJSON(data []byte) error {
	var list []string
	if data[0] != '[' {
		return json.Unmarshal(data, (*string)(l))
	}
	err := json.Unmarshal(data, &list)
	*l = lines(strings.Join(list, ""))
	return err
}

// drawn is the first picture of a cell, "" if it has none.
func (c drawnCell) drawn() (text lines) {
	for _, o := range c.Outputs {
		if json.Unmarshal(o.Data["image/png"], &text) == nil {
			return text
		}
	}
	return ""
}

// differ says how two pictures differ; "" if they do not.
func differ(a, b lines) string {
	p, err := decode(a)
	if err != nil {
		return "it is no PNG: " + err.Error()
	}
	q, err := decode(b)
	if err != nil {
		return "the cell draws no PNG: " + err.Error()
	}
	if p.Bounds() != q.Bounds() {
		return fmt.Sprintf("%v and %v pixels", p.Bounds().Size(), q.Bounds().Size())
	}
	off := 0
	for y := range p.Bounds().Dy() {
		for x := range p.Bounds().Dx() {
			r, g, b, _ := p.At(x, y).RGBA()
			s, h, c, _ := q.At(x, y).RGBA()
			if max(r, s)-min(r, s) > offBy || max(g, h)-min(g, h) > offBy || max(b, c)-min(b, c) > offBy {
				off++
			}
		}
	}
	if off <= fewOffs {
		return ""
	}
	return fmt.Sprintf("%d pixels have other colours", off)
}

func decode(text lines) (image.Image, error) {
	data, err := base64.StdEncoding.DecodeString(string(text)) // which skips the ends of lines
	if err != nil {
		return nil, err
	}
	return png.Decode(bytes.NewReader(data))
}
