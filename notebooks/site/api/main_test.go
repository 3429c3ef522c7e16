package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const sums = `// Package sums has sums. See [Sum.Add] and [other.One].
package sums

import (
	"errors"

	"github.com/projection-free/fwlab/lib/other"
)

// The kinds.
const (
	Plain = iota
	Fused
	hidden
)

// ErrNone says that there is none.
var ErrNone = errors.New("none < 1")

// Sum is a sum.
type Sum struct {
	N, M  int // terms
	Parts []other.One
	own   float64
}

// NewSum returns 0.
func NewSum() *Sum { return &Sum{} }

// Add adds x.
func (s *Sum) Add(x float64) (*Sum, error) { s.own += x; return s, nil }
`

// TestRead looks at the page of a package in a folder of two, a command and an internal package.
func TestRead(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"lib/sums/sums.go": sums,
		"lib/sums/sums_test.go": "package sums_test\n\nfunc ExampleSum() {\n\tfmt.Println(sums.NewSum())\n" +
			"\t// Output: 0\n}\n",
		"lib/other/other.go":    "// Package other is another.\npackage other\n\n// One is one.\ntype One int\n",
		"lib/run/main.go":       "// Command run runs.\npackage main\n\nfunc main() {}\n",
		"lib/internal/in/in.go": "package in\n\nfunc In() {}\n",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	pages, err := read("lib")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range pages {
		names = append(names, p.Name)
	}
	if got := strings.Join(names, " "); got != "other run sums" || !pages[1].Command || pages[0].Command {
		t.Fatalf("pages of %s", got)
	}
	p := pages[2]
	if p.Dir != "lib/sums" || p.Synopsis != "Package sums has sums." {
		t.Errorf("%s: %s", p.Dir, p.Synopsis)
	}
	for _, want := range []string{
		`<a href="#Sum.Add">Sum.Add</a>`, `<a href="api-other.html#One">`, // in a comment
		`<h2 id="Plain"><small>const</small> Plain, …`, `<span id="Fused">`,
		`<h2 id="Sum"><small>type</small> Sum`, `blob/main/lib/sums/sums.go#L21">source</a>`,
		`<span id="Sum.N">N</span>, <span id="Sum.M">M</span>  int <span class="c">// terms</span>`,
		`[]other.<a class="declared" href="api-other.html#One">One</a>`,
		`<h3 id="NewSum">`, `() *<a class="declared" href="#Sum">Sum</a>`,
		`<h3 id="Sum.Add"><small>func</small> Sum.Add`, `&#34;none &lt; 1&#34;`,
		`<a class="declared" href="api-sums.html#NewSum">NewSum</a>())</pre>`, `<pre>0` + "\n</pre>",
	} {
		if !strings.Contains(p.HTML, want) {
			t.Errorf("no %s in\n%s", want, p.HTML)
		}
	}
	for _, not := range []string{"hidden", "own ", "s.own"} {
		if strings.Contains(p.HTML, not) {
			t.Errorf("%q is shown", not)
		}
	}
	ids := map[string]bool{}
	for _, m := range regexp.MustCompile(` id="([^"]*)"`).FindAllStringSubmatch(p.HTML, -1) {
		if ids[m[1]] {
			t.Errorf("two places are %s", m[1])
		}
		ids[m[1]] = true
	}
}

// TestReadBroken: a file that does not parse is an error, and a package without a comment.
func TestReadBroken(t *testing.T) {
	for _, text := range []string{"package x\nfunc", "package x\n"} {
		dir := t.TempDir()
		if err := os.WriteFile(dir+"/x.go", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if pages, err := read(dir); err == nil {
			t.Errorf("%d pages of %q", len(pages), text)
		}
	}
}
