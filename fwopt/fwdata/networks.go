package fwdata

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/projection-free/fwlab/datasets"
	"github.com/projection-free/fwlab/fwopt/internal/need"
)

// LoadNetwork returns the registry's road network of that name: "SiouxFalls", "Anaheim"
// or "Chicago-Sketch", with what its toll and length cost. It looks for its files, say
// SiouxFalls_net.tntp, as
//
//	$FWLAB_DATA/FILE, $FWLAB_DATA/NAME/FILE, $FWLAB_DATA/traffic/FILE,
//	$FWLAB_DATA/traffic/NAME/FILE, FILE in CacheDir,
//
// and checks their SHA-256. The best known flows and the coordinates may be missing. A
// network whose links or demands are nowhere gives an error that wraps ErrNotHere; a file
// that is not what the registry says gives an error that names it.
func LoadNetwork(name string) (*Network, error) {
	e, ok := datasets.LookupNetwork(name)
	if !ok {
		var names []string
		for _, e := range datasets.Networks() {
			names = append(names, e.Name)
		}
		return nil, fmt.Errorf("fwdata: no network %q in the registry (%s): files of your own go in by ReadNetwork", name, strings.Join(names, ", "))
	}
	dir, err := CacheDir()
	if err != nil {
		dir = "" // no home: do without
	}
	return loadNetwork(e, os.Getenv("FWLAB_DATA"), dir)
}

// LoadNetworkOrGrid returns LoadNetwork(name), or a Grid of about its size when it is not
// on this machine. A damaged file is an error all the same.
func LoadNetworkOrGrid(name string, seed uint64) (*Network, error) {
	n, err := LoadNetwork(name)
	if e, known := datasets.LookupNetwork(name); known && errors.Is(err, ErrNotHere) {
		return Grid(name, e.Grid[0], e.Grid[1], e.Grid[2], seed), nil
	}
	return n, err
}

// AdoptFile checks the file of e at path, and moves it into CacheDir, so it must lie on
// the same file system. A file that fails the check stays where it is.
func AdoptFile(e datasets.Entry, path string) error {
	dir, err := CacheDir()
	if err != nil {
		return err
	}
	if _, _, err := readChecked(e, path, e.SHA256); err != nil {
		return err
	}
	_, err = moveInto(dir, e.File, path)
	return err
}

// loadNetwork is LoadNetwork for one entry. An empty folder name is no folder.
func loadNetwork(e datasets.Network, dataDir, cacheDir string) (*Network, error) {
	n := &Network{}
	for i, file := range e.Files() {
		path, _, err := find(file, dataDir, cacheDir)
		if path == "" && err == nil && dataDir != "" {
			path, _, err = find(file, filepath.Join(dataDir, "traffic"), "")
		}
		if err != nil {
			return nil, err
		}
		if path == "" && i < 2 {
			return nil, fmt.Errorf("fwdata: %s of %s is %w (FWLAB_DATA is %q; cache %s): run `go run ./fwopt/fwfetch/get %s` in fwlab's folder, or call fwfetch.LoadNetwork, or set FWLAB_DATA to a folder that holds it",
				file.File, e.Name, ErrNotHere, dataDir, cacheDir, e.Name)
		}
		if path == "" {
			continue
		}
		if i == 0 {
			n.Source = path
		}
		b, _, err := readChecked(file, path, file.SHA256)
		if err != nil {
			return nil, err
		}
		if err := []func(io.Reader, string) error{n.readLinks, n.readTrips, n.readFlow, n.readNodes}[i](bytes.NewReader(b), path); err != nil {
			return nil, err
		}
	}
	n.Name, n.Best = e.Name, e.Best
	return n.Weigh(e.Toll, e.Length), nil
}

// Missing returns which of these sets and road networks of the registry are not on this
// machine, so that LoadOrTwin and LoadNetworkOrGrid generate something in their place. A
// damaged one is not missing. It panics if the registry has no such name.
func Missing(names ...string) (missing []string) {
	for _, name := range names {
		_, set := datasets.Lookup(name)
		_, network := datasets.LookupNetwork(name)
		var err error
		switch {
		case set:
			_, err = Load(name)
		case network:
			_, err = LoadNetwork(name)
		default:
			panic(need.Linef("fwdata: no set or network %q in the registry", name))
		}
		if errors.Is(err, ErrNotHere) {
			missing = append(missing, name)
		}
	}
	return missing
}
