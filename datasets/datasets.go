// Package datasets holds what comes with the module: the registry of the
// data sets and road networks that the experiments use, and one small real set, the UCI
// handwritten digits. Package fwdata reads them; README.md beside this file
// gives sources and licences.
package datasets

import (
	_ "embed"
	"encoding/json"
)

//go:embed registry.json
var registry []byte

// Digits is the file digits.csv.gz, byte for byte as scikit-learn packages it:
// 1,797 lines of 64 features (0 to 16) and a label (0 to 9), comma-separated,
// gzipped.
//
//go:embed digits.csv.gz
var Digits []byte

// Entry is one data set of the registry.
type Entry struct {
	Name    string // as Load takes it
	File    string // the file's name at its source
	URL     string // where it is downloaded from, or described (digits)
	SHA256  string // hex digest of the file; empty when not known
	N, M    int    // examples and features
	Classes int    // classes that occur in the file

	Table3 *struct{ N, M, Classes int } // what the paper's Table 3 says; nil when not in it

	MaxBytes      int64 // a download that is longer is refused
	Preprocessing string
	Licence       string
	Citation      string
	Note          string

	// RowNonzeros gives the distribution of the nonzeros of a row as pairs
	// (percent, nonzeros), ascending, from 0 to 100. It shapes generated twins.
	RowNonzeros        [][2]float64
	RowNonzerosAssumed bool // a guess; the file was not at hand
}

// Entries returns the registry, in the file's order.
func Entries() []Entry { return decode[Entry](registry) }

// decode reads a file that is embedded, which a test reads too.
func decode[T any](text []byte) (all []T) {
	if err := json.Unmarshal(text, &all); err != nil {
		panic("datasets: " + err.Error())
	}
	return all
}

// Lookup returns the entry with that name, and whether there is one.
func Lookup(name string) (Entry, bool) {
	for _, e := range Entries() {
		if e.Name == name {
			return e, true
		}
	}
	return Entry{}, false
}

//go:embed networks.json
var networks []byte

// Network is one road network of the registry, in the files of its source.
type Network struct {
	Name string // as LoadNetwork takes it

	// The files, of which Name, File, URL, SHA256 and MaxBytes are set: the links, the
	// demands, the best known flows and the coordinates of the nodes.
	Net, Trips, Flow, Nodes Entry

	Toll, Length float64 // what a unit of each costs, in the unit of time
	Best         float64 // the best known value of Beckmann's objective; 0 if none is published
	Grid         [3]int  // rows, columns and zones of the generated network that stands in
	Licence      string
	Citation     string
	Note         string
}

// Files returns the four files.
func (n Network) Files() []Entry { return []Entry{n.Net, n.Trips, n.Flow, n.Nodes} }

// Networks returns the registry of road networks, in the file's order.
func Networks() []Network {
	all := decode[Network](networks)
	for i := range all {
		n := &all[i]
		for _, f := range []*Entry{&n.Net, &n.Trips, &n.Flow, &n.Nodes} {
			f.Name = n.Name
		}
	}
	return all
}

// LookupNetwork returns the road network with that name, and whether there is one.
func LookupNetwork(name string) (Network, bool) {
	for _, n := range Networks() {
		if n.Name == name {
			return n, true
		}
	}
	return Network{}, false
}
