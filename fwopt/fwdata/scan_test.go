package fwdata

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/projection-free/fwlab/fwopt/fwsum"
)

// The pieces, put together, are what Read reads, whatever their size and however the file is packed.
func TestScan(t *testing.T) {
	twin := TwinN("digits", 103, 1)
	var text bytes.Buffer
	if err := twin.Write(&text); err != nil {
		t.Fatal(err)
	}
	want, err := Read(bytes.NewReader(text.Bytes()), "twin")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range [][]byte{text.Bytes(), gz(text.String())} {
		for _, rows := range []int{1, 2, 25, 51, 102, 103, 104, 1000} {
			got, labels, pieces := &fwsum.Sparse{Ptr: []int{0}}, []int(nil), 0
			for p, err := range Scan(iotest.OneByteReader(bytes.NewReader(file)), "twin", rows) {
				if err != nil {
					t.Fatal(err)
				}
				if n := min(rows, want.N()-got.N); p.X.N != n || len(p.Labels) != n || len(p.X.Ptr) != n+1 || p.X.M < got.M {
					t.Fatalf("a piece of %d rows, %d labels and %d columns, want %d rows", p.X.N, len(p.Labels), p.X.M, n)
				}
				for i := range p.X.N {
					col, val := p.X.Row(i)
					got.Col, got.Val = append(got.Col, col...), append(got.Val, val...)
					got.Ptr = append(got.Ptr, len(got.Val))
				}
				got.N, got.M = got.N+p.X.N, p.X.M
				labels = append(labels, p.Labels...)
				pieces++
			}
			s := &Set{Name: "twin", X: got}
			if err := s.setClasses(labels); err != nil {
				t.Fatal(err)
			}
			if !same(s, want) || pieces != (103+rows-1)/rows {
				t.Errorf("pieces of %d rows: %d of them, and another set", rows, pieces)
			}
		}
	}
}

// Errors are those of Read, after the pieces before them, and a scan of which no more is wanted ends.
func TestScanErrors(t *testing.T) {
	for _, text := range []string{"", "# none\n", "1\n2\n", small + "1 0:1\n", "1 1:2\n<html>", "\xfd7zXZ", string(gz(small)[:20])} {
		_, want := Read(strings.NewReader(text), "file")
		var got error
		for _, err := range Scan(strings.NewReader(text), "file", 1) {
			if got != nil {
				t.Errorf("%q: more after the error %v", text, got)
			}
			got = err
		}
		if want == nil || got == nil || got.Error() != want.Error() {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
	seen := 0
	for range Scan(strings.NewReader(small+"wrong"), "file", 1) {
		if seen++; seen == 2 {
			break
		}
	}
	if seen != 2 {
		t.Errorf("%d pieces after a break at 2", seen)
	}
	defer func() {
		if recover() == nil {
			t.Error("pieces of no rows")
		}
	}()
	Scan(nil, "file", 0)
}

// A set goes through Encode and Decode as it is, and no byte may change unseen.
func TestEncode(t *testing.T) {
	set := TwinN("digits", 60, 2)
	fresh := &Set{Name: "own", X: set.X, Y: set.Y, Labels: set.Labels}
	var b bytes.Buffer
	if err := fresh.Encode(&b); err != nil {
		t.Fatal(err)
	}
	got, err := Decode(bytes.NewReader(b.Bytes()), int64(b.Len()), "own")
	if err != nil || !same(got, fresh) || got.Name != "own" || got.Digest != set.Digest || !slices.Equal(got.Labels, set.Labels) {
		t.Fatalf("another set came back: %v", err)
	}
	for k := 0; k < b.Len(); k += 7 {
		bad := slices.Clone(b.Bytes())
		bad[k] ^= 1 << (k % 8)
		s, err := Decode(bytes.NewReader(bad), int64(len(bad)), "own")
		if err == nil || !strings.HasPrefix(err.Error(), "fwdata: own: ") {
			t.Fatalf("byte %d of %d turned: %v, %v", k, b.Len(), s, err)
		}
		cut := b.Bytes()[:k]
		if _, err := Decode(bytes.NewReader(cut), int64(len(cut)), "own"); err == nil || !strings.Contains(err.Error(), "cut off") {
			t.Fatalf("the first %d of %d bytes: %v", k, b.Len(), err)
		}
		if _, err := Decode(bytes.NewReader(cut), int64(b.Len()), "own"); err == nil || !strings.Contains(err.Error(), "cut off") {
			t.Fatalf("%d of %d bytes, size as it was: %v", k, b.Len(), err)
		}
	}
	broken := errors.New("broken")
	if _, err := Decode(io.MultiReader(bytes.NewReader(b.Bytes()[:300]), iotest.ErrReader(broken)), int64(b.Len()), "own"); !errors.Is(err, broken) {
		t.Errorf("a reader's error: %v", err)
	}
}
