package datasets

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"os"
	"strconv"
	"testing"
)

// The file of the video page is the one that was converted, with its licence beside it, and
// each line has a box and its row of A up to the diagonal.
func TestVideo(t *testing.T) {
	packed, err := os.ReadFile("video/aeroplane.csv.gz")
	if err != nil {
		t.Fatal(err)
	}
	if sum := sha256.Sum256(packed); hex.EncodeToString(
		sum[:]) != "e5f295ee6d845b33180d8a4b5da8ed9c5a66e679e1bf91bbe11037ef323b4fb8" {
		t.Errorf("SHA-256 %x", sum)
	}
	if text, err := os.ReadFile("video/COPYING"); err != nil ||
		!bytes.HasPrefix(text, []byte("Copyright (c) 2014, Armand Joulin, Kevin Tang")) {
		t.Errorf("COPYING: %v", err)
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	table := csv.NewReader(z)
	table.FieldsPerRecord = -1
	lines, err := table.ReadAll()
	if err != nil || len(lines) != 660 {
		t.Fatalf("%d lines: %v", len(lines), err)
	}
	frame := map[string]int{}
	for j, line := range lines {
		frame[line[0]+" "+line[1]]++
		if len(line) != 3+j+1 {
			t.Fatalf("line %d has %d columns", j+1, len(line))
		}
		for _, x := range line {
			if _, err := strconv.ParseFloat(x, 64); err != nil {
				t.Fatalf("line %d: %v", j+1, err)
			}
		}
	}
	if len(frame) != 33 {
		t.Errorf("%d frames", len(frame))
	}
	for f, n := range frame {
		if n != 20 {
			t.Errorf("frame %s has %d boxes", f, n)
		}
	}
}
