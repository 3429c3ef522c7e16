package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// parentFiles is the program that checks: stubs, helpers, and each check a function.
func parentFiles(s *sheet) (program map[string][]byte, list []asked, err error) {
	var helpers, checks []*file
	for _, c := range s.solutions {
		a, f, err := ask(c)
		if err != nil {
			return nil, nil, err
		}
		list, helpers = append(list, a...), append(helpers, f)
	}
	more, err := parseAll(s.helpers)
	if err != nil {
		return nil, nil, err
	}
	helpers = append(helpers, more...)
	var table strings.Builder
	for i := range s.checks {
		c := &s.checks[i]
		text := strings.TrimLeft(c.body, "\n")
		above := strings.TrimSuffix(c.body[:len(c.body)-len(text)], "\n") // its lines
		f, err := parse(c.id, fmt.Sprintf("%sfunc fwgradeCheck%d() {\n%s\n}\n", above, i, text))
		if err != nil {
			return nil, nil, err
		}
		if c.parts, err = partsOf(c, f); err != nil {
			return nil, nil, err
		}
		checks = append(checks, f)
		fmt.Fprintf(&table, "\t\t%q: fwgradeCheck%d,\n", c.id, i)
	}
	prune(helpers, checks)
	var main strings.Builder
	main.WriteString("package main\n\nimport fwgradeWire \"grade/wire\"\n\n")
	for _, a := range list {
		fmt.Fprintf(&main, "var %s %s\n", a.name, a.signature)
	}
	fmt.Fprintf(&main, "\nfunc main() {\n\tfwgradeWire.Check(map[string]func(){\n%s\t}, "+
		"map[string]fwgradeWire.Stub{\n", &table)
	for _, a := range list {
		fmt.Fprintf(&main, "\t\t%q: {&%s, %#v},\n", a.name, a.name, a.back)
	}
	main.WriteString("\t})\n}\n")
	files := append(helpers, checks...)
	lastCounts(files)
	out, err := renderAll(files, list, false)
	if err != nil {
		return nil, nil, err
	}
	out["main.go"] = []byte(main.String())
	return out, list, nil
}

// renderAll renders the files of a program.
func renderAll(files []*file, list []asked, limited bool) (map[string][]byte, error) {
	globals := declared(files)
	for _, a := range list {
		globals[a.name] = true
	}
	var imports []map[string]string
	for _, f := range files {
		imports = append(imports, f.imports)
	}
	imports = append(imports, packages)
	out := map[string][]byte{}
	for i, f := range files {
		text, err := f.render(globals, imports, limited)
		if err != nil {
			return nil, err
		}
		out[fmt.Sprintf("cell%d.go", i)] = text
	}
	return out, nil
}

// A cellError is a student's: the cell that it names is left out and says why.
type cellError string

func (e cellError) Error() string { return string(e) }

// childFiles is the solution's program. A function that is asked for but not
// there says why when it is called: its cell is bad, or missing, or has no such function.
// The program calls a solution as the sheet's checks do, so that what they can call, be
// it generic or of a type of its own, is good here.
func childFiles(s *sheet, solutions []cell, list []asked, bad map[string]string) (map[string][]byte, error) {
	helpers, err := parseAll(s.helpers)
	if err != nil {
		return nil, err
	}
	own, err := parseAll(slices.DeleteFunc(slices.Clone(solutions),
		func(c cell) bool { return bad[c.id] != "" }))
	if err != nil {
		return nil, cellError(err.Error())
	}
	defined := declared(own)
	main := strings.Builder{}
	main.WriteString("package main\n\nimport fwgradeWire \"grade/wire\"\n\nfunc main() {\n")
	stubs := "package main\n"
	for _, a := range list {
		fmt.Fprintf(&main, "\tfwgradeWire.Function(%q, %s { %s })\n", a.name, a.signature, a.call)
		if why := a.lacks(solutions, defined); why != "" {
			stubs += fmt.Sprintf("func %s%s { panic(%q) }\n", a.name, strings.TrimPrefix(a.signature, "func"),
				cmp.Or(bad[a.cell], why))
		}
	}
	main.WriteString("\tfwgradeWire.Serve()\n}\n")
	for _, a := range list { // a function that cannot be called so is its cell's error
		fmt.Fprintf(&main, "\n//line %s:%d\nvar _ = %s { %s }\n", a.cell, a.line, a.signature, a.call)
	}
	confine(helpers)
	prune(helpers, own)
	files := append(helpers, own...)
	lastCounts(files, "main")
	out, err := renderAll(files, list, true)
	if err != nil {
		return nil, err
	}
	out["main.go"], out["stubs.go"] = []byte(main.String()), []byte(stubs)
	return out, nil
}
