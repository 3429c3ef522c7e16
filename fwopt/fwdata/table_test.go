package fwdata

import (
	"bytes"
	"encoding/csv"
	"errors"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt/fwsum"
)

func TestReadTable(t *testing.T) {
	for _, c := range []struct {
		text, target string
		leave        []string
		want         Table
	}{
		{"age,price\n3,10.5\n4,11\n", "", nil, Table{[]string{"age"}, &fwsum.Dense{N: 2, M: 1,
			Val: []float64{3, 4}},
			[]string{"10.5", "11"}, "price"}},
		{"\ufeffage;town;price;\r\n3;\"a;b\";10.5;1\r\n\r\n 4 ;Rome;11; 2\r\n", "price", []string{"town"},
			Table{[]string{"age", "4"}, &fwsum.Dense{N: 2, M: 2, Val: []float64{3, 1, 4, 2}},
				[]string{"10.5", "11"}, "price"}},
		{"1\t2\tyes\n3\t4e1\tno", "3", nil, Table{[]string{"1", "2"},
			&fwsum.Dense{N: 2, M: 2, Val: []float64{1, 2, 3, 40}}, []string{"yes", "no"}, ""}},
		{gz("yes,1\nno,2\n"), "1", nil, Table{[]string{"2"}, &fwsum.Dense{N: 2, M: 1, Val: []float64{1, 2}},
			[]string{"yes", "no"}, ""}},
		{"a,a,b\n1,2,3\n", "b", []string{"2"}, Table{[]string{"a"}, &fwsum.Dense{N: 1, M: 1,
			Val: []float64{1}},
			[]string{"3"}, "b"}},
		{"2019,2020,y\n1,2,3\n", "y", nil, Table{[]string{"2019", "2020"},
			&fwsum.Dense{N: 1, M: 2, Val: []float64{1, 2}}, []string{"3"}, "y"}},
	} {
		got, err := ReadTable(strings.NewReader(c.text), "f", c.target, c.leave...)
		if err != nil || !reflect.DeepEqual(*got, c.want) {
			t.Errorf("%q: %+v, %v, want %+v", c.text, got, err, c.want)
		}
	}
	for _, c := range []struct{ text, target, leave, want string }{
		{"", "", "", "line 1: the file ends without a row of numbers: is it empty, or a broken download?"},
		{"a,b\n", "", "", "line 1: the file has a heading and no rows"},
		{"a\n1\n", "", "",
			"line 1: a single column, want one to predict and others to predict it from, between " +
				"commas, tabs or semicolons"},
		{"a,b,c,d\n1,2,3,4\n1,2,3\n", "", "",
			"line 3: 3 columns, where the first line has 4: is a separator missing, " +
				"or a comma within a number or a text without quotes?"},
		{"a,town,y\n1,Rome,2\n", "", "",
			`line 2: column "town" has "Rome", which is not a finite number: leave the ` +
				`column out (fwlab fit --leave town), or write its values as numbers`},
		{"a,b,y\n1,,2\n", "", "", `line 2: column "b" is empty: fill it in, or remove the line`},
		{"a,b,y\n1,2,\n", "", "", `line 2: column "y" is empty: fill it in, or remove the line`},
		{"a,b,y\n1,nan,2\n", "", "",
			`line 2: column "b" has "nan", which is not a finite number: leave the column ` +
				`out (fwlab fit --leave b), or write its values as numbers`},
		{"a,the town,y\n1,Rome,2\n", "", "",
			`line 2: column "the town" has "Rome", which is not a finite number: leave the ` +
				`column out (fwlab fit --leave 2), or write its values as numbers`},
		{"a,b,y\n1,2,3\n", "z", "", `line 1: no column "z" to predict; there are "a, b, y"`},
		{"a,b,y\n1,2,3\n", "", "z", `line 1: no column "z" to leave out; there are "a, b, y"`},
		{"a,b,y\n1,2,3\n", "y", "y", `line 1: column "y" is to be predicted and to be left out`},
		{"<html>", "", "",
			"line 1: a web page (HTML), not data: look at it, remove it and get the file again"},
	} {
		var leave []string
		if c.leave != "" {
			leave = []string{c.leave}
		}
		got, err := ReadTable(strings.NewReader(c.text), "f", c.target, leave...)
		if err == nil || err.Error() != "fwdata: f: "+c.want || got != nil {
			t.Errorf("%q: %v, %v, want %s", c.text, got, err, c.want)
		}
	}
}

// Without a column to predict all are read; a column that is missing is told by its name.
func TestReadColumns(t *testing.T) {
	got, err := ReadColumns(strings.NewReader("a,town,b\n1,Rome,2\n"), "f", "town")
	want := Table{Columns: []string{"a", "b"}, X: &fwsum.Dense{N: 1, M: 2, Val: []float64{1, 2}}}
	if err != nil || !reflect.DeepEqual(*got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	var no NoColumn
	_, err = ReadColumns(strings.NewReader("a,b\n1,2\n"), "f", "c")
	if !errors.As(err, &no) || no.Column != "c" {
		t.Error(err)
	}
}

// FuzzReadTable: no input panics, and what is accepted is whole, finite, and survives being written and read.
func FuzzReadTable(f *testing.F) {
	for _, seed := range []string{"a,b\n1,2\n", "1;2;x\n3;4;y", "\ufeff\"a\"\tb\n1e5\tx\n",
		"a,b,c,d\n1,2,3\n", ",,\n1,2,3",
		"a,b\n1,\n", "1,2\n3,\"4", "a,a,2\n1,1,1\n", "PK\x03\x04", gz("a,b\n1,2\n"), "1,2\r3,4\r"} {
		f.Add([]byte(seed), "")
		f.Add([]byte(seed), "a")
	}
	f.Fuzz(func(t *testing.T, b []byte, target string) {
		s, err := ReadTable(bytes.NewReader(b), "f", target)
		if err != nil {
			if s != nil || !strings.HasPrefix(err.Error(), "fwdata: f: ") {
				t.Fatalf("%v, %q does not name the file", s, err)
			}
			return
		}
		n, m := s.X.Size()
		if n < 1 || m < 1 || len(s.X.Val) != n*m || len(s.Target) != n || len(s.Columns) != m ||
			slices.ContainsFunc(s.X.Val, func(v float64) bool { return v-v != 0 }) {
			t.Fatalf("%+v", s)
		}
		var out bytes.Buffer
		w := csv.NewWriter(&out)
		for i := range n {
			row := []string{}
			for _, v := range s.X.Row(i) {
				row = append(row, strconv.FormatFloat(v, 'g', -1, 64))
			}
			w.Write(append(row, s.Target[i]))
		}
		w.Flush()
		if head, _, _ := strings.Cut(out.String(), "\n"); strings.ContainsAny(head, ";\t\r") ||
			strings.Contains(head, "::") {
			return // the first line tells what a file is
		}
		back, err := ReadTable(bytes.NewReader(out.Bytes()), "f", "")
		if err != nil || !reflect.DeepEqual(back.X, s.X) || !slices.Equal(back.Target, s.Target) {
			t.Fatalf("%v\n%+v\n%+v\n%q", err, s, back, out.String())
		}
	})
}
