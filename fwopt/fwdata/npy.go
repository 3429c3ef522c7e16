package fwdata

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/projection-free/fwlab/fwopt/fwsum"
	"github.com/projection-free/fwlab/fwopt/internal/file"
	"github.com/projection-free/fwlab/fwopt/internal/need"
)

// npyHead is what numpy.lib.format writes between the magic string and the numbers, a literal of Python.
var npyHead = regexp.MustCompile(`^\s*\{\s*'descr':\s*'([<>|=]?)([a-zA-Z])(\d+)[^']*',\s*'fortran_order':\s*` +
	`(True|False),\s*'shape':\s*\(([\d\s,]*)\),?\s*\}\s*$`)

const npyMagic = "\x93NUMPY"

// ReadNPY reads a matrix from r as numpy.save writes it: floats of 4 or 8 bytes, integers or booleans, of either
// order of bytes, row by row or column by column. A vector is a column. The name stands for the file in errors,
// which say a remedy. It needs memory for what there is in the file, whatever its head claims.
func ReadNPY(r io.Reader, name string) (*fwsum.Dense, error) {
	fail := func(format string, a ...any) (*fwsum.Dense, error) {
		return nil, fmt.Errorf("fwdata: %s: %s", name, fmt.Sprintf(format, a...))
	}
	in := bufio.NewReader(r)
	head := make([]byte, len(npyMagic)+4)
	if _, err := io.ReadFull(in, head); err != nil || string(head[:len(npyMagic)]) != npyMagic {
		return fail("not a .npy file: write one by numpy.save(name, matrix); the arrays of a .npz one by one")
	}
	size := int(binary.LittleEndian.Uint16(head[len(npyMagic)+2:]))
	if head[len(npyMagic)] > 1 { // versions 2 and 3 have four bytes for it
		var more [2]byte
		io.ReadFull(in, more[:])
		size += int(binary.LittleEndian.Uint16(more[:])) << 16
	}
	text := make([]byte, min(size, 1<<16))
	if _, err := io.ReadFull(in, text); err != nil || size > len(text) {
		return fail("the header is cut off, or longer than 64 KiB: write the matrix anew by numpy.save")
	}
	f := npyHead.FindSubmatch(text)
	if f == nil {
		return fail("a header without a matrix of numbers, %s: save a float matrix, numpy.save(name, x.astype(float))",
			quote(bytes.TrimSpace(text)))
	}
	number, width := npyNumber(string(f[1]), string(f[2])+string(f[3]))
	if number == nil {
		return fail("numbers of the type %s: save float ones, numpy.save(name, x.astype(float))", quote(f[2]))
	}
	shape, total := []int{}, 1.
	for s := range strings.FieldsFuncSeq(string(f[5]), func(c rune) bool { return c == ',' || c == ' ' }) {
		n, err := strconv.Atoi(s)
		if err != nil {
			return fail("the shape (%s)", f[5])
		}
		shape, total = append(shape, n), total*float64(n)
	}
	if len(shape) == 1 {
		shape = append(shape, 1)
	}
	if len(shape) != 2 || total < 1 || total > 1<<40 {
		return fail("an array of the shape (%s), want a matrix: reshape it, a row for each example", f[5])
	}
	x := &fwsum.Dense{N: shape[0], M: shape[1]}
	b := make([]byte, width)
	for k := range x.N * x.M {
		if _, err := io.ReadFull(in, b); err != nil {
			return fail("the file ends after %d of %d numbers: is it cut off? Get it again", k, x.N*x.M)
		}
		v := number(b)
		if v-v != 0 {
			return fail("number %d is %g: replace it, or remove its row", k+1, v)
		}
		x.Val = append(x.Val, v)
	}
	if _, err := in.ReadByte(); err != io.EOF {
		return fail("there is more after the matrix of the shape (%s): save one array in a file", f[5])
	}
	if string(f[4]) == "True" { // column by column
		rows := make([]float64, len(x.Val))
		for k, v := range x.Val {
			rows[k%x.N*x.M+k/x.N] = v
		}
		x.Val = rows
	}
	return x, nil
}

// npyNumber returns what reads a number of a type of numpy's, and its bytes; nil if it is none.
func npyNumber(order, kind string) (read func(b []byte) float64, width int) {
	var from binary.ByteOrder = binary.LittleEndian
	if order == ">" {
		from = binary.BigEndian
	}
	switch kind {
	case "f8":
		return func(b []byte) float64 { return math.Float64frombits(from.Uint64(b)) }, 8
	case "f4":
		return func(b []byte) float64 { return float64(math.Float32frombits(from.Uint32(b))) }, 4
	case "i8":
		return func(b []byte) float64 { return float64(int64(from.Uint64(b))) }, 8
	case "u8":
		return func(b []byte) float64 { return float64(from.Uint64(b)) }, 8
	case "i4":
		return func(b []byte) float64 { return float64(int32(from.Uint32(b))) }, 4
	case "u4":
		return func(b []byte) float64 { return float64(from.Uint32(b)) }, 4
	case "i2":
		return func(b []byte) float64 { return float64(int16(from.Uint16(b))) }, 2
	case "u2":
		return func(b []byte) float64 { return float64(from.Uint16(b)) }, 2
	case "i1":
		return func(b []byte) float64 { return float64(int8(b[0])) }, 1
	case "u1", "b1":
		return func(b []byte) float64 { return float64(b[0]) }, 1
	}
	return nil, 0
}

// WriteNPY writes a matrix as numpy.load reads it, floats of 8 bytes, row by row.
func WriteNPY(w io.Writer, x *fwsum.Dense) error {
	if len(x.Val) != x.N*x.M {
		panic(need.Linef("fwdata: a %d x %d matrix of %d numbers", x.N, x.M, len(x.Val)))
	}
	head := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }", x.N, x.M)
	for (len(npyMagic)+5+len(head))%64 != 0 { // numpy's alignment
		head += " "
	}
	out := bufio.NewWriter(w) // an error stays until Flush
	out.WriteString(npyMagic + "\x01\x00")
	out.Write(binary.LittleEndian.AppendUint16(nil, uint16(len(head)+1)))
	out.WriteString(head + "\n")
	var b [8]byte
	for _, v := range x.Val {
		binary.LittleEndian.PutUint64(b[:], math.Float64bits(v))
		out.Write(b[:])
	}
	return out.Flush()
}

// WriteWeights writes the weights of a linear predictor: to a .npy file as a matrix of a row for each of the columns of
// the data and a number for each score; to any other as .csv, with the columns' names in front and those of the scores,
// "weight" or the classes, on top. It panics unless len(w) is len(columns)·len(scores).
func WriteWeights(path string, w []float64, columns, scores []string) error {
	h := len(scores)
	if len(w) != len(columns)*h {
		panic(need.Linef("fwdata: %d weights of %d columns and %d scores", len(w), len(columns), h))
	}
	return file.Write(path, func(out io.Writer) error {
		if strings.HasSuffix(path, ".npy") {
			return WriteNPY(out, &fwsum.Dense{N: len(columns), M: h, Val: w})
		}
		t := csv.NewWriter(out) // an error stays until Error
		t.Write(append([]string{"column"}, scores...))
		for j, name := range columns {
			line := []string{name}
			for _, x := range w[j*h : (j+1)*h] {
				line = append(line, strconv.FormatFloat(x, 'g', -1, 64))
			}
			t.Write(line)
		}
		t.Flush()
		return t.Error()
	})
}
