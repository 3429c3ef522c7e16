package fwdata

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"github.com/projection-free/fwlab/fwopt/internal/num"
	"github.com/projection-free/fwlab/fwopt/internal/sample"
)

// Ratings are numbers that users gave to items: some entries of a matrix, as for matrix
// completion. Treat what Split has made of them as read-only.
type Ratings struct {
	Name         string        // as figures show it; that of a generated stand-in ends in "(generated)"
	Users, Items int           // h and m: the rows and columns of the matrix
	At           []fwset.Entry // of each rating the user, its row, and the item, its column
	Value        []float64     // the ratings b_k
	UserID       []string      // what the file calls each user; nil if there is no file
	ItemID       []string      // and each item
	Generated    bool          // not real data: say so wherever it is shown
}

// ReadRatings reads ratings from r: text of a user, an item and a number a line, between
// commas, tabs or semicolons, plain or packed by gzip or bzip2. Further columns are left
// out, and a line has at most 1 MiB. Users and items are called by any text, without the
// blanks around it, and numbered as they come. A first line with no number in the third
// column is a heading; one by which the columns are others is refused. The name stands for
// the file in errors, which say the line and a remedy, and is the Name. It costs O(ratings).
func ReadRatings(r io.Reader, name string) (*Ratings, error) {
	p, s := &parser{name: name}, &Ratings{Name: name}
	users, items := map[string]int{}, map[string]int{}
	first := map[fwset.Entry]int{} // the line of each
	err := p.table(r, func(row []string) error {
		x, err := p.rating(row)
		if err != nil {
			switch is, others := heading(row); {
			case p.line > 1 || !is:
				return err
			case others:
				return p.fail("the heading %s does not begin with a user, an item and a rating: "+
					"put these first, without a column of line numbers", quote(strings.Join(row, " ")))
			}
			return nil
		}
		e := fwset.Entry{Row: numbered(users, &s.UserID, row[0]), Col: numbered(items, &s.ItemID, row[1])}
		if line, twice := first[e]; twice {
			return p.fail("user %s and item %s again, as in line %d: keep one",
				quote(row[0]), quote(row[1]), line)
		}
		first[e] = p.line
		s.At, s.Value = append(s.At, e), append(s.Value, x)
		return nil
	})
	if err == nil && len(s.Value) == 0 {
		err = p.ends("a rating")
	}
	if err != nil {
		return nil, err
	}
	s.Users, s.Items = len(users), len(items)
	return s, nil
}

// heading reports whether the third column is a word, and no number in disguise, and whether
// it says that the first three are not user, item and rating: an empty name is that of an
// index, and a time or the name of something is no rating.
func heading(row []string) (is, others bool) {
	if len(row) < 3 {
		return false, false
	}
	_, err := strconv.ParseFloat(row[2], 64)
	third := strings.ToLower(row[2])
	return errors.Is(err, strconv.ErrSyntax) && strings.ContainsFunc(third, unicode.IsLetter), row[0] == "" ||
		strings.HasSuffix(third, "id") || strings.Contains(third, "time") || strings.Contains(third, "date")
}

// rating returns the third column, if all three are there, and trims them.
func (p *parser) rating(row []string) (float64, error) {
	if len(row) < 3 {
		return 0, p.fail("columns: %d, want a user, an item and a number, between commas, tabs or semicolons",
			len(row))
	}
	for i := range row[:3] {
		row[i] = strings.TrimSpace(row[i])
	}
	if row[0] == "" || row[1] == "" {
		return 0, p.fail("no user or no item: fill it in, or remove the line")
	}
	x, ok := number([]byte(row[2]))
	if ok {
		return x, nil
	}
	remedy := "remove or replace its line, or if all lines are so, put the rating third"
	if strings.Contains(row[2], ",") {
		remedy = "write a point and no comma"
	}
	return 0, p.fail("rating %s is not a finite number: %s", quote(row[2]), remedy)
}

// numbered returns the number of a name, a new one if it has none.
func numbered(all map[string]int, names *[]string, name string) int {
	k, ok := all[name]
	if !ok {
		k, name = len(all), strings.Clone(name) // not the whole line
		all[name] = k
		*names = append(*names, name)
	}
	return k
}

// Entry returns the row of a user and the column of an item, by the names in the file; an
// error names who is not there. It costs O(h + m).
func (s *Ratings) Entry(user, item string) (fwset.Entry, error) {
	e := fwset.Entry{Row: slices.Index(s.UserID, user), Col: slices.Index(s.ItemID, item)}
	if e.Row < 0 {
		return e, fmt.Errorf("fwdata: %s has no rating by user %s", s.Name, quote(user))
	}
	if e.Col < 0 {
		return e, fmt.Errorf("fwdata: %s has no rating of item %s", s.Name, quote(item))
	}
	return e, nil
}

// Split draws frac·n of the ratings (rounded) by the seed and returns them as train, the
// others as test, both of the same users and items and in the order of s. The same seed
// gives the same split. It panics when one of the two would be empty.
func (s *Ratings) Split(frac float64, seed uint64) (train, test *Ratings) {
	n := len(s.Value)
	k := firstPart(n, "ratings", frac)
	place := shuffled(sample.NewPortable(seed, 1), n)
	part := func(size int, train bool) *Ratings {
		p := *s
		p.At, p.Value = make([]fwset.Entry, 0, size), make([]float64, 0, size)
		for i, b := range s.Value {
			if place[i] < k == train {
				p.At, p.Value = append(p.At, s.At[i]), append(p.Value, b)
			}
		}
		return &p
	}
	return part(k, true), part(n-k, false)
}

// LeastSquares returns f(w) = (1/n) Σ_k ½(w_k − b_k)², over vectors of d numbers of which it
// reads the first n, one for each rating: with d = n + N it goes with
// fwset.NewCompletion(s.Users, s.Items, entries, tau), where the first n entries are s.At and
// the N others those to be predicted. Its L is 1. It panics if d < n.
func (s *Ratings) LeastSquares(d int) *fwsum.EntryLoss {
	if d < len(s.Value) {
		panic(need.Linef("fwdata: least squares of %d ratings over vectors of %d numbers", len(s.Value), d))
	}
	f := fwsum.NewEntryLoss(d, s.Value)
	f.Name = s.Name
	return f
}

// RMSE returns the root of the mean square of x_k − b_k, of one prediction for each rating.
// It panics if these are not as many.
func (s *Ratings) RMSE(x []float64) float64 {
	if len(x) != len(s.Value) {
		panic(need.Linef("fwdata: %d predictions of %d ratings", len(x), len(s.Value)))
	}
	sum := 0.0
	for k, b := range s.Value {
		sum += (x[k] - b) * (x[k] - b)
	}
	return math.Sqrt(sum / float64(len(x)))
}

// String tells how many there are, as in "own.csv: 100,836 ratings by 610 users of 9,724 items".
func (s *Ratings) String() string {
	k := num.Thousands
	return fmt.Sprintf("%s: %s ratings by %s users of %s items",
		s.Name, k(len(s.Value)), k(s.Users), k(s.Items))
}
