package cbsp

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
)

// Object is a shared object with a program: a file, or its part from Offset on.
type Object struct {
	Path   string
	Offset int64
}

// A program with its launcher is one file: the launcher's executable, the object at a multiple
// of alignment, and a tail that says where that is.
const (
	alignment = 1 << 16
	tailMark  = "migbspC1"
	tailBytes = len(tailMark) + 8
)

// Embed writes a program that runs without another file: the launcher's executable with an
// object behind it.
func Embed(executable, object, program string) (err error) {
	launcher, err := os.ReadFile(executable)
	if err != nil {
		return err
	}
	if end, has := objectIn(launcher); has {
		launcher = launcher[:end]
	}
	text, err := os.ReadFile(object)
	if err != nil {
		return err
	}
	out, err := os.OpenFile(program, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o777)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	at := (len(launcher) + alignment - 1) / alignment * alignment
	tail := binary.LittleEndian.AppendUint64([]byte(tailMark), uint64(at))
	for _, part := range [][]byte{launcher, make([]byte, at-len(launcher)), text, tail} {
		if _, err := out.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// objectIn finds the object in the text of a program, if it has one.
func objectIn(program []byte) (offset int64, has bool) {
	if len(program) < tailBytes {
		return 0, false
	}
	return readTail(program[len(program)-tailBytes:], int64(len(program)))
}

func readTail(tail []byte, size int64) (offset int64, has bool) {
	if string(tail[:len(tailMark)]) != tailMark {
		return 0, false
	}
	offset = int64(binary.LittleEndian.Uint64(tail[len(tailMark):]))
	return offset, offset > 0 && offset < size
}

// Embedded is the object in this program's own file, if it has one.
func Embedded() (Object, bool) {
	path, err := os.Executable()
	if err != nil {
		return Object{}, false
	}
	object, err := ObjectIn(path)
	return object, err == nil
}

// ObjectIn finds the object in a file that Embed has written.
func ObjectIn(path string) (Object, error) {
	f, err := os.Open(path)
	if err != nil {
		return Object{}, err
	}
	defer f.Close()
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return Object{}, err
	}
	tail := make([]byte, min(size, int64(tailBytes)))
	if _, err := f.ReadAt(tail, size-int64(len(tail))); err != nil {
		return Object{}, err
	}
	if len(tail) == tailBytes {
		if offset, has := readTail(tail, size); has {
			return Object{path, offset}, nil
		}
	}
	return Object{}, fmt.Errorf("%s: there is no program of BSPlib behind the launcher", path)
}
