package bsplib_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// checkpointsIn are the complete checkpoints in a directory, by name.
func checkpointsIn(t testing.TB, dir string) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(dir, "*", "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range all {
		all[i] = filepath.Base(filepath.Dir(all[i]))
	}
	slices.Sort(all)
	return all
}

// sealed is a manifest's text with the digest that it should have: that of the text with zeros
// in the digest's place.
func sealed(text []byte) []byte {
	_, rest, _ := bytes.Cut(text, []byte(`"digest": "`))
	digits := rest[:2*sha256.Size]
	copy(digits, bytes.Repeat([]byte("0"), len(digits)))
	sum := sha256.Sum256(text)
	hex.Encode(digits, sum[:])
	return text
}

// changed puts other text into a file.
func changed(t testing.TB, name string, change func([]byte) []byte) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err == nil {
		err = os.WriteFile(name, change(text), 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}
