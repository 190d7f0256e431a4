package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/apps/fractal/code"
	"github.com/migbsp/migbsp/apps/fractal/picture"
	"github.com/migbsp/migbsp/apps/internal/apptest"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

func TestMain(m *testing.M) { apptest.Main(m, main) }

// save writes a file.
func save(t testing.TB, name string, b []byte) {
	t.Helper()
	must.Do(t, os.WriteFile(name, b, 0o666))
}

func pngOf(t testing.TB, p *picture.Picture) []byte {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, p.Write(&b))
	return b.Bytes()
}

// files returns the names in a directory.
func files(t testing.TB, dir string) string {
	t.Helper()
	entries := must.Get(os.ReadDir(dir))(t)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

// A picture is compressed, and decoded from any initial picture.
func TestThereAndBack(t *testing.T) {
	dir := t.TempDir()
	save(t, filepath.Join(dir, "a.png"), pngOf(t, picture.Generate(96, 4)))
	code, out, errs := apptest.Call(t, dir, "-in a.png -out a.mfic -block 4 -procs 5")
	if code != 0 || errs != "" || strings.Count(out, "PASSED") != 2 || !strings.Contains(out, "checksum") {
		t.Fatalf("code %d, %s%s", code, out, errs)
	}
	for _, start := range []string{"black", "white", "grey", "noise", "a.png"} {
		code, out, errs := apptest.Call(t, dir, "-decode a.mfic -out b.png -in a.png -floor 25 -first "+start)
		if code != 0 || errs != "" || strings.Count(out, "PASSED") != 1 {
			t.Errorf("%s: code %d, %s%s", start, code, out, errs)
		}
		if p, err := picture.Open(filepath.Join(dir, "b.png")); err != nil || p.Width != 96 || p.Channels != 3 {
			t.Errorf("%s: %v", start, err)
		}
	}
	if code, out, errs := apptest.Call(t, dir, "-decode a.mfic -out b.png -procs 3 -rounds 2"); code != 0 || errs != "" || strings.Contains(out, "PASSED") {
		t.Errorf("with nothing to compare with: code %d, %s%s", code, out, errs)
	}
	if code, _, _ := apptest.Call(t, dir, "-decode a.mfic -in a.png -procs 3 -floor 90"); code != 1 {
		t.Errorf("below the floor: code %d", code)
	}
	if got := files(t, dir); got != "a.mfic a.png b.png" {
		t.Errorf("files: %s", got)
	}
}

// A result that fails its checks is not written, and existing files stay.
func TestFailuresWriteNothing(t *testing.T) {
	dir := t.TempDir()
	save(t, filepath.Join(dir, "x"), []byte("before"))
	for _, name := range []string{"x", "y"} {
		if code, out, _ := apptest.Call(t, dir, "-size 48 -floor 90 -quiet -out "+name); code != 1 || !strings.Contains(out, "FAILED") {
			t.Errorf("%s: code %d, %s", name, code, out)
		}
	}
	if got, _ := os.ReadFile(filepath.Join(dir, "x")); string(got) != "before" || files(t, dir) != "x" {
		t.Errorf("%q, files: %s", got, files(t, dir))
	}
}

// Invalid input is reported in one line, with code 2, and no file is written.
func TestUsage(t *testing.T) {
	dir := t.TempDir()
	whole := pngOf(t, picture.Generate(24, 1))
	save(t, filepath.Join(dir, "a.png"), whole)
	save(t, filepath.Join(dir, "half.png"), whole[:len(whole)/2])
	save(t, filepath.Join(dir, "text.png"), []byte("no picture at all"))
	save(t, filepath.Join(dir, "cut.mfic"), []byte("MFIC\x01"))
	h := code.Header{Width: 24, Height: 23, Planes: 1, Chroma: 1, Block: 8, Domains: 1}
	save(t, filepath.Join(dir, "f.mfic"), code.Write(h, [][]code.Match{make([]code.Match, 9)}))
	before := files(t, dir)
	for args, want := range map[string]string{
		"-in none.png":                      "-in none.png: no such file or directory",
		"-in .":                             "-in .: ",
		"-in text.png":                      "-in text.png: it cannot be read as PNG",
		"-in half.png":                      "-in half.png: it cannot be read as PNG: png: invalid format: not enough pixel data",
		"-in a.png -block 7":                "-block 7: it is 4, 8, 16 or 32",
		"-in a.png -block -8":               "-block -8: it is 4, 8, 16 or 32",
		"-in a.png -domains -1":             "-domains -1: at least one is needed",
		"-in a.png -domains 37":             "-domains 37: a picture of 24 x 24 pixels has at most 36, as many as blocks of 4 x 4",
		"-in a.png -domains 10 -block 8":    "-domains 10: a picture of 24 x 24 pixels has at most 9",
		"-in a.png -procs 10":               "-procs 10: with 9 domains there is work for at most as many processes; use -procs 9",
		"-in a.png -procs 2 -domains 1":     "-procs 2: with 1 domain there is",
		"-size 0":                           "-n 0: expected 1 to 8192",
		"-size 8193":                        "-n 8193: expected 1 to 8192",
		"-size x":                           "-size",
		"-chroma red":                       "-chroma red: it is half, full or none",
		"-floor -1":                         "-floor -1: expected decibels from 0 on",
		"-floor NaN":                        "-floor NaN: expected decibels from 0 on",
		"-rounds 3":                         "-rounds 3: only -decode has use for it",
		"-first grey":                       "-first grey: only -decode has use for it",
		"-in a.png -size 512":               "-size 512: the picture is that of -in",
		"-decode f.mfic -domains 9":         "-domains 9: the file of -decode says it itself",
		"-decode f.mfic -chroma none":       "-chroma none: the file of -decode says it itself",
		"-decode f.mfic -size 24":           "-size 24: no picture is made where -decode is given",
		"-decode f.mfic -floor 20":          "-floor 20: there is nothing to compare with, see -in",
		"-out none/x":                       "-out none/x: there is no directory none",
		"-out .":                            "-out .: it is a directory",
		"-decode none.mfic":                 "-decode none.mfic: no such file or directory",
		"-decode a.png -out b":              "-decode a.png: it is no compressed picture of fractal",
		"-decode cut.mfic -out b":           "-decode cut.mfic: it has only 5 bytes",
		"-decode f.mfic -rounds 101":        "-rounds 101: expected 0 to 100",
		"-decode f.mfic -first none.png":    "-first none.png: no such file or directory",
		"-decode f.mfic -in a.png -out b":   "-in a.png: it has 24 x 24 pixels, but what -decode gives has 24 x 23",
		"-decode f.mfic -out none/b -quiet": "-out none/b: there is no directory none",
	} {
		code, out, errs := apptest.Call(t, dir, args)
		lines := strings.Split(strings.TrimSpace(errs), "\n")
		if code != 2 || out != "" || !strings.Contains(lines[0], want) || len(lines) != 1 {
			t.Errorf("%s: code %d, %q, %q, want %q", args, code, out, errs, want)
		}
	}
	if got := files(t, dir); got != before {
		t.Errorf("files: %s, before: %s", got, before)
	}
}
