package cells

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

type cell struct {
	Source string
	Whole  bool
}

type gonbs struct {
	Text, Final, Err string
	Places           []struct{ Id, Line int }
	Args             []string
	Test, Empty      bool
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// output runs a command in dir.
func output(t *testing.T, dir string, in []byte, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(name, args...)
	var wrong bytes.Buffer
	cmd.Dir, cmd.Stdin, cmd.Stderr = dir, bytes.NewReader(in), &wrong
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", name, args, err, wrong.Bytes())
	}
	return out
}

// TestGoNB composes all cells of all notebooks and fifty made to differ, with GoNB's own code beside ours: programs,
// places of lines, arguments and refusals are the same. It builds a copy of GoNB with a door in it: make kernel.
func TestGoNB(t *testing.T) {
	if os.Getenv("KERNEL_GONB") == "" {
		t.Skip("it builds GoNB: make kernel")
	}
	root := must(filepath.Abs("../../.."))
	docker := filepath.Join(root, "docker")
	dir := t.TempDir()
	from := strings.TrimSpace(string(output(t, docker, nil,
		"go", "list", "-m", "-f", "{{.Dir}}", "github.com/janpfeifer/gonb")))
	gonb := filepath.Join(dir, "gonb")
	if err := os.CopyFS(gonb, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{"hook": "internal/goexec/hook.go", "main": "cmd/oracle/main.go"} {
		os.MkdirAll(filepath.Dir(filepath.Join(gonb, to)), 0o755)
		text := must(os.ReadFile("../testdata/" + from + ".go.txt"))
		if err := os.WriteFile(filepath.Join(gonb, to), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	mod := must(os.ReadFile(docker + "/go.mod"))
	mod = append(mod, fmt.Sprintf("\nreplace github.com/janpfeifer/gonb => %s\n", gonb)...)
	os.WriteFile(dir+"/go.mod", mod, 0o644)
	os.WriteFile(dir+"/go.sum", must(os.ReadFile(docker+"/go.sum")), 0o644)
	output(t, docker, nil, "go", "build", "-mod=mod", "-modfile="+dir+"/go.mod", "-o", dir,
		"github.com/janpfeifer/gonb/cmd/oracle", "golang.org/x/tools/cmd/goimports")

	var books [][]cell
	var names []string
	filepath.WalkDir(filepath.Join(root, "notebooks"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".ipynb") || strings.Contains(path, "checkpoints") {
			return err
		}
		var nb struct {
			Cells []struct {
				CellType string `json:"cell_type"`
				Source   any
			}
		}
		if err := json.Unmarshal(must(os.ReadFile(path)), &nb); err != nil {
			return err
		}
		var book []cell
		for _, c := range nb.Cells {
			if c.CellType == "code" {
				s := ""
				switch source := c.Source.(type) {
				case string:
					s = source
				case []any:
					for _, line := range source {
						s += line.(string)
					}
				}
				book = append(book, cell{Source: s})
			}
		}
		if len(book) > 1 {
			book[len(book)-1].Whole, book[1].Whole = true, true
		}
		books, names = append(books, book), append(names, strings.TrimPrefix(path, root+"/"))
		return nil
	})
	var differ []cell
	for _, s := range strings.Split(string(must(os.ReadFile("../testdata/differ.txt"))), "\n----\n") {
		differ = append(differ, cell{s, true})
	}
	if len(differ) < 50 {
		t.Errorf("%d cells made to differ", len(differ))
	}
	books, names = append(books, differ), append(names, "differ.txt")

	known := map[string]string{}
	list := []string{"list", "-e", "-f", "{{if not .DepsErrors}}{{.ImportPath}}={{.Name}}{{end}}"}
	for _, line := range strings.Fields(string(output(t, root, nil, "go", append(list, Roots...)...))) {
		path, name, _ := strings.Cut(line, "=")
		if name != "main" {
			known[path] = name
		}
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	t.Setenv("GOFLAGS", "-mod=mod")
	var want [][]gonbs
	in := must(json.Marshal(books))
	if err := json.Unmarshal(output(t, dir, in, dir+"/oracle"), &want); err != nil {
		t.Fatal(err)
	}
	cells, whole := 0, 0
	for b, book := range books {
		n := New(known)
		for i, c := range book {
			cells++
			w := want[b][i]
			p, err := n.Compose(i+1, c.Source)
			where := fmt.Sprintf("%s, cell %d:\n%s\n", names[b], i+1, c.Source)
			if p.Empty != w.Empty {
				t.Errorf("%sempty: %v, GoNB %v", where, p.Empty, w.Empty)
			}
			if w.Empty {
				continue
			}
			if (err != nil) != (w.Err != "") && w.Final+w.Err != "" {
				t.Errorf("%serror: %v, GoNB %q", where, err, w.Err)
			}
			if w.Text == "" {
				continue
			}
			text, places := p.decls.render(p.decls.imports, mainOf(p))
			if got, want := plain(text), plain(w.Text); got != want {
				t.Errorf("%sthe program is\n%s\nGoNB's\n%s", where, got, want)
			}
			if w.Final != "" {
				whole++
				if got, want := plain(p.Text), plain(w.Final); got != want {
					t.Errorf("%swith imports the program is\n%s\nGoNB's\n%s", where, got, want)
				}
				places = p.Lines
			}
			for j, l := range w.Places {
				if !blank.MatchString(w.Text) && l.Line >= 0 &&
					(j >= len(places) || places[j] != Line{l.Id, l.Line}) {
					t.Errorf("%sline %d is from %v, GoNB's %v", where, j+1, places[min(j, len(places)-1)], l)
					break
				}
			}
			if p.Test != w.Test || !slices.Equal(p.Args, w.Args) {
				t.Errorf("%sarguments %q %v, GoNB's %q %v", where, p.Args, p.Test, w.Args, w.Test)
			}
			n.Keep(p)
		}
	}
	t.Logf("%d cells of %d notebooks, %d with their imports", cells, len(books), whole)
}

// mainOf cuts the main out of a program, where it stands last.
func mainOf(p *Program) *piece {
	i := strings.LastIndex(p.Text, "\n\nfunc main(")
	if i < 0 {
		return &piece{text: "func main() { flag.Parse() }"}
	}
	n := strings.Count(p.Text[:i+2], "\n")
	var lines []Line
	if n < len(p.Lines) {
		lines = p.Lines[n:]
	}
	return &piece{strings.TrimSuffix(p.Text[i+2:], "\n"), lines}
}

var blank = regexp.MustCompile(`(?m)^\t_( I)? = .*\n`)

// plain leaves out variables named _, which GoNB writes twice, in any order.
func plain(s string) string { return blank.ReplaceAllString(s, "") }
