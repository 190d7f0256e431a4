package checkpoint

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// ErrNone says that there is no complete checkpoint in a directory.
var ErrNone = errors.New("there is no complete checkpoint")

// Load reads the manifest of the checkpoint at path.
//
// Errors: ErrNone if the directory is there, but has no manifest.
func Load(path string) (*Manifest, error) {
	name := filepath.Join(path, ManifestName)
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(path); err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("%s: %w: it has no %s", path, ErrNone, ManifestName)
	}
	if err != nil {
		return nil, err
	}
	return Parse(name, text)
}

// Before is the complete checkpoint of the same run before the one at path, ""
// if there is none.
func Before(path string, m *Manifest) string {
	dir := filepath.Dir(path)
	numbers, err := numbersOf(dir, m.Program, m.Run)
	if err != nil {
		return ""
	}
	for _, n := range slices.Backward(numbers) {
		if older := filepath.Join(dir, nameOf(m.Program, m.Run, n)); n < m.Number && complete(older) {
			return older
		}
	}
	return ""
}

// Newest is the newest complete checkpoint below dir: of each run that with the
// highest number, of these the one that was written last.
//
// Errors: ErrNone, also if dir is not there. A checkpoint whose manifest cannot
// be read is an error, for it may be the newest.
func Newest(dir string) (path string, m *Manifest, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", nil, err
	}
	type kept struct {
		path string
		m    *Manifest
	}
	runs := make(map[string]kept) // the newest of each
	for _, e := range entries {
		here := filepath.Join(dir, e.Name())
		if !e.IsDir() || !complete(here) {
			continue
		}
		found, err := Load(here)
		if err != nil {
			return "", nil, err
		}
		if k := runs[found.Run]; k.m == nil || found.Number > k.m.Number {
			runs[found.Run] = kept{here, found}
		}
	}
	for _, k := range runs {
		if m == nil || k.m.Written.After(m.Written) || k.m.Written.Equal(m.Written) && k.path > path {
			path, m = k.path, k.m
		}
	}
	if m == nil {
		return "", nil, fmt.Errorf("%s: %w", dir, ErrNone)
	}
	return path, m, nil
}
