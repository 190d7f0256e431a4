package lines

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
)

// Write replaces a file by the output of write. If write fails, no new file appears, and an old file
// is unchanged. A pipe or another special file is written to directly.
func Write(name string, write func(*bufio.Writer) error) error {
	return WriteAccepted(name, write, nil)
}

// WriteAccepted is Write for a file that is checked before it gets its name: accept gets its
// temporary name, and an error of accept discards it. Special files are rejected.
func WriteAccepted(name string, write func(*bufio.Writer) error, accept func(part string) error) error {
	if real, err := filepath.EvalSymlinks(name); err == nil {
		name = real
	}
	is, err := os.Stat(name)
	if err == nil && !is.Mode().IsRegular() {
		if accept != nil {
			return fmt.Errorf("%s is no file", name)
		}
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return fill(f, write)
	}
	part := fmt.Sprintf("%s.%d", name, os.Getpid())
	f, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	defer os.Remove(part)
	if is != nil {
		if err := f.Chmod(is.Mode().Perm()); err != nil {
			f.Close()
			return err
		}
	}
	if err := fill(f, write); err != nil {
		return err
	}
	if accept != nil {
		if err := accept(part); err != nil {
			return err
		}
	}
	return os.Rename(part, name)
}

// fill writes to a file and closes it.
func fill(f *os.File, write func(*bufio.Writer) error) error {
	w := bufio.NewWriter(f)
	err := write(w)
	if err == nil {
		err = w.Flush()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

// Writable checks, before anything is computed, whether the file of a flag could be made;
// an empty name asks for none.
func Writable(flag, name string) error {
	if name == "" {
		return nil
	}
	if is, err := os.Stat(filepath.Dir(name)); err != nil || !is.IsDir() {
		return fmt.Errorf("%s %s: there is no directory %s", flag, name, filepath.Dir(name))
	}
	if is, err := os.Stat(name); err == nil && is.IsDir() {
		return fmt.Errorf("%s %s: it is a directory", flag, name)
	}
	return nil
}
