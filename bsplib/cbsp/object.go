package cbsp

import (
	"debug/elf"
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/migbsp/migbsp/bsplib/internal/app"
	"github.com/migbsp/migbsp/internal/untrusted"
)

// Object is a C program as a shared object: Size bytes of a file, from Offset on, or all
// the rest if Size is 0.
type Object struct {
	Path         string
	Offset, Size int64
}

// The trailer of an executable with an object: mark, the object's offset and its length. The
// object begins at a page, so that it can be mapped from the file.
const (
	mark      = "migbspC1"
	endLength = int64(len(mark)) + 16
	pageSize  = 1 << 16 // the largest of systems
)

// Embed writes an executable, with an object appended, to a new file out. A running program
// of that name keeps the old file.
func Embed(executable, object, out string) (err error) {
	if about, err := os.Lstat(out); err == nil && about.Mode().IsRegular() {
		if err := os.Remove(out); err != nil {
			return err
		}
	}
	f, err := os.OpenFile(out, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o777)
	if err != nil {
		return err
	}
	defer func() {
		if closed := f.Close(); err == nil {
			err = closed
		}
		if err != nil {
			os.Remove(out)
		}
	}()
	length, err := add(f, executable)
	if err != nil {
		return err
	}
	offset := (length + pageSize - 1) / pageSize * pageSize
	if _, err := f.Seek(offset, io.SeekStart); err != nil {
		return err
	}
	if length, err = add(f, object); err != nil {
		return err
	}
	end := binary.LittleEndian.AppendUint64([]byte(mark), uint64(offset))
	_, err = f.Write(binary.LittleEndian.AppendUint64(end, uint64(length)))
	return err
}

// add writes a file to w, without an appended object, and returns its length.
func add(w io.Writer, path string) (int64, error) {
	f, err := untrusted.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	length := int64(-1)
	if o, found := within(f); found {
		length = o.Offset
	}
	if length < 0 {
		return io.Copy(w, f)
	}
	return io.CopyN(w, f, length)
}

// objectVariable names the object of a program that has become its launcher (library/start.c).
const objectVariable = "_BSP_OBJECT"

// Embedded returns the object that this executable must run: the program that has re-executed as
// its launcher, or the object appended to the executable. It returns false if there is none.
func Embedded() (Object, bool) {
	if path := os.Getenv(objectVariable); path != "" {
		return Object{Path: path}, true
	}
	path, err := os.Executable()
	if err != nil {
		return Object{}, false
	}
	f, err := os.Open(path)
	if err != nil {
		return Object{}, false
	}
	defer f.Close()
	o, found := within(f)
	o.Path = path
	return o, found
}

// HasObject reports whether a file is an executable with an object, or an object that becomes its
// launcher.
func HasObject(path string) bool {
	f, err := untrusted.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	_, found := within(f)
	return found || becomes(f)
}

// becomes reports whether an object re-executes as its launcher when it starts.
func becomes(f io.ReaderAt) bool {
	e, err := elf.NewFile(f)
	if err != nil {
		return false
	}
	symbols, _ := e.DynamicSymbols()
	return slices.ContainsFunc(symbols, func(s elf.Symbol) bool { return s.Name == StartName && s.Value == e.Entry })
}

// StartName is the entry point of an object that re-executes as its launcher.
const StartName = "migbsp_start"

// within finds the object appended to an executable.
func within(f *os.File) (Object, bool) {
	about, err := f.Stat()
	if err != nil || about.Size() < endLength {
		return Object{}, false
	}
	end := make([]byte, endLength)
	if _, err := f.ReadAt(end, about.Size()-endLength); err != nil || string(end[:len(mark)]) != mark {
		return Object{}, false
	}
	o := Object{
		Offset: int64(binary.LittleEndian.Uint64(end[len(mark):])),
		Size:   int64(binary.LittleEndian.Uint64(end[len(mark)+8:])),
	}
	return o, o.Offset > 0 && o.Size > 0 && o.Offset%pageSize == 0 && o.Offset+o.Size+endLength == about.Size()
}

// Flags returns the engine's flags, which every program has, and the flag of C programs.
func Flags() *flag.FlagSet {
	flags := app.Flags()
	heapFlag(flags)
	return flags
}

// helpBy is the command that describes these flags: -help is the program's own.
const helpBy = "bsprun -help"

// Arguments divides the arguments of a C program into flags of the engine, which come first,
// and the program's own. The first argument that is not a flag of the engine begins the
// program's; -- does so too, and belongs to neither.
func Arguments(all []string) (flags, own []string, err error) {
	known := Flags()
	for i := 0; i < len(all); i++ {
		word := all[i]
		if word == "--" {
			return all[:i], all[i+1:], nil
		}
		name, _, valued := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(word, "-"), "-"), "=")
		f := known.Lookup(name)
		switch {
		case f == nil || !strings.HasPrefix(word, "-"):
			return all[:i], all[i:], nil
		case valued || isBool(f):
		case i+1 == len(all):
			return nil, nil, fmt.Errorf("%s needs a value", word)
		default:
			i++
		}
	}
	return all, nil, nil
}

func isBool(f *flag.Flag) bool {
	b, ok := f.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}
