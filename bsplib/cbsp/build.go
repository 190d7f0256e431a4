//go:build cgo && linux && (amd64 || arm64) && !staticrank

package cbsp

/*
#include <stdlib.h>
#include "process.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"strings"
	"unsafe"
)

// build identifies the ranks that can use a process's memory: by the object, and by the libraries
// that its pointers lead to, each at an address.
type build struct {
	Object    uint64
	Libraries []uint64
}

// thisBuild is the build of this rank.
var thisBuild build

// libraries has the names of thisBuild's libraries, if known.
var libraries []string

func hash(text string) uint64 {
	h := fnv.New64a()
	io.WriteString(h, text)
	return h.Sum64()
}

// findBuild returns the build of this rank. It is called before MPI loads further libraries.
func findBuild(object Object, all []library) (b build) {
	h := fnv.New64a()
	if f, err := os.Open(object.Path); err == nil {
		defer f.Close()
		f.Seek(object.Offset, io.SeekStart)
		io.Copy(h, f)
	}
	b.Object = h.Sum64()
	const room = 1 << 16
	text := (*C.char)(C.malloc(room))
	defer C.free(unsafe.Pointer(text))
	C.migbsp_list(text, room)
	for line := range strings.Lines(C.GoString(text)) {
		name, _, _ := strings.Cut(line, " ")
		libraries = append(libraries, name)
		b.Libraries = append(b.Libraries, hash(line))
	}
	for _, l := range all {
		if l.shared == "" {
			libraries = append(libraries, l.name)
			b.Libraries = append(b.Libraries, hash(l.name+" "+l.build))
		}
	}
	return b
}

// fits returns nil if memory of build b can be used on a rank of build here, and the reason if not.
func (b build) fits(here build) error {
	if b.Object != here.Object {
		return errors.New("its program is another, or another build of it")
	}
	if i := b.other(here); i >= 0 {
		return fmt.Errorf("%s is another here, or at another address", libraries[min(i, len(libraries)-1)])
	}
	return nil
}

// other returns the index of the first library that differs, -1 if none does.
func (b build) other(here build) int {
	for i := range max(len(b.Libraries), len(here.Libraries)) {
		if i >= len(b.Libraries) || i >= len(here.Libraries) || b.Libraries[i] != here.Libraries[i] {
			return i
		}
	}
	return -1
}
