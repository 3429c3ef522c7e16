package fwdata

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"github.com/projection-free/fwlab/fwopt/internal/file"
)

// FuzzRead: no input panics, and what is accepted is well-formed and survives
// being written and read. What is read as classes can be read as targets.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{small, string(smallBz2), gz(small), "+1 1:1e3 7:0\n-1.0\t2:.5\r\n",
		"0 100000000:5e-324\n1", "\xef\xbb\xbf1 1:1\n#\n2", "1 1:1 1:2\n", "<html>", "nan", "1 0:1",
		"1e9 1:1", "BZh9", "\x1f\x8b", "1.5 1:1\n-1e-300\n", "1e9 1:1\n1e400 1:1", "-0 1:1\n5 1:1",
		"1 1:1\r2 1:1\r", "1 1:1\r\r\n2\r", "1 qid:2 1:1", utf16(binary.LittleEndian, small), tarred(small),
		gz(small) + gz(small), string(streamsBz2)} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		x, target, noTargets := ReadTargets(bytes.NewReader(b), "f")
		if noTargets != nil && !strings.HasPrefix(noTargets.Error(), "fwdata: f: ") {
			t.Fatalf("%q does not name the file", noTargets)
		}
		if noTargets == nil {
			checkSparse(t, x)
			if len(target) != x.N || slices.ContainsFunc(target, func(b float64) bool { return b-b != 0 }) {
				t.Fatalf("%d rows, targets %v", x.N, target)
			}
		}
		s, err := Read(bytes.NewReader(b), "f")
		if err != nil {
			if !strings.HasPrefix(err.Error(), "fwdata: f: ") {
				t.Fatalf("%q does not name the file", err)
			}
			return
		}
		checkSet(t, s)
		if noTargets != nil || !reflect.DeepEqual(x, s.X) {
			t.Fatalf("targets: %v\n%+v\n%+v", noTargets, x, s.X)
		}
		for i, y := range s.Y {
			if target[i] != float64(s.Labels[y]) {
				t.Fatalf("row %d has label %d, target %g", i, s.Labels[y], target[i])
			}
		}
		var out bytes.Buffer
		if err := s.Write(&out); err != nil {
			t.Fatal(err)
		}
		text := out.String()
		back, err := Read(&out, "f")
		if err != nil {
			t.Fatalf("%v\n%q", err, text)
		}
		if !same(s, back) {
			t.Fatalf("%+v\n%+v\n%q", s.X, back.X, text)
		}
	})
}

// FuzzReadRatings: no input panics, and what is accepted is well-formed and survives being
// written and read.
func FuzzReadRatings(f *testing.F) {
	for _, seed := range []string{"7,film,4\nal,film,2.5\n", "u\ti\tr\r\n7\tfilm\t4\t97\n",
		"\ufeffa; b;+1e3 ;\n\na;\"c;\"\"d\n\";-0", ",,\n", "1::2::3\n", "<html>", "PK\x03\x04",
		"a,b,1\ra,c,2\r", "a,b,1\na,b,2", "\"a,b,1", "a,b,1e400", "BZh9", "\x1f\x8b", gz("a,b,1\n")} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := ReadRatings(bytes.NewReader(b), "f")
		if err != nil {
			if s != nil || !strings.HasPrefix(err.Error(), "fwdata: f: ") {
				t.Fatalf("%v, %q does not name the file", s, err)
			}
			return
		}
		n := len(s.Value)
		if n == 0 || len(s.At) != n || len(s.UserID) != s.Users || len(s.ItemID) != s.Items {
			t.Fatalf("%+v", s)
		}
		var out bytes.Buffer
		w, seen := csv.NewWriter(&out), map[fwset.Entry]bool{}
		for k, e := range s.At {
			x := s.Value[k]
			if x-x != 0 || seen[e] {
				t.Fatalf("%v has %g, or comes again", e, x)
			}
			seen[e] = true
			user, item := s.UserID[e.Row], s.ItemID[e.Col]
			if at, err := s.Entry(user, item); err != nil || at != e {
				t.Fatalf("user %q, item %q are at %v, %v, want %v", user, item, at, err, e)
			}
			if k == 0 && (strings.Contains(user, "::") || strings.HasPrefix(user, "<") ||
				strings.ContainsAny(user+item, "\t;")) {
				return // the first line tells what a file is
			}
			w.Write([]string{user, item, strconv.FormatFloat(x, 'g', -1, 64)})
		}
		w.Flush()
		text := out.String()
		if back, err := ReadRatings(&out, "f"); err != nil || !reflect.DeepEqual(s, back) {
			t.Fatalf("%v\n%+v\n%+v\n%q", err, s, back, text)
		}
	})
}

// FuzzReadVideo: no input panics, and what is accepted is a quadratic over whole frames.
func FuzzReadVideo(f *testing.F) {
	for _, seed := range []string{"a,1,1,1\na,1,2,0,1\na,2,3,0,0,1\nb,2,4,0,0,0,1\n",
		"\ufeffa,1,-1e3,.5\r\n\r\n\"a\",1,0,1,2", "a,1,1,1\na,1,1,1\n", "a,1,NaN,1", "a,1,\"1", "BZh9",
		"\x1f\x8b", gz("a,1,1,1\n")} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		v, err := ReadVideo(bytes.NewReader(b), "f")
		if err != nil {
			if v != nil || !strings.HasPrefix(err.Error(), "fwdata: f: ") {
				t.Fatalf("%v, %q does not name the file", v, err)
			}
			return
		}
		d, boxes := v.Dim(), 0
		for _, n := range v.Frames {
			if n < 1 {
				t.Fatalf("frames of %v boxes", v.Frames)
			}
			boxes += n
		}
		if h, m := v.A.Dims(); d < 1 || boxes != d || h != d || m != d || len(v.First()) != d {
			t.Fatalf("%d × %d for %d boxes in frames of %v", h, m, d, v.Frames)
		}
		for i := range d {
			for j := range i + 1 {
				x, b := v.A.At(i, j), v.B.AtVec(i)
				if x != v.A.At(j, i) || x-x != 0 || b-b != 0 {
					t.Fatalf("A_%d,%d is %g", i+1, j+1, x)
				}
			}
		}
	})
}

// FuzzDecode: no binary file panics, neither one whose checksum is right; what is accepted is
// what the rest of the library relies on, and is written to the same bytes.
func FuzzDecode(f *testing.F) {
	for _, text := range []string{small, "0 3:5e-324\n1", "-7 1:1\n9 2:-1e300\n9\n"} {
		s, err := Read(strings.NewReader(text), "f")
		if err != nil {
			f.Fatal(err)
		}
		var out bytes.Buffer
		if err := s.Encode(&out); err != nil {
			f.Fatal(err)
		}
		f.Add(out.Bytes())
		f.Add(out.Bytes()[:out.Len()/2])
		for at := binary.Size(header{}); at < out.Len(); at += 4 { // a label, class, row or column that cannot be
			b := bytes.Clone(out.Bytes())
			b[at] += 100
			f.Add(b)
		}
	}
	for _, x := range []struct { // a NaN; columns that descend, and a negative one
		col []int32
		val float64
	}{{[]int32{0, 2}, math.NaN()}, {[]int32{2, 0}, 1}, {[]int32{-1, 0}, 1}} {
		var out bytes.Buffer
		s := &Set{Labels: []int{1, 2, 5}, Y: []int{1, 0}, // a class without an example
			X: &fwsum.Sparse{N: 2, M: 3, Ptr: []int{0, 2, 2}, Col: x.col, Val: []float64{1, x.val}}}
		if err := s.Encode(&out); err != nil {
			f.Fatal(err)
		}
		f.Add(out.Bytes())
	}
	f.Add(cacheMagic[:])
	f.Fuzz(func(t *testing.T, b []byte) {
		Decode(bytes.NewReader(b), int64(len(b)), "f") // nearly always a wrong checksum
		if len(b) < binary.Size(header{})+8 {
			return
		}
		b = bytes.Clone(b)
		clear(b[48:80]) // what Encode leaves at zero
		b = file.Seal(b[:len(b)-8])
		s, err := Decode(bytes.NewReader(b), int64(len(b)), "f")
		if err != nil {
			if s != nil || !strings.HasPrefix(err.Error(), "fwdata: f: ") {
				t.Fatalf("%v, %q does not name the file", s, err)
			}
			return
		}
		x := s.X // of a shard, that may lack a class; a row of length 1 may have a zero
		for i := range x.N {
			if s.Y[i] < 0 || s.Y[i] >= s.H() {
				t.Fatalf("row %d of class %d of %d", i, s.Y[i], s.H())
			}
			col, val := x.Row(i)
			for k, j := range col {
				if j < 0 || int(j) >= x.M || k > 0 && j <= col[k-1] || val[k]-val[k] != 0 {
					t.Fatalf("row %d: %v %v", i, col, val)
				}
			}
		}
		if !slices.IsSorted(s.Labels) || len(slices.Compact(slices.Clone(s.Labels))) != s.H() ||
			len(s.Y) != x.N || x.Ptr[x.N] != len(x.Val) {
			t.Fatalf("labels %v, %d rows", s.Labels, x.N)
		}
		var out bytes.Buffer
		if err := s.Encode(&out); err != nil || !bytes.Equal(out.Bytes(), b) {
			t.Fatalf("%v\n%x\n%x", err, b, out.Bytes())
		}
	})
}
