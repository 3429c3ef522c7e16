package fwdata

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/projection-free/fwlab/datasets"
	"github.com/projection-free/fwlab/fwopt/internal/need"
)

// NetworkFiles returns what the files of the registry's road network of that name hold, links,
// trips, best known flows and nodes, for fwroad.LoadNetwork; "" for the path of one of the last
// two that is not here. Their SHA-256 is checked.
func NetworkFiles(name string) (paths [4]string, texts [4][]byte, err error) {
	e, ok := datasets.LookupNetwork(name)
	if !ok {
		return paths, texts, fmt.Errorf("fwdata: no network %q in the registry", name)
	}
	return networkFiles(e, os.Getenv("FWLAB_DATA"), cacheDir())
}

// networkFiles is NetworkFiles for one entry. An empty folder name is no folder.
func networkFiles(e datasets.Network, dataDir, cacheDir string) (
	paths [4]string, texts [4][]byte, err error) {
	for i, file := range e.Files() {
		path, _, err := find(file, dataDir, cacheDir)
		if path == "" && err == nil && dataDir != "" {
			path, _, err = find(file, filepath.Join(dataDir, "traffic"), "")
		}
		if path == "" && err == nil && i < 2 {
			err = fmt.Errorf("fwdata: %s of %s is %w (FWLAB_DATA is %q; cache %s): "+
				"run `go run ./fwopt/fwfetch %s` in fwlab's folder, "+
				"or set FWLAB_DATA to a folder that holds it",
				file.File, e.Name, ErrNotHere, dataDir, cacheDir, e.Name)
		}
		if err == nil && path != "" {
			texts[i], _, err = readChecked(file, path, file.SHA256)
		}
		if err != nil {
			return paths, texts, err
		}
		paths[i] = path
	}
	return paths, texts, nil
}

// Unavailable returns which of these sets and road networks of the registry are not on this
// machine, so that LoadOrTwin and fwroad.LoadNetworkOrGrid generate something in their place. A
// damaged one is not missing. It panics if the registry has no such name.
func Unavailable(names ...string) (missing []string) {
	for _, name := range names {
		_, set := datasets.Lookup(name)
		_, network := datasets.LookupNetwork(name)
		var err error
		switch {
		case set:
			_, err = Load(name)
		case network:
			_, _, err = NetworkFiles(name)
		default:
			panic(need.Linef("fwdata: no set or network %q in the registry", name))
		}
		if errors.Is(err, ErrNotHere) {
			missing = append(missing, name)
		}
	}
	return missing
}
