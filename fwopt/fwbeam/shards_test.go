package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt/fwdata"
)

// Shards, put together, are the file, plain or packed, however they are cut.
func TestCut(t *testing.T) {
	ctx := context.Background()
	plain := fileOf(t, fwdata.TwinN("digits", 120, 1))
	text := must(os.ReadFile(plain))
	var z bytes.Buffer
	zw := gzip.NewWriter(&z)
	zw.Write(text)
	zw.Close()
	packed := plain + ".gz"
	ok(t, os.WriteFile(packed, z.Bytes(), 0o666))
	want := must(fwdata.ReadFile(plain))
	for _, rows := range []int{1, 7, 60, 119, 120, 121} {
		for _, path := range []string{plain, packed} {
			for _, unit := range []bool{false, true} {
				dir := t.TempDir()
				ok(t, cutFile(&writer{ctx: ctx, dir: dir}, path, rows, 0, unit))
				m := must(open(ctx, dir))
				set := must(whole(ctx, dir))
				want := want
				if unit {
					want = want.UnitRows()
				}
				if !reflect.DeepEqual(set.X, want.X) || !reflect.DeepEqual(set.Y, want.Y) ||
					!reflect.DeepEqual(set.Labels, want.Labels) || m.Name != "own" {
					t.Fatalf("%s in shards of %d rows, unit %v: another set", path, rows, unit)
				}
				if n := (120 + rows - 1) / rows; len(m.Shards) != n || m.Rows != 120 ||
					m.Nonzeros != len(want.X.Val) {
					t.Fatalf("%d shards of %d rows: %+v", n, rows, m)
				}
				if L := want.Logistic().Smoothness(); L != m.Norm2/2 {
					t.Errorf("L = %v, want %v", m.Norm2/2, L)
				}
			}
		}
	}
}

// Generated shards are the same again, and other than those of another seed.
func TestGenerated(t *testing.T) {
	write := func(seed uint64, rows int) *manifest {
		dir := t.TempDir()
		g := &generated{n: 100, m: 30, classes: 2, nonzeros: 4, seed: seed}
		ok(t, g.write(&writer{ctx: context.Background(), dir: dir}, rows))
		return must(open(context.Background(), dir))
	}
	a, b, c := write(1, 30), write(1, 30), write(2, 30)
	if a.Digest != b.Digest || a.Shards[0].Digest == c.Shards[0].Digest ||
		a.Shards[0].Digest == a.Shards[1].Digest {
		t.Error("digests:", a.Shards, c.Shards)
	}
	if len(a.Shards) != 4 || a.Shards[3].Rows != 10 || a.Nonzeros != 400 || !a.Generated ||
		!strings.HasSuffix(a.Name, "(generated)") {
		t.Errorf("%+v", a)
	}
	bad := &generated{n: 10, m: 4, classes: 2, nonzeros: 4}
	if err := bad.write(&writer{ctx: context.Background(), dir: t.TempDir()}, 5); err == nil {
		t.Error("rows with all features")
	}
}

// What is wrong with shards is said with the name of the file, before the first pass or in it.
func TestBadShards(t *testing.T) {
	other, _ := small(t, 600)
	rewrite := func(file string, change func(b []byte) []byte) func(dir string) {
		return func(dir string) {
			path := filepath.Join(dir, file)
			ok(t, os.WriteFile(path, change(must(os.ReadFile(path))), 0o666))
		}
	}
	edit := func(change func(m *manifest)) func(dir string) {
		return rewrite(manifestFile, func(b []byte) []byte {
			m := new(manifest)
			ok(t, json.Unmarshal(b, m))
			change(m)
			m.Digest = m.digest()
			return must(json.Marshal(m))
		})
	}
	const third = "shard-00002.bin"
	turn := func(at int) func(dir string) {
		return rewrite(third, func(b []byte) []byte { b[at] ^= 1; return b })
	}
	without := func(file string) func(dir string) {
		return func(dir string) { os.Remove(filepath.Join(dir, file)) }
	}
	for name, c := range map[string]struct {
		spoil func(dir string)
		want  string
	}{
		"no manifest": {without(manifestFile), "no shards in"},
		"no JSON": {rewrite(manifestFile, func([]byte) []byte { return []byte("{") }),
			"no manifest"},
		"another format": {edit(func(m *manifest) { m.Format = 2 }), "no manifest of format 1"},
		"missing":        {without(third), "a shard is missing: open"},
		"cut off": {rewrite(third, func(b []byte) []byte { return b[:100] }),
			"shard-00002.bin has 100 bytes"},
		"damaged":          {turn(3000), "shard-00002.bin: damaged"},
		"damaged at first": {turn(0), "shard-00002.bin: damaged"},
		"other features":   {edit(func(m *manifest) { m.Features = 41 }), "the manifest 41 and"},
		"other labels":     {edit(func(m *manifest) { m.Labels[2] = 7 }), "shards of two sets"},
		"of other data": {edit(func(m *manifest) { m.Shards[2].Digest = m.Shards[3].Digest }),
			"shard-00002.bin is not the shard of the manifest"},
		"another's shard": {rewrite(third, func([]byte) []byte { // of as many rows and nonzeros
			return must(os.ReadFile(filepath.Join(other, "shard-00004.bin")))
		}), third + " is not the shard of the manifest"},
		"no rights": {func(dir string) { os.Chmod(dir, 0) }, "permission denied"},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "no rights" && os.Getuid() == 0 {
				t.Skip("root may read all")
			}
			dir, _ := small(t, 600)
			c.spoil(dir)
			defer os.Chmod(dir, 0o755)
			_, err := newJob(t, dir, problem{"svrf", "experiments", 1, "l1", 5, 1,
				100}).run(context.Background())
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), dir) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

// A manifest with another byte, or cut off, is refused, or is the same manifest, as with other
// blanks; so is one without a checksum. That of a name that is no UTF-8 is right.
func TestManifestChecksum(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	w := &writer{ctx: ctx, dir: dir}
	w.m.Name = "ob\xe9ir"
	for k := range uint64(2) {
		ok(t, w.add((&generated{m: 9, classes: 3, nonzeros: 2, seed: 1}).shard(20, k, make([]float64, 27))))
	}
	ok(t, w.finish())
	want := must(open(ctx, dir))
	path := filepath.Join(dir, manifestFile)
	right := must(os.ReadFile(path))
	refused, equal := 0, 0
	try := func(b []byte) {
		if m, err := parse(b); err != nil {
			refused++
		} else if equal++; !reflect.DeepEqual(m, want) {
			t.Errorf("accepted:\n%s", b)
		}
	}
	for at, c := range right {
		b := slices.Clone(right)
		for bit := range 8 {
			b[at] = c ^ 1<<bit
			try(b)
		}
		for digit := byte('0'); digit <= '9' && '0' <= c && c <= '9'; digit++ {
			if b[at] = digit; digit != c {
				try(b)
			}
		}
		if string(bytes.TrimSpace(right[:at])) != string(bytes.TrimSpace(right)) {
			try(right[:at])
		}
	}
	t.Logf("%d refused, %d the same", refused, equal)
	if refused < 8*equal {
		t.Errorf("%d refused, %d the same", refused, equal)
	}
	old := bytes.Replace(right, []byte(`"Digest": "`+want.Digest+`"`), []byte(`"Format": 1`), 1)
	for text, b := range map[string][]byte{"it has no checksum, as those of older versions": old,
		"it is damaged or was changed": bytes.Replace(right, []byte(`"Norm2": `), []byte(`"Norm2": 1`), 1)} {
		ok(t, os.WriteFile(path, b, 0o666))
		if _, err := open(ctx, dir); err == nil || !strings.Contains(err.Error(), path+" cannot be used: "+
			text) || !strings.Contains(err.Error(), "run fwbeam shard again") {
			t.Errorf("%v, want %s", err, text)
		}
	}
}

// A file is whole or not there.
func TestWriteFile(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	err := writeFile(ctx, filepath.Join(dir, "a"), func(w io.Writer) error {
		w.Write(make([]byte, 1<<20))
		return os.ErrInvalid
	})
	left, _ := os.ReadDir(dir)
	if err == nil || !strings.Contains(err.Error(), "writing "+dir) || len(left) != 0 {
		t.Errorf("%v; left %v", err, left)
	}
	ok(t, writeSealed(ctx, filepath.Join(dir, "b"), []byte("abcd")))
	if b, err := unseal(ctx, filepath.Join(dir, "b")); err != nil || string(b) != "abcd" {
		t.Error(b, err)
	}
	os.WriteFile(filepath.Join(dir, "b"), []byte("abce1234"), 0o666)
	if _, err := unseal(ctx, filepath.Join(dir, "b")); err == nil ||
		!strings.Contains(err.Error(), "damaged") {
		t.Error(err)
	}
}

// fwbeam shard says what it has written.
func TestShardSays(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "shards")
	out, err := program("shard", "--out", dir, "--n=700", "--rows=300", "--features=40", "--nonzeros=5",
		"--seed=3").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	bytes := int64(0)
	for k := range 3 {
		info := must(os.Stat(filepath.Join(dir, fmt.Sprintf("shard-%05d.bin", k))))
		bytes += info.Size()
	}
	if want := fmt.Sprintf("planted-700-40-2-3 (generated): 700 rows with 3500 nonzeros, 40 features, 2 "+
		"classes, in 3 shards of together %s in %s\n", size(int(bytes)), dir); string(out) != want {
		t.Errorf("%q, want %q", out, want)
	}
}
