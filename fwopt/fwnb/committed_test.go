package fwnb

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What stands above what is generated, and nothing where no data is missing.
func TestCommitted(t *testing.T) {
	s := set(t, true, false)
	t.Chdir(t.TempDir())
	for _, f := range []string{"page/both.svg", "page/both.md", "page/table.md"} {
		os.MkdirAll("committed/page", 0o700)
		ok(t, os.WriteFile("committed/"+f, []byte("of "+f), 0o600))
	}
	const generated = "**Not on this machine: Anaheim, news20. All else in this cell is generated"
	for name, want := range map[string][]string{
		"page/both":  {"**As committed, ", "of page/both.svg", "of page/both.md", generated},
		"page/table": {"**As committed, ", "of page/table.md", generated},
		"page/none": {"**What this cell shows with the data is not in this folder: committed/page/none.**",
			generated},
	} {
		s.sent = nil
		if Committed(name); len(s.sent) > 0 {
			t.Errorf("%s: %d displays though nothing is missing", name, len(s.sent))
		}
		Committed(name, "Anaheim", "news20")
		if len(s.sent) != len(want) || s.synced != len(want) {
			t.Fatalf("%s: %d displays, %d complete", name, len(s.sent), s.synced)
		}
		for i, d := range s.sent {
			text, _ := d.Data["text/markdown"].(string)
			if svg, ok := d.Data["image/svg+xml"].(string); ok {
				text = svg
			}
			if !strings.HasPrefix(text, want[i]) {
				t.Errorf("%s: display %d is %q, want %q", name, i, text, want[i])
			}
		}
	}
}

// page is a notebook as far as the tests ask for it.
type page []struct {
	Type    string   `json:"cell_type"`
	Source  []string `json:"source"`
	Outputs []struct {
		Text []string            `json:"text"` // of stdout
		Data map[string]jsonText `json:"data"`
	} `json:"outputs"`
}

// jsonText is a text or a list of its lines, whose sum it is; of anything else it is "".
type jsonText string

func (t *jsonText) UnmarshalJSON(b []byte) error {
	var lines []string
	if json.Unmarshal(b, &lines) == nil {
		*t = jsonText(strings.Join(lines, ""))
	}
	return nil
}

func readPage(t *testing.T, file string) page {
	t.Helper()
	b := must(os.ReadFile(file))
	var nb struct{ Cells page }
	ok(t, json.Unmarshal(b, &nb))
	return nb.Cells
}

const notebooks = "../../notebooks/"

var call = regexp.MustCompile(`(?ms)^%%\n.*^\t*fwnb\.Committed\("([^"]+)"`)

// What Committed shows is what the committed pages show, and each page that something generated can stand in
// on has it.
func TestCommittedFiles(t *testing.T) {
	instead := regexp.MustCompile(`OrTwin\(|OrGrid\(|ErrNotHere`)
	want := map[string]string{}
	for _, file := range must(filepath.Glob(notebooks + "*.ipynb")) {
		name, calls, falls := strings.TrimSuffix(filepath.Base(file), ".ipynb"), 0, false
		for _, c := range readPage(t, file) {
			source := strings.Join(c.Source, "")
			falls = falls || c.Type == "code" && instead.MatchString(source)
			m := call.FindStringSubmatch(source)
			if n := strings.Count(source, "fwnb.Committed("); m == nil && n > 0 || n > 1 {
				t.Errorf("%s: want one fwnb.Committed, below %%%%, with a name in quotes:\n%s", file, source)
			}
			if m == nil {
				continue
			}
			calls++
			if !strings.HasPrefix(m[1], name+"/") {
				t.Errorf("%s: %q is not of this page", name, m[1])
			}
			var tables []string
			for _, o := range c.Outputs {
				if svg := string(o.Data["image/svg+xml"]); svg != "" {
					if want[m[1]+".svg"] != "" {
						t.Errorf("%s: a cell with two figures: fwnb.Committed shows one", name)
					}
					want[m[1]+".svg"] = svg
				}
				if text := string(o.Data["text/markdown"]); text != "" {
					tables = append(tables, text)
				} else if len(o.Text) > 0 {
					tables = append(tables, "```\n"+strings.Join(o.Text, "")+"```\n")
				}
			}
			if len(tables) > 0 {
				want[m[1]+".md"] = strings.Join(tables, "\n")
			}
		}
		if falls && calls == 0 {
			t.Errorf("%s: data may be generated, and no cell shows what was committed", name)
		}
	}
	if len(want) < 10 {
		t.Errorf("%d figures and tables: this test must follow the pages", len(want))
	}
	here, _ := filepath.Glob(notebooks + "committed/*/*")
	for _, file := range here {
		name := strings.TrimPrefix(filepath.ToSlash(file), notebooks+"committed/")
		if _, ok := want[name]; !ok {
			t.Errorf("no cell shows %s", file)
		}
	}
	for name, text := range want {
		if b, err := os.ReadFile(notebooks + "committed/" + name); err != nil || string(b) != text {
			t.Errorf("%s is not what its page shows: %v", name, err)
		}
		if strings.Contains(text, "**Not on this machine: ") {
			t.Errorf("%s was committed without its data", name)
		}
	}
}
