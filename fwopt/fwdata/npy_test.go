package fwdata

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt/fwsum"
)

// npyFile is what numpy writes.
func npyFile(version byte, head string, numbers ...any) []byte {
	b := []byte(npyMagic + string(version) + "\x00")
	if version == 1 {
		b = binary.LittleEndian.AppendUint16(b, uint16(len(head)))
	} else {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(head)))
	}
	b = append(b, head...)
	for _, v := range numbers {
		var out bytes.Buffer
		var order binary.ByteOrder = binary.LittleEndian
		if strings.Contains(head, "'>") {
			order = binary.BigEndian
		}
		if err := binary.Write(&out, order, v); err != nil {
			panic(err)
		}
		b = append(b, out.Bytes()...)
	}
	return b
}

func npyDict(descr, fortran, shape string) string {
	return fmt.Sprintf("{'descr': %s, 'fortran_order': %s, 'shape': %s, }   \n", descr, fortran, shape)
}

// Every type that numpy calls a number, in both orders of bytes, and by rows or columns.
func TestReadNPY(t *testing.T) {
	want := &fwsum.Dense{N: 3, M: 2, Val: []float64{1, 2, 3, 4, 5, 100}}
	for descr, v := range map[string]any{
		"'<f8'": []float64{1, 2, 3, 4, 5, 100}, "'>f8'": []float64{1, 2, 3, 4, 5, 100},
		"'<f4'": []float32{1, 2, 3, 4, 5, 100}, "'>f4'": []float32{1, 2, 3, 4, 5, 100},
		"'<i8'": []int64{1, 2, 3, 4, 5, 100}, "'>i8'": []int64{1, 2, 3, 4, 5, 100},
		"'<u8'": []uint64{1, 2, 3, 4, 5, 100}, "'>i4'": []int32{1, 2, 3, 4, 5, 100},
		"'<i4'": []int32{1, 2, 3, 4, 5, 100}, "'<u4'": []uint32{1, 2, 3, 4, 5, 100},
		"'<i2'": []int16{1, 2, 3, 4, 5, 100}, "'>u2'": []uint16{1, 2, 3, 4, 5, 100},
		"'|i1'": []int8{1, 2, 3, 4, 5, 100}, "'|u1'": []uint8{1, 2, 3, 4, 5, 100},
	} {
		for version := range byte(3) {
			got, err := ReadNPY(bytes.NewReader(npyFile(version+1, npyDict(descr, "False", "(3, 2)"), v)),
				"f")
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s, version %d: %+v, %v", descr, version+1, got, err)
			}
		}
	}
	for _, c := range []struct {
		descr, fortran, shape string
		numbers               any
		want                  fwsum.Dense
	}{
		{"'<f8'", "True", "(3, 2)", []float64{1, 3, 5, 2, 4, 100}, *want},
		{"'|b1'", "False", "(2,)", []bool{true, false}, fwsum.Dense{N: 2, M: 1, Val: []float64{1, 0}}},
		{"'<i2'", "False", "(1, 2)", []int16{-7, 7}, fwsum.Dense{N: 1, M: 2, Val: []float64{-7, 7}}},
	} {
		got, err := ReadNPY(bytes.NewReader(npyFile(1, npyDict(c.descr, c.fortran, c.shape), c.numbers)), "f")
		if err != nil || !reflect.DeepEqual(*got, c.want) {
			t.Errorf("%+v, %v, want %+v", got, err, c.want)
		}
	}
	two := []float64{1, 2}
	for want, b := range map[string][]byte{
		"not a .npy file: write one by numpy.save(name, matrix); the arrays of a .npz one by one": []byte("PK\x03\x04"),
		"the header is cut off, or longer than 64 KiB: write the matrix anew by numpy.save":       npyFile(1, npyDict("'<f8'", "False", "(1, 2)"))[:40],
		`numbers of the type "c": save float ones, numpy.save(name, x.astype(float))`: npyFile(1,
			npyDict("'<c16'", "False", "(1, 2)"), two),
		"an array of the shape (1, 1, 2), want a matrix: reshape it, a row for each example": npyFile(1,
			npyDict("'<f8'", "False", "(1, 1, 2)"), two),
		"an array of the shape (), want a matrix: reshape it, a row for each example": npyFile(1,
			npyDict("'<f8'", "False", "()"), two),
		"an array of the shape (0, 2), want a matrix: reshape it, a row for each example": npyFile(1,
			npyDict("'<f8'", "False", "(0, 2)"), two),
		"the file ends after 2 of 1000000000 numbers: is it cut off? Get it again": npyFile(1,
			npyDict("'<f8'", "False", "(500000000, 2)"), two),
		"number 2 is NaN: replace it, or remove its row": npyFile(1, npyDict("'<f8'", "False", "(1, 2)"),
			[]float64{1, math.NaN()}),
		"there is more after the matrix of the shape (1, 2): save one array in a file": npyFile(1,
			npyDict("'<f8'", "False", "(1, 2)"), two, two),
		`a header without a matrix of numbers, "{'descr': [('a', '<f8')]"…: save a float matrix, ` +
			"numpy.save(name, x.astype(float))": npyFile(1, npyDict("[('a', '<f8')]", "False", "(1, 2)"),
			two),
	} {
		if got, err := ReadNPY(bytes.NewReader(b), "f"); err == nil || err.Error() != "fwdata: f: "+want ||
			got != nil {
			t.Errorf("%v, %v, want %s", got, err, want)
		}
	}
}

// FuzzReadNPY: no input panics or takes more memory than its length; what is accepted survives being written.
func FuzzReadNPY(f *testing.F) {
	f.Add(npyFile(1, npyDict("'<f8'", "False", "(1, 2)"), []float64{1, 2}))
	f.Add(npyFile(2, npyDict("'>i2'", "True", "(2,)"), []int16{1, 2}))
	f.Add(npyFile(1, npyDict("'<f8'", "False", "(1099511627776, 1)"), 1.))
	f.Add(npyFile(1, npyDict("'|b1'", "False", "(3, 1)"), []bool{true, false, true}))
	f.Fuzz(func(t *testing.T, b []byte) {
		x, err := ReadNPY(bytes.NewReader(b), "f")
		if err != nil {
			if x != nil || !strings.HasPrefix(err.Error(), "fwdata: f: ") {
				t.Fatalf("%v, %q does not name the file", x, err)
			}
			return
		}
		if len(x.Val) != x.N*x.M || len(x.Val) == 0 || slices.ContainsFunc(x.Val,
			func(v float64) bool { return v-v != 0 }) {
			t.Fatalf("%+v", x)
		}
		var out bytes.Buffer
		if err := WriteNPY(&out, x); err != nil || (out.Len()-8*len(x.Val))%64 != 0 {
			t.Fatalf("%d bytes for %d numbers, %v", out.Len(), len(x.Val), err)
		}
		if back, err := ReadNPY(&out, "f"); err != nil || !reflect.DeepEqual(back, x) {
			t.Fatalf("%v\n%+v\n%+v", err, x, back)
		}
	})
}
