package fwdata

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// packed is a gzip file of a text, and of a piece again and again after it.
func packed(t *testing.T, text, piece string, times int) *bytes.Reader {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(z, text)
	for range times {
		io.WriteString(z, piece)
	}
	z.Close()
	return bytes.NewReader(b.Bytes())
}

// A packed file whose row does not end is given up at maxRow, in its line and in little memory.
func TestRowWithoutEnd(t *testing.T) {
	commas, lines := strings.Repeat(",", maxRow), strings.Repeat("all in one quote\n", maxRow/17)
	for reader, read := range map[string]func(io.Reader, string) error{
		"ratings": func(r io.Reader, name string) error { _, err := ReadRatings(r, name); return err },
		"video":   func(r io.Reader, name string) error { _, err := ReadVideo(r, name); return err },
	} {
		begin := map[string]string{"ratings": "a,b,1\na,\"c\"\"\n\n\"\"\",1\n\n", "video": "a,b,1,1\na,\"\"\"c\n\n\",1,0,1\n\n"}[reader]
		for name, c := range map[string]struct {
			text, piece string
			line        int
		}{
			"commas":       {"", commas, 1},
			"later commas": {begin, commas, 6},
			"open quotes":  {begin + `a,"`, lines, 6},
			"letters":      {begin + "a,", strings.Repeat("z", maxRow), 6},
		} {
			file := packed(t, c.text, c.piece, 16)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := read(file, "own.gz")
			runtime.ReadMemStats(&after)
			if want := fmt.Sprintf("fwdata: own.gz: line %d: a row of more than %d bytes: cut it", c.line, maxRow); err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%s, %s: %v, want %s", reader, name, err, want)
			}
			if took := after.TotalAlloc - before.TotalAlloc; took > 200<<20 {
				t.Errorf("%s, %s: %d MiB allocated for a file of 16", reader, name, took>>20)
			}
		}
	}
}

// A row of maxRow bytes is read, one of a byte more is not; what is before it counts first.
func TestRowLimit(t *testing.T) {
	row := func(size int) string { return "a," + strings.Repeat("b", size-5) + ",1\n" }
	if s, err := ReadRatings(strings.NewReader("c,d,2\n"+row(maxRow)), "own"); err != nil || len(s.ItemID[1]) != maxRow-5 {
		t.Error(err)
	}
	for text, want := range map[string]string{
		"c,d,2\n" + row(maxRow+1):         "line 2: a row of more",
		"c,d,2\nc,e,x\n" + row(maxRow+1):  `line 2: rating "x"`,
		"c,d,2\nc,\"e\n" + row(maxRow-4):  "line 2: a row of more",
		"c,d,2\nc,e\"\n" + row(2*maxRow):  "line 2: bare",
		"c,d,2\nc,\"e\"f\n" + row(maxRow): `line 2: extraneous`,
	} {
		if _, err := ReadRatings(strings.NewReader(text), "own"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: %v, want %s", text, err, want)
		}
	}
}

// A byte order mark is not of the first video's name, which would make a frame of its first box.
func TestReadVideoMarked(t *testing.T) {
	v, err := ReadVideo(strings.NewReader("\ufeffa,1,1,1\na,1,2,0,1\n"), "own")
	if err != nil || !slices.Equal(v.Frames, []int{2}) {
		t.Errorf("%+v, %v", v, err)
	}
}
