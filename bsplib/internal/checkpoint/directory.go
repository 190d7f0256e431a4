package checkpoint

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// newRun returns a name that no other run has.
func newRun() string { return fmt.Sprintf("%08x", rand.Uint32()) }

// mostNumber is the largest number of a checkpoint that a manifest may have.
const mostNumber = 1 << 30

// create creates the directory of a run's next checkpoint below dir, and dir too if it does not
// exist.
func create(dir, program, run string) (path string, number int, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", 0, err
	}
	numbers, err := numbersOf(dir, program, run)
	if err != nil {
		return "", 0, err
	}
	number = 1
	if n := len(numbers); n > 0 {
		number += numbers[n-1]
	}
	for ; ; number++ {
		path = filepath.Join(dir, nameOf(program, run, number))
		if err := os.Mkdir(path, 0o700); !errors.Is(err, fs.ErrExist) {
			return path, number, err
		}
	}
}

// CheckDirectory creates the directory if it does not exist, and returns an error if no file can be
// created in it.
func CheckDirectory(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	probe, err := os.CreateTemp(dir, ".writable-*")
	if err != nil {
		return err
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// nameOf returns the name of a checkpoint's directory.
func nameOf(program, run string, number int) string {
	return fmt.Sprintf("%s-%s-%06d", plain(program), run, number)
}

// plain replaces by _ each character of a name that is not plain in a file name.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '.' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, name)
}

// numbered reports whether a directory's name ends as nameOf's names do.
func numbered(path string) bool {
	name := filepath.Base(path)
	digits := name[strings.LastIndexByte(name, '-')+1:]
	n, err := strconv.Atoi(digits)
	return err == nil && n > 0 && strings.HasSuffix(nameOf("", "", n), digits) && len(digits) < len(name)
}

// numbersOf returns the numbers of a run's checkpoints, also of incomplete ones.
func numbersOf(dir, program, run string) ([]int, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	prefix := strings.TrimSuffix(nameOf(program, run, 0), "000000")
	var numbers []int
	for _, e := range entries {
		rest, ok := strings.CutPrefix(e.Name(), prefix)
		if n, err := strconv.Atoi(rest); ok && err == nil && n > 0 && n < mostNumber && e.Name() == nameOf(program, run, n) {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers, nil
}

// readNumber returns the number in the manifest of the checkpoint at path. It does not read the list
// of processes, which can be long.
//
// Errors: the manifest does not exist, or is damaged.
func readNumber(path string) (int, error) {
	text, err := readManifest(path)
	if err == nil {
		err = manifests.Intact(text)
	}
	var m Manifest
	if err == nil {
		head, _, _ := bytes.Cut(text, []byte(",\n \"written\":"))
		err = json.Unmarshal(append(head[:len(head):len(head)], '}'), &m)
	}
	return m.Number, err
}

// keptCheckpoints is the number of complete checkpoints of a run that are kept. With a single
// checkpoint, a run could not resume if that is damaged; each further one takes the bytes of all
// states.
const keptCheckpoints = 2

// prune removes old checkpoints of a run, when the newest is complete: all incomplete ones, those
// with a damaged manifest, and the others except the newest keptCheckpoints. It does not remove a
// directory that was renamed, or copied from another.
func prune(dir, program, run string) error {
	numbers, err := numbersOf(dir, program, run)
	if err != nil {
		return err
	}
	kept := 0
	for _, n := range slices.Backward(numbers) {
		path := filepath.Join(dir, nameOf(program, run, n))
		number, unread := readNumber(path)
		switch {
		case unread == nil && number != n:
		case unread == nil && kept < keptCheckpoints:
			kept++
		default:
			err = errors.Join(err, remove(path))
		}
	}
	return err
}

// remove removes a checkpoint: the manifest first, so that no reader takes the rest for a complete
// checkpoint.
func remove(path string) error {
	if err := os.Remove(filepath.Join(path, manifestName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.RemoveAll(path)
}
