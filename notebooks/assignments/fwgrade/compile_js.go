package main

import (
	"context"
	"errors"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"syscall/js"
)

// studentBuilder needs no module: the kernel in the browser has the packages.
func studentBuilder(context.Context) (*builder, error) {
	dir, err := os.MkdirTemp("", "fwgrade")
	return &builder{dir: dir}, err
}

// compile lets the kernel compile package wire and the program in dir, and returns what the compiler says.
func compile(_ context.Context, dir, _ string) (said string, err error) {
	imports := map[string]bool{}
	for _, pattern := range []string{"*.go", "wire/*.go"} {
		files, _ := filepath.Glob(filepath.Join(dir, pattern))
		for _, name := range files {
			f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
			if err != nil {
				return err.Error(), err
			}
			for _, i := range f.Imports {
				path, _ := strconv.Unquote(i.Path.Value)
				imports[path] = true
			}
		}
	}
	var list []any
	for path := range imports {
		list = append(list, path)
	}
	done := make(chan js.Value, 1)
	then := js.FuncOf(func(_ js.Value, args []js.Value) any { done <- args[0]; return nil })
	defer then.Release()
	js.Global().Call("fwBuild", dir, list).Call("then", then)
	got := <-done
	if got.Get("code").Int() != 0 {
		err = errors.New("it does not compile")
	}
	return got.Get("said").String(), err
}
