package fwdata

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/projection-free/fwlab/fwopt/fwsum"
)

const small = "1 1:0.5 3:2\n2 2:-1e-3\n# comment\n1\n"

// smallBz2 is small, packed by bzip2.
var smallBz2, _ = hex.DecodeString("425a68393141592653598a1c9e510000075980001048037a100a038400200022266a0c08d0a1a698005b56337e6e2a5013c0001cb3ce53a571ebf8bb9229c2848450e4f288")

var smallX = &fwsum.Sparse{N: 3, M: 3, Ptr: []int{0, 2, 3, 3}, Col: []int32{0, 2, 1}, Val: []float64{0.5, 2, -1e-3}}

func gz(s string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, s)
	z.Close()
	return b.Bytes()
}

// streamsBz2 is small as pbzip2 packs it: streams one after the other, cut within a line, the last empty.
var streamsBz2, _ = hex.DecodeString("425a6839314159265359208d1fc60000035800001040017a10200031064c410d0c2121a9482ca6dcf177245385090208d1fc60" +
	"425a6839314159265359c2554364000002d9800010480228000a0384002000310340d01a136899a128c8fbd8bac0ab570bb9229c2848612aa1b200" +
	"425a683917724538509000000000")

// tarBz2 is a tar archive of small, packed by bzip2.
var tarBz2, _ = hex.DecodeString("425a683931415926535943b691d000008c7b90ca90004048037f1000206a039f8004000008200074211a1190683098869ea0ca4794c8683d400680fb" +
	"a1bd88aa410213820917a33834a34bc104381c2117a949b168c6aeb41222a4008f5945002589a709c1ac7ad4b7914f8a534c1ab2083554f91e9caf60503af391eec0a99a09a22201f8bb9229c284821db48e80")

// pad is what tapes and block devices leave after a file.
var pad = strings.Repeat("\x00", 1000)

// tarred is text in a tar archive.
func tarred(text string) string {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	w.WriteHeader(&tar.Header{Name: "own.svm", Size: int64(len(text)), Mode: 0o644})
	io.WriteString(w, text)
	w.Close()
	return b.String()
}

// utf16 is ASCII text in UTF-16 after its byte order mark.
func utf16(order binary.AppendByteOrder, text string) string {
	b := order.AppendUint16(nil, 0xfeff)
	for _, c := range text {
		b = order.AppendUint16(b, uint16(c))
	}
	return string(b)
}

func TestReadAccepts(t *testing.T) {
	three := func(m int, col []int32, val []float64) *fwsum.Sparse {
		return &fwsum.Sparse{N: 2, M: m, Ptr: []int{0, len(col), len(col)}, Col: col, Val: val}
	}
	for _, c := range []struct {
		name, text string
		x          *fwsum.Sparse
		y, labels  []int
	}{
		{"plain", small, smallX, []int{0, 1, 0}, []int{1, 2}},
		{"gzip", string(gz(small)), smallX, []int{0, 1, 0}, []int{1, 2}},
		{"bzip2", string(smallBz2), smallX, []int{0, 1, 0}, []int{1, 2}},
		{"gzip, two members", string(gz(small[:17])) + string(gz(small[17:])), smallX, []int{0, 1, 0}, []int{1, 2}},
		{"gzip, empty members", string(gz("")) + string(gz(small)) + string(gz("")), smallX, []int{0, 1, 0}, []int{1, 2}},
		{"gzip, a zero byte at the end", string(gz(small)) + "\x00", smallX, []int{0, 1, 0}, []int{1, 2}},
		{"gzip, padded", string(gz(small)) + pad, smallX, []int{0, 1, 0}, []int{1, 2}},
		{"gzip, two members, padded", string(gz(small[:17])) + pad + string(gz(small[17:])) + pad, smallX, []int{0, 1, 0}, []int{1, 2}},
		{"bzip2, three streams", string(streamsBz2), smallX, []int{0, 1, 0}, []int{1, 2}},
		{"no newline at the end", strings.TrimSuffix(small, "\n"), smallX, []int{0, 1, 0}, []int{1, 2}},
		{"CRLF", strings.ReplaceAll(small, "\n", "\r\n"), smallX, []int{0, 1, 0}, []int{1, 2}},
		{"CR CR LF, CR at the end", strings.ReplaceAll(small, "\n", " \r\r\n") + "\r", smallX, []int{0, 1, 0}, []int{1, 2}},
		{"blank lines, spaces, tabs", "\n \n1 \t 1:0.5   3:2 \t\n2 2:-1e-3\n\n1   \n", smallX, []int{0, 1, 0}, []int{1, 2}},
		{"byte order mark", "\xef\xbb\xbf" + small, smallX, []int{0, 1, 0}, []int{1, 2}},
		{"comment after a row", "7 1:1 # the 7:7\n-3#x\n", three(1, []int32{0}, []float64{1}), []int{1, 0}, []int{-3, 7}},
		{"labels as reals", "+1 1:1\n-1.0\n", three(1, []int32{0}, []float64{1}), []int{1, 0}, []int{-1, 1}},
		{"explicit zeros count for M", "3e0 1:1 5:0\n4 6:-0.0\n", three(6, []int32{0}, []float64{1}), []int{0, 1}, []int{3, 4}},
		{"largest index", "0 100000000:1e-320\n1\n", three(100_000_000, []int32{99_999_999}, []float64{1e-320}), []int{0, 1}, []int{0, 1}},
		{"16 digits and more", "0 1:9007199254740993 2:0.1234567890123456789\n1\n", three(2, []int32{0, 1}, []float64{9007199254740993, 0.1234567890123456789}), []int{0, 1}, []int{0, 1}},
	} {
		for _, r := range []io.Reader{strings.NewReader(c.text), iotest.OneByteReader(strings.NewReader(c.text)), iotest.DataErrReader(strings.NewReader(c.text))} {
			s, err := Read(r, "f")
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
				continue
			}
			if !reflect.DeepEqual(s.X, c.x) || !reflect.DeepEqual(s.Y, c.y) || !reflect.DeepEqual(s.Labels, c.labels) {
				t.Errorf("%s: %+v %v %v", c.name, s.X, s.Y, s.Labels)
			}
		}
	}
}

// Each error names the file, the line and what is wrong.
func TestReadRefuses(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "f: line 1: the file ends without an example"},
		{"only comments", "# a\n\n# b\n", "f: line 3: the file ends without an example"},
		{"no features", "1\n2\n", "f: line 2: the file ends without a feature"},
		{"one class", "3 1:1\n3 2:1\n", "f: line 2: all 2 examples have the label 3"},
		{"HTML", "\n<!DOCTYPE html>\n<html>", "f: line 2: a web page (HTML)"},
		{"label is a word", "1 1:1\ncat 1:1\n", `f: line 2: label "cat" is not an integer`},
		{"label is a fraction", "1.5 1:1\n", `f: line 1: label "1.5" is not an integer`},
		{"label is a fraction, what to do", "1 1:1\n-.5 1:1\n", `f: line 2: label "-.5" is not an integer of at most 9 digits: number the classes, or read it by ReadTargets if it is a number to predict`},
		{"label is huge", "1e9 1:1\n", `label "1e9" is not an integer of at most 9 digits`},
		{"label is NaN", "nan 1:1\n", `label "nan" is not an integer`},
		{"many labels", "1,2 1:1\n", `label "1,2": several labels`},
		{"no label", "1:1 2:1\n", `label "1:1" is not an integer`},
		{"index 0", "1 1:1\n2 0:1\n", "f: line 2: feature index 0: indices start at 1"},
		{"index twice", "1 2:1 2:1\n", "f: line 1: feature index 2 is there twice"},
		{"index descends", "1 1:1\n\n2 3:1 2:1\n", "f: line 3: feature index 2 after 3"},
		{"index too large", "1 100000001:1\n", `feature index "100000001" is larger than 100000000`},
		{"a table with commas", "5.1,3.5,1.4,setosa\n", `line 1: "5.1,3.5,1.4,setosa": a table with commas (CSV)`},
		{"a table with commas and spaces", "5.1, 3.5, 1.4\n", `a table with commas (CSV)`},
		{"index overflows", "1 18446744073709551617:1\n", `feature index "18446744073709551617" is larger`},
		{"index negative", "1 -1:1\n", `"-1:1" is not index:value`},
		{"ranking file", "1 qid:3 1:1\n", `"qid:3" is not index:value`},
		{"ranking file, what to do", "2 1:1\n1 qid:3 1:1\n", `f: line 2: "qid:3" is not index:value: a ranking file? remove the qid words`},
		{"CR alone", strings.ReplaceAll(small, "\n", "\r"), "f: line 1: CR alone ends a line (old Mac text): turn each CR into a newline"},
		{"CR alone after a comment", "# a\r1 1:1\r2 1:1\r", "f: line 1: CR alone ends a line"},
		{"CR alone hides an example", "1 1:1\n1 1:1 # a\r2 1:1\n2 1:2\n", "f: line 2: CR alone ends a line"},
		{"CR alone, packed", string(gz("1 1:1\r2 2:1")), "f: line 1: CR alone ends a line"},
		{"UTF-16, little endian", utf16(binary.LittleEndian, small), "f: line 1: UTF-16 text: save it as UTF-8 (iconv -f UTF-16 -t UTF-8)"},
		{"UTF-16, big endian", utf16(binary.BigEndian, small), "f: line 1: UTF-16 text: save it as UTF-8"},
		{"UTF-16, packed", string(gz(utf16(binary.LittleEndian, small))), "f: line 1: UTF-16 text"},
		{"git-LFS pointer", "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 2376572\n", "f: line 1: a git-LFS pointer, not the data: run git lfs pull"},
		{"zstd", "\x28\xb5\x2f\xfd\x04\x58", "f: a zstd file: unpack it first (zstd -d)"},
		{"tar", tarred(small), "f: a tar archive: unpack it first (tar -xf) and read the file in it"},
		{"tar.gz", string(gz(tarred(small))), "f: a tar archive: unpack it first (tar -xf)"},
		{"tar.bz2", string(tarBz2), "f: a tar archive: unpack it first (tar -xf)"},
		{"gzip and garbage", string(gz(small)) + "garbage", "f: after line 4: the gzip file is damaged (garbage after its end): get it again"},
		{"gzip, padding and garbage", string(gz(small)) + pad + "garbage, and more of it", "f: after line 4: the gzip file is damaged (garbage after its end)"},
		{"gzip and half a member", string(gz(small)) + string(gz(small)[:20]), "f: after line 4: the gzip file is cut off"},
		{"bzip2 and garbage", string(smallBz2) + "garbage", "f: after line 4: the bzip2 file is damaged"},
		{"no value", "1 1:\n", `"1:" is not index:value`},
		{"no colon", "1 17\n", `"17" is not index:value`},
		{"NaN", "1 1:NaN\n", `value "NaN" of feature 1 is not a finite number`},
		{"Inf", "1 1:-inf\n", `value "-inf" of feature 1 is not a finite number`},
		{"overflow", "1 1:1e999\n", `value "1e999" of feature 1`},
		{"hexadecimal", "1 1:0x10\n", `value "0x10" of feature 1`},
		{"underscore", "1 1:1_0\n", `value "1_0" of feature 1`},
		{"two colons", "1 1:2:3\n", `value "2:3" of feature 1`},
		{"word", "1 1:abc\n", `value "abc" of feature 1`},
		{"long word", "1 1:" + strings.Repeat("x", 99) + "\n", `value "xxxxxxxxxxxxxxxxxxxxxxxx"… of feature 1`},
		{"xz", "\xfd7zXZ\x00", "f: an xz file: unpack it first"},
		{"zip", "PK\x03\x04....", "f: a zip archive: unpack it first"},
		{"bad bzip2", "BZh9abcdef", "f: after line 0: the bzip2 file is damaged"},
		{"bad gzip", "\x1f\x8b\xff\xff\xff", "f: after line 0: the gzip file is"},
		{"packed HTML", string(gz("<html>")), "f: line 1: a web page"},
	} {
		s, err := Read(strings.NewReader(c.text), "f")
		if err == nil {
			t.Errorf("%s: accepted: %+v", c.name, s.X)
		} else if !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "fwdata: f: ") {
			t.Errorf("%s: %q, want %q", c.name, err, c.want)
		}
	}
}

// Targets are any real numbers; all else is as for classes.
func TestReadTargets(t *testing.T) {
	text := "1.5 1:0.5 3:2\n-2e-3 2:-1e-3 # comment\n\n+7\n1e300 \n0.1\n5e-324\n-0\n12345678901\n"
	want := []float64{1.5, -2e-3, 7, 1e300, 0.1, 5e-324, math.Copysign(0, -1), 12345678901}
	wantX := &fwsum.Sparse{N: 8, M: 3, Ptr: []int{0, 2, 3, 3, 3, 3, 3, 3, 3}, Col: smallX.Col, Val: smallX.Val}
	for name, text := range map[string]string{"plain": text, "gzip": string(gz(text)), "CRLF": strings.ReplaceAll(text, "\n", "\r\n")} {
		x, b, err := ReadTargets(iotest.OneByteReader(strings.NewReader(text)), "f")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !reflect.DeepEqual(x, wantX) {
			t.Errorf("%s: %+v", name, x)
		}
		if !slices.EqualFunc(b, want, func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }) {
			t.Errorf("%s: %v", name, b)
		}
	}
	// One target for all is no error, nor is a single example.
	if _, b, err := ReadTargets(strings.NewReader("2 1:1\n"), "f"); err != nil || !slices.Equal(b, []float64{2}) {
		t.Errorf("%v, %v", b, err)
	}
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "f: line 1: the file ends without an example"},
		{"no features", "1\n2\n", "f: line 2: the file ends without a feature"},
		{"NaN", "1 1:1\nNaN 1:1\n", `f: line 2: target "NaN" is not a finite number: remove or replace its line`},
		{"infinite", "1 1:1\n\n-Inf 1:1\n", `f: line 3: target "-Inf" is not a finite number`},
		{"overflow", "1e999 1:1\n", `f: line 1: target "1e999" is not a finite number`},
		{"a word", "high 1:1\n", `f: line 1: target "high" is not a finite number`},
		{"no target", "1:1 2:1\n", `f: line 1: target "1:1" is not a finite number`},
		{"several", "1.5,2 1:1\n", `f: line 1: target "1.5,2": several targets an example are not supported`},
		{"a table with commas", "1.5,2,3\n", `f: line 1: "1.5,2,3": a table with commas (CSV), not LIBSVM text: read it with encoding/csv and fill a fwsum.Sparse`},
		{"index 0", "1.5 0:1\n", "f: line 1: feature index 0"},
		{"value is NaN", "1.5 1:nan\n", `f: line 1: value "nan" of feature 1`},
		{"ranking file", "1.5 qid:3 1:1\n", `f: line 1: "qid:3" is not index:value: a ranking file?`},
		{"HTML", "<html>\n", "f: line 1: a web page (HTML)"},
		{"tar.gz", string(gz(tarred(text))), "f: a tar archive: unpack it first"},
		{"cut off", string(gz(text)[:40]), "the gzip file is cut off"},
	} {
		x, b, err := ReadTargets(strings.NewReader(c.text), "f")
		if err == nil || x != nil || b != nil {
			t.Errorf("%s: accepted: %+v, %v", c.name, x, b)
		} else if !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "fwdata: f: ") {
			t.Errorf("%s: %q, want %q", c.name, err, c.want)
		}
	}
}

// A line that never ends is given up at maxLine, not at the end of the memory.
func TestReadLongLine(t *testing.T) {
	endless := io.MultiReader(strings.NewReader("1 1:1\n2 "), &zeros{left: 4 * maxLine})
	_, err := Read(endless, "f")
	if err == nil || !strings.Contains(err.Error(), "f: line 2: longer than 67108864 bytes") {
		t.Error(err)
	}
}

// Lines that CR alone ends look like one.
func TestReadLongLineOfMany(t *testing.T) {
	_, err := Read(io.MultiReader(strings.NewReader("1 1:1\n2 1:"+strings.Repeat("0", 1000)+"\r"), &zeros{left: 4 * maxLine}), "f")
	if err == nil || !strings.Contains(err.Error(), "f: line 2: CR alone ends a line") {
		t.Error(err)
	}
}

type zeros struct{ left int }

func (z *zeros) Read(b []byte) (int, error) {
	if z.left <= 0 {
		return 0, io.EOF
	}
	for i := range b {
		b[i] = '0'
	}
	z.left -= len(b)
	return len(b), nil
}

func TestReadPassesOnErrors(t *testing.T) {
	broken := errors.New("the disk is broken")
	for _, before := range []string{"", "1 1:1\n2 1:"} {
		_, err := Read(io.MultiReader(strings.NewReader(before), iotest.ErrReader(broken)), "f")
		if !errors.Is(err, broken) || !strings.Contains(err.Error(), "fwdata: f: ") {
			t.Errorf("after %q: %v", before, err)
		}
	}
}

// No cut-off packed file gives a set, and none with a flipped bit a wrong one.
func TestReadDamagedPacked(t *testing.T) {
	for name, whole := range map[string][]byte{"gzip": gz(small), "bzip2": smallBz2} {
		for k := range whole {
			if s, err := Read(bytes.NewReader(whole[:k]), "f"); err == nil {
				t.Errorf("%s cut to %d bytes: accepted: %v", name, k, s)
			} else if k >= 10 && !strings.Contains(err.Error(), "the "+name+" file is cut off") {
				t.Errorf("%s cut to %d bytes: %v", name, k, err)
			}
			for bit := range 8 {
				b := bytes.Clone(whole)
				b[k] ^= 1 << bit
				if s, err := Read(bytes.NewReader(b), "f"); err == nil && !reflect.DeepEqual(s.X, smallX) {
					t.Errorf("%s with bit %d of byte %d flipped: %+v", name, bit, k, s.X)
				}
			}
		}
	}
}

// naive is a second reader, as plain as possible, for input that is right.
func naive(t *testing.T, text string) (x *fwsum.Sparse, labels []int) {
	x = &fwsum.Sparse{Ptr: []int{0}}
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		label, err := strconv.Atoi(words[0])
		if err != nil {
			t.Fatal(err)
		}
		labels = append(labels, label)
		for _, w := range words[1:] {
			j, v, _ := strings.Cut(w, ":")
			col, err1 := strconv.Atoi(j)
			val, err2 := strconv.ParseFloat(v, 64)
			if err1 != nil || err2 != nil {
				t.Fatal(w, err1, err2)
			}
			x.M = max(x.M, col)
			x.Col, x.Val = append(x.Col, int32(col-1)), append(x.Val, val)
		}
		x.N++
		x.Ptr = append(x.Ptr, len(x.Val))
	}
	return x, labels
}

// randomSet has rows of all lengths, values of all sizes, and at least two classes.
func randomSet(g *rand.Rand) *Set {
	n, m := 2+g.IntN(20), 1+g.IntN(30)
	x := &fwsum.Sparse{N: n, M: m, Ptr: []int{0}}
	labels := make([]int, n)
	for i := range n {
		labels[i] = g.IntN(2000) - 1000
		for j := range m {
			if g.IntN(3) == 0 {
				v := math.Float64frombits(g.Uint64())
				if g.IntN(2) == 0 {
					v = float64(1 + g.IntN(9))
				}
				if v != v || math.IsInf(v, 0) || v == 0 {
					v = 1
				}
				x.Col, x.Val = append(x.Col, int32(j)), append(x.Val, v)
			}
		}
		x.Ptr = append(x.Ptr, len(x.Val))
	}
	if labels[0] == labels[1] {
		labels[1]++
	}
	if len(x.Val) == 0 {
		x.Col, x.Val, x.Ptr[n] = []int32{0}, []float64{1}, 1
	}
	s := &Set{Name: "random", X: x}
	if err := s.setClasses(labels); err != nil {
		panic(err)
	}
	s.Digest = contentDigest(s)
	return s
}

// same reports whether two sets have the same content.
func same(a, b *Set) bool {
	return reflect.DeepEqual(a.X, b.X) && reflect.DeepEqual(a.Y, b.Y) && reflect.DeepEqual(a.Labels, b.Labels)
}

func TestWriteRead(t *testing.T) {
	g := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		s := randomSet(g)
		var b bytes.Buffer
		if err := s.Write(&b); err != nil {
			t.Fatal(err)
		}
		text := b.String()
		back, err := Read(&b, "f")
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if !same(s, back) || s.Digest != back.Digest {
			t.Fatalf("%+v\n%+v\n%s", s, back, text)
		}
		if !strings.Contains(text, ":0\n") { // no explicit zero, which naive would store
			x, labels := naive(t, text)
			for i, l := range labels {
				if back.Labels[back.Y[i]] != l {
					t.Fatalf("row %d has label %d, not %d", i, back.Labels[back.Y[i]], l)
				}
			}
			if !reflect.DeepEqual(x, back.X) {
				t.Fatalf("%+v\n%+v", x, back.X)
			}
		}
	}
}

func TestWriteFails(t *testing.T) {
	s := randomSet(rand.New(rand.NewPCG(2, 1)))
	for limit := range 20 {
		if err := s.Write(&failing{left: limit}); !errors.Is(err, errFull) {
			t.Fatalf("after %d bytes: %v", limit, err)
		}
	}
}

var errFull = errors.New("no space left")

// failing is a disk with so many bytes left.
type failing struct{ left int }

func (f *failing) Write(b []byte) (int, error) {
	if len(b) > f.left {
		k := f.left
		f.left = 0
		return k, errFull
	}
	f.left -= len(b)
	return len(b), nil
}

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		file, name string
		b          []byte
	}{
		{"own.svm.bz2", "own", smallBz2}, {"own.gz", "own", gz(small)}, {"own", "own", []byte(small)},
		{"looks-plain.txt", "looks-plain", smallBz2}, {".svm", ".svm", []byte(small)},
	} {
		path := filepath.Join(dir, c.file)
		if err := os.WriteFile(path, c.b, 0o644); err != nil {
			t.Fatal(err)
		}
		s, err := ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(s.X, smallX) || s.Name != c.name || s.Source != path || s.Generated {
			t.Errorf("%s: %+v", c.file, s)
		}
		if s.Digest != sum(c.b) {
			t.Errorf("%s: digest %s is not the file's", c.file, s.Digest)
		}
	}
	if _, err := ReadFile(filepath.Join(dir, "nowhere.svm")); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "nowhere.svm") {
		t.Error(err)
	}
	if _, err := ReadFile(dir); err == nil || !strings.Contains(err.Error(), dir) {
		t.Error(err)
	}
}

// FuzzRead: no input panics, and what is accepted is well-formed and survives
// being written and read. What is read as classes can be read as targets.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{small, string(smallBz2), string(gz(small)), "+1 1:1e3 7:0\n-1.0\t2:.5\r\n", "0 100000000:5e-324\n1",
		"\xef\xbb\xbf1 1:1\n#\n2", "1 1:1 1:2\n", "<html>", "nan", "1 0:1", "1e9 1:1", "BZh9", "\x1f\x8b",
		"1.5 1:1\n-1e-300\n", "1e9 1:1\n1e400 1:1", "-0 1:1\n5 1:1", "1 1:1\r2 1:1\r", "1 1:1\r\r\n2\r", "1 qid:2 1:1", utf16(binary.LittleEndian, small), tarred(small), string(gz(small)) + pad + string(gz(small)), string(streamsBz2)} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		x, target, noTargets := ReadTargets(bytes.NewReader(b), "f")
		if noTargets != nil && !strings.HasPrefix(noTargets.Error(), "fwdata: f: ") {
			t.Fatalf("%q does not name the file", noTargets)
		}
		if noTargets == nil {
			checkSparse(t, x)
			if len(target) != x.N || slices.ContainsFunc(target, func(b float64) bool { return math.IsNaN(b) || math.IsInf(b, 0) }) {
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

// checkSet fails unless s is what the rest of the library relies on.
func checkSet(t *testing.T, s *Set) {
	t.Helper()
	checkSparse(t, s.X)
	if s.N() < 2 || len(s.Y) != s.N() || s.H() < 2 {
		t.Fatalf("%d rows, %d labels, %d classes", s.N(), len(s.Y), s.H())
	}
	for c, k := range s.counts() {
		if k == 0 || c > 0 && s.Labels[c] <= s.Labels[c-1] {
			t.Fatalf("class %d of %v has %d examples", c, s.Labels, k)
		}
	}
}

// checkSparse fails unless x is well-formed and finite.
func checkSparse(t *testing.T, x *fwsum.Sparse) {
	t.Helper()
	if x.N < 1 || x.M < 1 || len(x.Ptr) != x.N+1 || x.Ptr[0] != 0 || x.Ptr[x.N] != len(x.Val) || len(x.Col) != len(x.Val) {
		t.Fatalf("%d x %d, %d pointers, %d columns, %d values", x.N, x.M, len(x.Ptr), len(x.Col), len(x.Val))
	}
	for i := range x.N {
		col, val := x.Row(i)
		for k, j := range col {
			if j < 0 || int(j) >= x.M || k > 0 && j <= col[k-1] || val[k] == 0 || val[k] != val[k] || math.IsInf(val[k], 0) {
				t.Fatalf("row %d: %v %v", i, col, val)
			}
		}
	}
}
