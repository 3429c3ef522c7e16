package datasets

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// strict fails where the file has a field that into has not.
func strict(t *testing.T, file []byte, into any) {
	d := json.NewDecoder(bytes.NewReader(file))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		t.Fatal(err)
	}
}

func TestRegistry(t *testing.T) {
	strict(t, registry, &[]Entry{})
	want := map[string][3]int{ // Table 3
		"news20": {15935, 62061, 20}, "rcv1": {15564, 47236, 53}, "aloi": {108000, 128, 1000},
	}
	for _, e := range Entries() {
		if e.Name == "" || e.File == "" || e.MaxBytes <= 0 || e.Licence == "" || e.Citation == "" ||
			e.Preprocessing == "" ||
			e.N < e.Classes || e.Classes < 2 || e.M < 1 || !strings.HasPrefix(e.URL, "https://") {
			t.Errorf("%s: incomplete: %+v", e.Name, e)
		}
		if e.Name != "digits" && !strings.HasSuffix(e.URL, "/"+e.File) {
			t.Errorf("%s: URL %s does not end in %s", e.Name, e.URL, e.File)
		}
		if b, err := hex.DecodeString(e.SHA256); err != nil || e.SHA256 != "" && len(b) != 32 {
			t.Errorf("%s: digest %q", e.Name, e.SHA256)
		}
		q := e.RowNonzeros
		if len(q) < 2 || q[0][0] != 0 || q[len(q)-1][0] != 100 {
			t.Errorf("%s: quantiles %v", e.Name, q)
		}
		for k := 1; k < len(q); k++ {
			if q[k][0] <= q[k-1][0] || q[k][1] < q[k-1][1] || q[k][1] > float64(e.M) {
				t.Errorf("%s: quantiles %v and %v", e.Name, q[k-1], q[k])
			}
		}
		if e.Table3 != nil {
			if got := [3]int{e.Table3.N, e.Table3.M, e.Table3.Classes}; got != want[e.Name] {
				t.Errorf("%s: Table 3 has %v, not %v", e.Name, want[e.Name], got)
			}
			delete(want, e.Name)
		}
	}
	if len(want) > 0 {
		t.Errorf("not in the registry: %v", want)
	}
}

func TestLookup(t *testing.T) {
	if e, ok := Lookup("news20"); !ok || e.File != "news20.bz2" {
		t.Errorf("news20: %+v, %v", e, ok)
	}
	if e, ok := Lookup("news21"); ok {
		t.Errorf("news21: %+v", e)
	}
}

// The files that come with the module are the ones that were converted; a licence lies beside the video.
func TestDigests(t *testing.T) {
	digits, _ := Lookup("digits")
	video, err := os.ReadFile("video/aeroplane.csv.gz")
	if err != nil {
		t.Fatal(err)
	}
	for want, file := range map[string][]byte{digits.SHA256: Digits,
		"e5f295ee6d845b33180d8a4b5da8ed9c5a66e679e1bf91bbe11037ef323b4fb8": video} {
		if sum := sha256.Sum256(file); hex.EncodeToString(sum[:]) != want {
			t.Errorf("SHA-256 %x, not %s", sum, want)
		}
	}
	if text, err := os.ReadFile("video/COPYING"); err != nil ||
		!bytes.HasPrefix(text, []byte("Copyright (c) 2014, Armand Joulin, Kevin Tang")) {
		t.Errorf("COPYING: %v", err)
	}
}

func TestNetworks(t *testing.T) {
	strict(t, networks, &[]Network{})
	for _, n := range Networks() {
		if n.Name == "" || n.Licence == "" || n.Citation == "" || n.Note == "" || n.Grid[0] < 2 ||
			n.Grid[1] < 2 {
			t.Errorf("%s: incomplete: %+v", n.Name, n)
		}
		for _, f := range n.Files() {
			if b, err := hex.DecodeString(f.SHA256); err != nil || len(b) != 32 || f.MaxBytes <= 0 ||
				f.Name != n.Name ||
				!strings.HasPrefix(f.URL, "https://") || !strings.HasSuffix(f.URL, "/"+n.Name+"/"+f.File) {
				t.Errorf("%s: %+v", n.Name, f)
			}
		}
	}
	if n, ok := LookupNetwork("Chicago-Sketch"); !ok || n.Toll != 0.02 || n.Length != 0.04 ||
		n.Best != 17313018.7387477 {
		t.Errorf("%+v, %v", n, ok)
	}
	if n, ok := LookupNetwork("news20"); ok {
		t.Errorf("%+v", n)
	}
}
