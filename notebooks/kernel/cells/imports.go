package cells

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strings"
)

// Roots are patterns of the packages that a cell may import: the standard library, gonum, and this module with what
// it draws by.
var Roots = []string{"std", "gonum.org/v1/gonum/...", "gonum.org/v1/plot/...",
	"github.com/janpfeifer/gonb/gonbui", "github.com/projection-free/fwlab/fwopt/..."}

var version = regexp.MustCompile(`/v\d+$`)

// name gives the name of a package.
func (n *Notebook) name(path string) string {
	if name := n.Names[path]; name != "" {
		return name
	}
	path = version.ReplaceAllString(path, "")
	return path[strings.LastIndex(path, "/")+1:]
}

// imports leaves in p what it uses, and adds what it needs and no cell imports, as goimports does.
func (n *Notebook) imports(p *Program, main *piece) error {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "main.go", p.Text, 0)
	if err != nil {
		return &Error{Text: err.Error(), Lines: p.Lines, Code: p.Text}
	}
	open := map[*ast.Ident]bool{}
	for _, id := range file.Unresolved {
		open[id] = true
	}
	used := map[string]bool{}
	ast.Inspect(file, func(node ast.Node) bool {
		if s, ok := node.(*ast.SelectorExpr); ok {
			if id, ok := s.X.(*ast.Ident); ok && open[id] {
				used[id.Name] = true
			}
		}
		return true
	})
	kept := map[string]*imported{}
	for key, i := range p.decls.imports {
		name := i.alias
		if name == "" {
			name = n.name(i.path)
		}
		if used[name] || name == "_" || name == "." {
			kept[key] = i
		}
		delete(used, name)
	}
	for _, name := range keys(used) {
		if path := n.find(name); path != "" {
			kept[importKey(path, "")] = &imported{path: path}
		}
	}
	p.Text, p.Lines = p.decls.render(kept, main)
	for _, i := range kept {
		if _, ok := n.Names[i.path]; !ok && i.path != "unsafe" {
			return &Error{Lines: p.Lines, Code: p.Text, Text: fmt.Sprintf("main.go:%d:1: package %s is not here: there are those of"+
				" the standard library, of gonum and of the pages", lineOf(p.Text, i.path), i.path)}
		}
		p.Imports = append(p.Imports, i.path)
	}
	slices.Sort(p.Imports)
	p.Imports = slices.Compact(p.Imports)
	return nil
}

func lineOf(text, path string) int {
	before, _, _ := strings.Cut(text, `"`+path+`"`)
	return strings.Count(before, "\n") + 1
}

// find gives the package that a name without an import means: one of the standard library before others, then the
// shortest path, then the first.
func (n *Notebook) find(name string) string {
	best := ""
	for path, has := range n.Names {
		if has != name || strings.Contains(path, "internal/") || strings.HasPrefix(path, "vendor/") {
			continue
		}
		if best == "" || slices.Compare(rank(path), rank(best)) < 0 ||
			slices.Equal(rank(path), rank(best)) && path < best {
			best = path
		}
	}
	return best
}

func rank(path string) []int {
	domain := 0
	if first, _, _ := strings.Cut(path, "/"); strings.Contains(first, ".") {
		domain = 1
	}
	crypto := 0
	if strings.HasPrefix(path, "crypto/") || strings.HasPrefix(path, "html/") {
		crypto = 1
	}
	return []int{domain, crypto, len(path)}
}
