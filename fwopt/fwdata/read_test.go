package fwdata

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/projection-free/fwlab/fwopt/fwsum"
)

const small = "1 1:0.5 3:2\n2 2:-1e-3\n# comment\n1\n"

func unhex(s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return b
}

// smallBz2 is small, packed by bzip2.
var smallBz2 = unhex("425a68393141592653598a1c9e510000075980001048037a100a038400200022266a0c08" +
	"d0a1a698005b56337e6e2a5013c0001cb3ce53a571ebf8bb9229c2848450e4f288")

var smallX = &fwsum.Sparse{N: 3, M: 3, Ptr: []int{0, 2, 3, 3},
	Col: []int32{0, 2, 1}, Val: []float64{0.5, 2, -1e-3}}

func gz(s string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, s)
	z.Close()
	return b.String()
}

// streamsBz2 is small as pbzip2 packs it: streams one after the other, cut within a line, the
// last empty.
var streamsBz2 = unhex("425a6839314159265359208d1fc60000035800001040017a10200031064c410d0c2121a9" +
	"482ca6dcf177245385090208d1fc60425a6839314159265359c2554364000002d9800010480228000a03840020003103" +
	"40d01a136899a128c8fbd8bac0ab570bb9229c2848612aa1b200425a683917724538509000000000")

// tarBz2 is a tar archive of small, packed by bzip2.
var tarBz2 = unhex("425a683931415926535943b691d000008c7b90ca90004048037f1000206a039f80040000" +
	"08200074211a1190683098869ea0ca4794c8683d400680fba1bd88aa410213820917a33834a34bc104381c2117a949b1" +
	"68c6aeb41222a4008f5945002589a709c1ac7ad4b7914f8a534c1ab2083554f91e9caf60503af391eec0a99a09a22201" +
	"f8bb9229c284821db48e80")

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
	for name, text := range map[string]string{
		"plain":                   small,
		"gzip":                    gz(small),
		"bzip2":                   string(smallBz2),
		"gzip, two members":       gz(small[:17]) + gz(small[17:]),
		"gzip, empty members":     gz("") + gz(small) + gz(""),
		"bzip2, three streams":    string(streamsBz2),
		"no newline at the end":   strings.TrimSuffix(small, "\n"),
		"CRLF":                    strings.ReplaceAll(small, "\n", "\r\n"),
		"CR CR LF, CR at the end": strings.ReplaceAll(small, "\n", " \r\r\n") + "\r",
		"blank lines and tabs":    "\n \n1 \t 1:0.5   3:2 \t\n2 2:-1e-3\n\n1   \n",
		"byte order mark":         "\xef\xbb\xbf" + small,
	} {
		for _, r := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text)),
			iotest.DataErrReader(strings.NewReader(text))} {
			s, err := Read(r, "f")
			if err != nil || !reflect.DeepEqual(s.X, smallX) || fmt.Sprint(s.Y, s.Labels) != "[0 1 0] [1 2]" {
				t.Errorf("%s: %+v, %v", name, s, err)
			}
		}
	}
	for _, c := range []struct {
		text string
		m    int
		val  []float64 // in the first row
		y    string
	}{
		{"7 1:1 # the 7:7\n-3#x\n", 1, []float64{1}, "[1 0] [-3 7]"},
		{"+1 1:1\n-1.0\n", 1, []float64{1}, "[1 0] [-1 1]"},
		{"3e0 1:1 5:0\n4 6:-0.0\n", 6, []float64{1}, "[0 1] [3 4]"}, // explicit zeros count for M
		{"0 100000000:1e-320\n1\n", 100_000_000, []float64{1e-320}, "[0 1] [0 1]"},
		{"0 1:9007199254740993 2:0.1234567890123456789\n1\n", 2,
			[]float64{9007199254740993, 0.12345678901234568}, "[0 1] [0 1]"},
	} {
		s, err := Read(strings.NewReader(c.text), "f")
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		_, val := s.X.Row(0)
		if s.M() != c.m || !slices.Equal(val, c.val) || fmt.Sprint(s.Y, s.Labels) != c.y {
			t.Errorf("%q: %+v %v %v", c.text, s.X, s.Y, s.Labels)
		}
	}
	text := "1.5 1:0.5 3:2\n-2e-3 2:-1e-3 # comment\n\n+7\n1e300 \n0.1\n5e-324\n-0\n12345678901\n"
	want := "[1.5 -0.002 7 1e+300 0.1 5e-324 -0 1.2345678901e+10]"
	wantX := *smallX
	wantX.N, wantX.Ptr = 8, []int{0, 2, 3, 3, 3, 3, 3, 3, 3}
	for _, text := range []string{text, gz(text), strings.ReplaceAll(text, "\n", "\r\n")} {
		x, b, err := ReadTargets(iotest.OneByteReader(strings.NewReader(text)), "f")
		if err != nil || !reflect.DeepEqual(x, &wantX) || fmt.Sprint(b) != want {
			t.Errorf("%q: %v, %v, %v", text, x, b, err)
		}
	}
	// One target for all is no error, nor is a single example.
	if _, b, err := ReadTargets(strings.NewReader("2 1:1\n"), "f"); err != nil || fmt.Sprint(b) != "[2]" {
		t.Errorf("%v, %v", b, err)
	}
}

// Each reader, of which nothing is left but the error.
var readers = map[string]func(io.Reader) error{
	"Read": func(r io.Reader) error { return nothing(Read(r, "own")) },
	"ReadTargets": func(r io.Reader) error {
		x, b, err := ReadTargets(r, "own")
		return nothing(b, nothing(x, err))
	},
	"ReadRatings": func(r io.Reader) error { return nothing(ReadRatings(r, "own")) },
	"ReadVideo":   func(r io.Reader) error { return nothing(ReadVideo(r, "own")) },
}

// nothing returns the error, beside which there may be no value.
func nothing(x any, err error) error {
	if err != nil && !reflect.ValueOf(x).IsNil() {
		return fmt.Errorf("beside an error there is %v", x)
	}
	return err
}

// Each error names the file, the line and what is wrong.
func TestReadRefuses(t *testing.T) {
	var numbers, boxes strings.Builder // long enough for half of the packed file to have a row
	for k := range 3000 {
		fmt.Fprintf(&numbers, "%d,%d,%d.%d\n", k*7919%10007, k*104729%10009, k%5, k*k%1000)
	}
	for j := range 100 {
		fmt.Fprintf(&boxes, "a,%d,%d%s\n", j/20, j, strings.Repeat(fmt.Sprint(",", j*7919%10007), j+1))
	}
	half := func(s string) string { return s[:len(s)/2] }
	refuses := map[string][][2]string{
		"Read": {
			{"1 1:1\ncat 1:1\n", `line 2: label "cat" is not an integer`},
			{"1.5 1:1\n", `line 1: label "1.5" is not an integer`},
			{"1 1:1\n-.5 1:1\n", `line 2: label "-.5" is not an integer of at most 9 digits: ` +
				"number the classes, or read it by ReadTargets if it is a number to predict"},
			{"1e9 1:1\n", `label "1e9" is not an integer of at most 9 digits`},
			{"nan 1:1\n", `label "nan" is not an integer`},
			{"1,2 1:1\n", `label "1,2": several labels`},
			{"1:1 2:1\n", `label "1:1" is not an integer`},
			{"3 1:1\n3 2:1\n", "line 2: all 2 examples have the label 3"},
			{"5.1,3.5,1.4,setosa\n", `line 1: "5.1,3.5,1.4,setosa": a table with commas (CSV), ` +
				"not LIBSVM text: read it by ReadTable, or rename it to .csv for fwlab fit"},
			{"5.1, 3.5, 1.4\n", `a table with commas (CSV)`},
			{"1 1:1\n2 0:1\n", "line 2: feature index 0: indices start at 1"},
			{"1 2:1 2:1\n", "line 1: feature index 2 is there twice"},
			{"1 1:1\n\n2 3:1 2:1\n", "line 3: feature index 2 after 3"},
			{"1 100000001:1\n", `feature index "100000001" is larger than 100000000`},
			{"1 18446744073709551617:1\n", `feature index "18446744073709551617" is larger`},
			{"1 -1:1\n", `"-1:1" is not index:value`},
			{"1 1:\n", `"1:" is not index:value`},
			{"1 17\n", `"17" is not index:value`},
			{"2 1:1\n1 qid:3 1:1\n", `line 2: "qid:3" is not index:value: a ranking file? remove the qid`},
			{"1 1:NaN\n", `value "NaN" of feature 1 is not a finite number`},
			{"1 1:-inf\n", `value "-inf" of feature 1 is not a finite number`},
			{"1 1:1e999\n", `value "1e999" of feature 1`},
			{"1 1:0x10\n", `value "0x10" of feature 1`},
			{"1 1:1_0\n", `value "1_0" of feature 1`},
			{"1 1:2:3\n", `value "2:3" of feature 1`},
			{"1 1:" + strings.Repeat("x", 99) + "\n", `value "xxxxxxxxxxxxxxxxxxxxxxxx"… of feature 1`},
			{strings.ReplaceAll(small, "\n", "\r"), "line 1: CR alone ends a line (old Mac text): " +
				"turn each CR into a newline"},
			{"# a\r1 1:1\r2 1:1\r", "line 1: CR alone ends a line"},
			{"1 1:1\n1 1:1 # a\r2 1:1\n2 1:2\n", "line 2: CR alone ends a line"},
			{gz("1 1:1\r2 2:1"), "line 1: CR alone ends a line"},
			{gz(utf16(binary.LittleEndian, small)), "line 1: UTF-16 text"},
			{gz(small) + "garbage after it", "after line 4: the gzip file is damaged (gzip: invalid header)"},
			{gz(small) + gz(small)[:20], "after line 4: the gzip file is cut off"},
			{string(smallBz2) + "garbage", "after line 4: the bzip2 file is damaged"},
			{"BZh9abcdef", "after line 0: the bzip2 file is damaged"},
			{"\x1f\x8b\xff\xff\xff", "after line 0: the gzip file is"},
		},
		"ReadTargets": {
			{"1 1:1\nNaN 1:1\n", `line 2: target "NaN" is not a finite number: remove or replace its line`},
			{"1 1:1\n\n-Inf 1:1\n", `line 3: target "-Inf" is not a finite number`},
			{"1e999 1:1\n", `line 1: target "1e999" is not a finite number`},
			{"high 1:1\n", `line 1: target "high" is not a finite number`},
			{"1.5,2 1:1\n", `line 1: target "1.5,2": several targets an example are not supported`},
			{"1.5,2,3\n", `line 1: "1.5,2,3": a table with commas (CSV), not LIBSVM text: ` +
				"read it by ReadTable, or rename it to .csv for fwlab fit"},
			{"1.5 0:1\n", "line 1: feature index 0"},
		},
		"ReadRatings": {
			{"user,item,rating\n", "line 1: the file ends without a rating"},
			{"1,2,3\n1,2\n", "line 2: columns: 2, want a user, an item and a number"},
			{"1 2 3\n", "line 1: columns: 1, want a user, an item and a number"},
			{",user,item,rating\n0,a,b,5\n", "line 1: the heading"},
			{"user,item,timestamp\n1,2,978\n",
				`line 1: the heading "user item timestamp" does not begin with a user, an item and a rating`},
			{"user,item,a date\n1,2,978\n", "line 1: the heading"},
			{"userId,rating,itemId\n1,2,978\n", "line 1: the heading"},
			{"user;item;rating\na;b;3,5\n", `line 2: rating "3,5" is not a finite number: write a point`},
			{"1,2,3\n1,3,x\n", `line 2: rating "x" is not a finite number: remove`},
			{"1,2,NaN\n1,3,1\n", `line 1: rating "NaN" is not a finite number`},
			{"1,2,3\n1,3,Inf\n", `line 2: rating "Inf" is not a finite number`},
			{"1,2,3\n1,3,\n", `line 2: rating "" is not a finite number`},
			{"1,2,3\n,3,1\n", "line 2: no user or no item"},
			{"1,2,3\n4,5,6\n\n1,2,5\n", `line 4: user "1" and item "2" again, as in line 1: keep one`},
			{"1::2::3::978300760\n", "line 1: columns between two colons: put commas there"},
			{"1,2,3\r4,5,6\r", "line 1: CR alone ends a line"},
			{"1,2,3\n1,\"3,4\n5,6,7\n", "line "},
			{half(gz(numbers.String())), "the gzip file is cut off"},
			{"c,d,2\n" + rowOf(maxRow+1), "line 2: longer than 1048576 bytes"},
			{"c,d,2\nc,e,x\n" + rowOf(maxRow+1), `line 2: rating "x"`},
			{"c,d,2\nc,e\"\n", "line 2: bare"},
			{"c,d,2\nc,\"e\"f\n", "line 2: extraneous"},
		},
		"ReadVideo": {
			{"a,1,1\n", "line 1: columns: 3, want 4 of box 1: its video, its frame, b_j and A_j1 to A_jj"},
			{"a,1,1,1\na,1,1,1\n", "line 2: columns: 4, want 5 of box 2"},
			{"a,1,1,1\n\na,1,1,1,2,3\n", "line 3: columns: 6, want 5 of box 2"},
			{"a,1,x,1\n", `line 1: column 3: "x" is not a finite number: replace it`},
			{"a,1,1,1\na,1,1,NaN,1\n", `line 2: column 4: "NaN" is not a finite number`},
			{"a,1,1,1\na,1,1,1,1e999\n", `line 2: column 5: "1e999" is not a finite number`},
			{"a,1,\"1,1\na,1,1\n", "line "},
			{half(gz(boxes.String())), "the gzip file is cut off"},
		},
	}
	for name, without := range map[string]string{"Read": "an example", "ReadTargets": "an example",
		"ReadRatings": "a rating", "ReadVideo": "a box"} {
		refuses[name] = append(refuses[name],
			[2]string{"", "line 1: the file ends without " + without + ": is it empty"})
	}
	for _, name := range []string{"Read", "ReadTargets"} {
		refuses[name] = append(refuses[name], [][2]string{
			{"# a\n\n# b\n", "line 3: the file ends without an example"},
			{"1\n2\n", "line 2: the file ends without a feature"},
			{gz("<html>"), "line 1: a web page (HTML)"},
			{"\n<!DOCTYPE html>\n<html>", "line 2: a web page (HTML)"},
			{gz(tarred(small)), "own: a tar archive: unpack it first (tar -xf) and read the file in it"},
			{string(tarBz2), "own: a tar archive: unpack it first (tar -xf)"},
		}...)
	}
	for _, name := range []string{"Read", "ReadTargets", "ReadRatings"} { // what the first line tells
		refuses[name] = append(refuses[name], [][2]string{
			{"<!DOCTYPE html>\n<p>,,</p>", "line 1: a web page (HTML), not data"},
			{"PK\x03\x04 and more", "own: a zip archive: unpack it first"},
			{"\xfd7zXZ\x00", "own: an xz file: unpack it first"},
			{"\x28\xb5\x2f\xfd\x04\x58", "own: a zstd file: unpack it first (zstd -d)"},
			{tarred(small), "own: a tar archive: unpack it first (tar -xf) and read the file in it"},
			{utf16(binary.LittleEndian, small), "line 1: UTF-16 text: save it as UTF-8 (iconv "},
			{utf16(binary.BigEndian, small), "line 1: UTF-16 text: save it as UTF-8"},
			{"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\n",
				"line 1: a git-LFS pointer, not the data: run git lfs pull"},
		}...)
	}
	broken := errors.New("the disk is broken")
	for name, cs := range refuses {
		for _, c := range cs {
			err := fmt.Sprint(readers[name](strings.NewReader(c[0])))
			if !strings.Contains(err, c[1]) || !strings.HasPrefix(err, "fwdata: own: ") {
				t.Errorf("%s of %.60q: %v, want %q", name, c[0], err, c[1])
			}
		}
		half := map[string]string{"Read": "1 1:1\n2 1:", "ReadTargets": "1 1:1\n2 1:"}[name]
		if half == "" {
			half = "a,1,1,1\na,"
		}
		for _, before := range []string{"", half} {
			err := readers[name](io.MultiReader(strings.NewReader(before), iotest.ErrReader(broken)))
			if !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "fwdata: own: ") ||
				strings.Contains(err.Error(), "get it again") { // the file is not what is broken
				t.Errorf("%s after %q: %v", name, before, err)
			}
		}
	}
}

// rowOf is a rating's row of so many bytes.
func rowOf(size int) string { return "a," + strings.Repeat("b", size-5) + ",1\n" }

// A line of maxRow bytes is read. A packed file whose line does not end is given up, in its line
// and in little memory. Lines that CR alone ends look like one.
func TestLineWithoutEnd(t *testing.T) {
	s, err := ReadRatings(strings.NewReader("c,d,2\n"+rowOf(maxRow)), "own")
	if err != nil || len(s.ItemID[1]) != maxRow-5 {
		t.Error(err)
	}
	for _, c := range []struct {
		reader, begin, piece string
		mib                  int // of pieces
		want                 string
	}{
		{"Read", "1 1:1\n2 ", "0", 100, "line 2: longer than 67108864 bytes"},
		{"Read", "1 1:1\n2 1:0\r", "0", 100, "line 2: CR alone ends a line"},
		{"ReadRatings", "", ",", 16, "line 1: longer than 1048576 bytes: cut it"},
		{"ReadRatings", "a,b,1\n\nc,\"", ",", 16, "line 3: longer than 1048576 bytes"},
		{"ReadVideo", "a,1,1,1\n", ",", 16, "line 2: longer than 1048576 bytes"},
	} {
		file := strings.NewReader(gz(c.begin + strings.Repeat(c.piece, c.mib<<20)))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := readers[c.reader](file)
		runtime.ReadMemStats(&after)
		if err == nil || !strings.HasPrefix(err.Error(), "fwdata: own: "+c.want) {
			t.Errorf("%s of %q: %v, want %s", c.reader, c.begin, err, c.want)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > 400<<20 || c.mib == 16 && took > 32<<20 {
			t.Errorf("%s of %q: %d MiB for %d MiB", c.reader, c.begin, took>>20, c.mib)
		}
	}
}

// No cut-off packed file gives a set.
func TestReadCutOff(t *testing.T) {
	for name, whole := range map[string][]byte{"gzip": []byte(gz(small)), "bzip2": smallBz2} {
		for k := range whole {
			_, err := Read(bytes.NewReader(whole[:k]), "f")
			if err == nil || k >= 10 && !strings.Contains(err.Error(), "the "+name+" file is cut off") {
				t.Errorf("%s cut to %d bytes: %v", name, k, err)
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
		labels = append(labels, label)
		for _, w := range words[1:] {
			j, v, _ := strings.Cut(w, ":")
			col, err1 := strconv.Atoi(j)
			val, err2 := strconv.ParseFloat(v, 64)
			err = errors.Join(err, err1, err2)
			x.M = max(x.M, col)
			if val != 0 {
				x.Col, x.Val = append(x.Col, int32(col-1)), append(x.Val, val)
			}
		}
		if err != nil {
			t.Fatal(err)
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
				if g.IntN(2) == 0 || v-v != 0 || v == 0 {
					v = float64(1 + g.IntN(9))
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

// What Write and Encode write is read as it was; a full disk is an error, whenever it is full.
func TestWriteRead(t *testing.T) {
	g := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		s := randomSet(g)
		var b, binary bytes.Buffer
		if err := errors.Join(s.Write(&b), s.Encode(&binary)); err != nil {
			t.Fatal(err)
		}
		text := b.String()
		back, err := Read(&b, "f")
		if err != nil || !same(s, back) || s.Digest != back.Digest {
			t.Fatalf("%v\n%+v\n%+v\n%s", err, s, back, text)
		}
		back, err = Decode(&binary, int64(binary.Len()), "f")
		if err != nil || !same(s, back) || s.Digest != back.Digest {
			t.Fatalf("%v\n%+v\n%+v", err, s, back)
		}
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
	s := randomSet(g)
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
	if k := f.left; len(b) > k {
		f.left = 0
		return k, errFull
	}
	f.left -= len(b)
	return len(b), nil
}

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ file, name, b string }{
		{"own.svm.bz2", "own", string(smallBz2)}, {"own.gz", "own", gz(small)}, {"own", "own", small},
		{"looks-plain.txt", "looks-plain", string(smallBz2)}, {".svm", ".svm", small},
	} {
		path := filepath.Join(dir, c.file)
		write(t, path, []byte(c.b))
		s, err := ReadFile(path)
		if err != nil || !reflect.DeepEqual(s.X, smallX) || s.Name != c.name || s.Source != path ||
			s.Generated || s.Digest != sum([]byte(c.b)) {
			t.Errorf("%s: %+v, %v", c.file, s, err)
		}
	}
	_, err := ReadFile(filepath.Join(dir, "nowhere.svm"))
	if says(t, err, "nowhere.svm"); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	_, err = ReadFile(dir)
	says(t, err, dir)
}

// The pieces of a scan, put together, are what Read reads, whatever their size and however the
// file is packed; errors are those of Read, after the pieces before them.
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
	for _, file := range []string{text.String(), gz(text.String())} {
		for _, rows := range []int{1, 2, 25, 51, 102, 103, 104, 1000} {
			got, labels, pieces := &fwsum.Sparse{Ptr: []int{0}}, []int(nil), 0
			for p, err := range Scan(iotest.OneByteReader(strings.NewReader(file)), "twin", rows) {
				n := min(rows, want.N()-got.N)
				if err != nil || p.X.N != n || len(p.Labels) != n || len(p.X.Ptr) != n+1 || p.X.M < got.M {
					t.Fatalf("a piece of %+v, want %d rows: %v", p, n, err)
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
			s := &Set{X: got}
			if err := s.setClasses(labels); err != nil || !same(s, want) || pieces != (103+rows-1)/rows {
				t.Errorf("pieces of %d rows: %d of them, and another set: %v", rows, pieces, err)
			}
		}
	}
	for _, text := range []string{"", "# none\n", "1\n2\n", small + "1 0:1\n", "1 1:2\n<html>", "\xfd7zXZ",
		gz(small)[:20]} {
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
	seen := 0 // a scan of which no more is wanted ends
	for range Scan(strings.NewReader(small+"wrong"), "file", 1) {
		if seen++; seen == 2 {
			break
		}
	}
}

// No byte of a binary set may change unseen, nor may its end be missing.
func TestDecode(t *testing.T) {
	set := TwinN("digits", 60, 2)
	fresh := &Set{Name: "own", X: set.X, Y: set.Y, Labels: set.Labels}
	var b bytes.Buffer
	if err := fresh.Encode(&b); err != nil || fresh.Digest != set.Digest {
		t.Fatal(err)
	}
	for k := 0; k < b.Len(); k += 7 {
		bad := slices.Clone(b.Bytes())
		bad[k] ^= 1 << (k % 8)
		_, err := Decode(bytes.NewReader(bad), int64(len(bad)), "own")
		says(t, err, "fwdata: own: ")
		for _, size := range []int{k, b.Len()} { // as it is, or as it was
			_, err := Decode(bytes.NewReader(b.Bytes()[:k]), int64(size), "own")
			says(t, err, "fwdata: own: ", "cut off")
		}
	}
	broken := errors.New("broken")
	r := io.MultiReader(bytes.NewReader(b.Bytes()[:300]), iotest.ErrReader(broken))
	if _, err := Decode(r, int64(b.Len()), "own"); !errors.Is(err, broken) {
		t.Errorf("a reader's error: %v", err)
	}
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
	nz := len(x.Val)
	if x.N < 1 || x.M < 1 || len(x.Ptr) != x.N+1 || x.Ptr[0] != 0 || x.Ptr[x.N] != nz || len(x.Col) != nz {
		t.Fatalf("%d x %d, %d pointers, %d columns, %d values", x.N, x.M, len(x.Ptr), len(x.Col), nz)
	}
	for i := range x.N {
		col, val := x.Row(i)
		for k, j := range col {
			if j < 0 || int(j) >= x.M || k > 0 && j <= col[k-1] || val[k] == 0 || val[k]-val[k] != 0 {
				t.Fatalf("row %d: %v %v", i, col, val)
			}
		}
	}
}
