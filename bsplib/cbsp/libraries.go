package cbsp

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// A library is a shared library that a program needs, directly or by another library.
type library struct {
	name   string // the name under which it is needed
	path   string // empty if the system must find it
	shared string // the reason why the processes of a rank share it, empty if each has a copy
	quiet  bool   // sharing is as intended
	build  string // its build ID
}

// sharedVariable lists libraries, separated by colons, that the processes of a rank must share.
const sharedVariable = "MIGBSP_SHARED_LIBRARIES"

// ofRank reports whether a library belongs to the rank: the C library, whose state for processes is
// kept apart (instead.c, apart.c), or MPI, which the launcher uses.
func ofRank(name string) bool {
	base, _, _ := strings.Cut(filepath.Base(name), ".so")
	switch base {
	case "libmpi", "libmpl", "libopen-rte", "libopen-pal", "libopal", "libprrte", "liboshmem", "libpmi", "libpmi2", "libpmix",
		"libc", "libm", "libmvec", "libpthread", "libdl", "librt", "libutil", "libanl", "libresolv", "libnsl", "libthread_db", "libBrokenLocale", "ld-linux-x86-64", "ld-linux-aarch64", "linux-vdso":
		return true
	}
	for _, prefix := range []string{"libmpi_", "libmpich", "libmpicxx", "libmpifort", "libmpigf", "libpmpi"} { // not libmpir
		if strings.HasPrefix(base, prefix) {
			return true
		}
	}
	return false
}

// findLibraries returns the libraries of an object and of those libraries, in the dynamic linker's
// search order for symbols. Libraries that only shared libraries need are left out.
func findLibraries(object Object) (all []library) {
	f, err := os.Open(object.Path)
	if err != nil {
		return nil
	}
	defer f.Close()
	file, err := elf.NewFile(io.NewSectionReader(f, object.Offset, math.MaxInt64-object.Offset))
	if err != nil {
		return nil
	}
	s := newSearch(file.Machine, filepath.Dir(object.Path), file)
	asked := strings.Split(os.Getenv(sharedVariable), ":")
	type needing struct {
		file   *elf.File
		origin string
	}
	queue, seen := []needing{{file, filepath.Dir(object.Path)}}, map[string]bool{}
	for len(queue) > 0 {
		by := queue[0]
		queue = queue[1:]
		names, _ := by.file.ImportedLibraries()
		for _, name := range names {
			if strings.HasPrefix(name, "libmigbsp-stub.") || seen[name] {
				continue
			}
			seen[name] = true
			l := library{name: name, path: s.find(name, by.file, by.origin)}
			its, err := openLibraryFile(l.path)
			switch {
			case ofRank(name):
				l.shared, l.quiet = "it is the rank's", true
			case slices.Contains(asked, filepath.Base(name)):
				l.shared, l.quiet = sharedVariable+" names it", true
			case err != nil:
				l.shared = "it was not found"
			default:
				l.shared, l.build = cannotCopy(its), buildID(l.path, its)
			}
			if err == nil && l.shared == "" {
				queue = append(queue, needing{its.File, filepath.Dir(l.path)})
			}
			if its != nil {
				defer its.Close()
			}
			all = append(all, l)
		}
	}
	return all
}

// libraryFile is an open library.
type libraryFile struct {
	*elf.File
	f *os.File
}

func (l *libraryFile) Close() { l.f.Close() }

func openLibraryFile(path string) (*libraryFile, error) {
	if path == "" {
		return nil, errors.New("no path")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	file, err := elf.NewFile(f)
	if err != nil {
		f.Close()
		return nil, err
	}
	return &libraryFile{file, f}, nil
}

// at returns bytes at an address of the library, nil if they are not in the file.
func (l *libraryFile) at(address, size uint64) []byte {
	for _, p := range l.Progs {
		if p.Type == elf.PT_LOAD && address >= p.Vaddr && size <= p.Filesz && address-p.Vaddr <= p.Filesz-size {
			text := make([]byte, size)
			if _, err := p.ReadAt(text, int64(address-p.Vaddr)); err != nil {
				return nil
			}
			return text
		}
	}
	return nil
}

func (l *libraryFile) dynamic(tag elf.DynTag) uint64 {
	values, _ := l.DynValue(tag)
	if len(values) == 0 {
		return 0
	}
	return values[0]
}

// relocations are the relocation types that bind.c supports.
var relocations = map[string][]uint32{
	"amd64": {
		uint32(elf.R_X86_64_NONE), uint32(elf.R_X86_64_RELATIVE), uint32(elf.R_X86_64_GLOB_DAT), uint32(elf.R_X86_64_JMP_SLOT), uint32(elf.R_X86_64_64),
		uint32(elf.R_X86_64_DTPMOD64), uint32(elf.R_X86_64_DTPOFF64), uint32(elf.R_X86_64_IRELATIVE),
		uint32(elf.R_X86_64_TPOFF64), 36, // R_X86_64_TLSDESC
	},
	"arm64": {
		uint32(elf.R_AARCH64_NONE), uint32(elf.R_AARCH64_RELATIVE), uint32(elf.R_AARCH64_GLOB_DAT), uint32(elf.R_AARCH64_JUMP_SLOT), uint32(elf.R_AARCH64_ABS64),
		uint32(elf.R_AARCH64_TLS_DTPMOD64), uint32(elf.R_AARCH64_TLS_DTPREL64), uint32(elf.R_AARCH64_IRELATIVE),
		uint32(elf.R_AARCH64_TLS_TPREL64), uint32(elf.R_AARCH64_TLSDESC),
	},
}

// mostWritable is MOST_WRITABLE of image.h.
const mostWritable = 4

// cannotCopy returns why a process cannot have a copy of a library, empty if it can.
func cannotCopy(l *libraryFile) string {
	writable := 0
	for _, p := range l.Progs {
		if p.Type == elf.PT_LOAD && p.Flags&elf.PF_W != 0 {
			writable++
		}
	}
	switch {
	case l.Type != elf.ET_DYN || l.dynamic(elf.DT_SYMTAB) == 0:
		return "it is no shared library"
	case l.dynamic(elf.DT_FLAGS)&uint64(elf.DF_TEXTREL) != 0 || l.dynamic(elf.DT_TEXTREL) != 0:
		return "its code is relocated"
	case l.dynamic(elf.DT_GNU_HASH) == 0 && l.dynamic(elf.DT_HASH) == 0:
		return "it has no table of symbols"
	case writable > mostWritable:
		return fmt.Sprintf("it has %d writable segments", writable)
	}
	known := relocations[runtime.GOARCH]
	for _, table := range [][2]elf.DynTag{{elf.DT_RELA, elf.DT_RELASZ}, {elf.DT_JMPREL, elf.DT_PLTRELSZ}} {
		if l.dynamic(table[1]) == 0 {
			continue
		}
		entries := l.at(l.dynamic(table[0]), l.dynamic(table[1]))
		if entries == nil {
			return "it is cut off"
		}
		for ; len(entries) >= 24; entries = entries[24:] {
			if kind := binary.LittleEndian.Uint32(entries[8:]); !slices.Contains(known, kind) {
				return fmt.Sprintf("it has relocations of type %d", kind)
			}
		}
	}
	return ""
}

// buildID returns the build ID of a library, or a hash of the file if it has none.
func buildID(path string, l *libraryFile) string {
	for _, p := range l.Progs {
		if p.Type != elf.PT_NOTE {
			continue
		}
		notes, _ := io.ReadAll(p.Open())
		for len(notes) >= 12 {
			name, size, kind := binary.LittleEndian.Uint32(notes), binary.LittleEndian.Uint32(notes[4:]), binary.LittleEndian.Uint32(notes[8:])
			begin := 12 + uint64(name+3)&^3
			end := begin + uint64(size+3)&^3
			if end > uint64(len(notes)) {
				break
			}
			if kind == 3 && bytes.HasPrefix(notes[12:], []byte("GNU\x00")) {
				return fmt.Sprintf("%x", notes[begin:begin+uint64(size)])
			}
			notes = notes[end:]
		}
	}
	h := fnv.New64a()
	if f, err := os.Open(path); err == nil {
		io.Copy(h, f)
		f.Close()
	}
	return fmt.Sprintf("%x", h.Sum64())
}

// A search finds libraries as the dynamic linker does.
type search struct {
	machine elf.Machine
	object  []string // directories of the object's RPATH
	listed  []string // of LD_LIBRARY_PATH
	cache   map[string][]string
	system  []string
}

func newSearch(machine elf.Machine, origin string, object *elf.File) *search {
	s := &search{machine: machine, object: directories(object, elf.DT_RPATH, origin)}
	for _, dir := range strings.FieldsFunc(os.Getenv("LD_LIBRARY_PATH"), func(r rune) bool { return r == ':' || r == ';' }) {
		s.listed = append(s.listed, strings.ReplaceAll(dir, "$ORIGIN", origin))
	}
	text, _ := os.ReadFile("/etc/ld.so.cache")
	s.cache = readLinkerCache(text)
	triplet := map[string]string{"amd64": "x86_64-linux-gnu", "arm64": "aarch64-linux-gnu"}[runtime.GOARCH]
	s.system = []string{"/lib/" + triplet, "/usr/lib/" + triplet, "/lib64", "/usr/lib64", "/lib", "/usr/lib"}
	return s
}

// directories returns the directories of a DT_RPATH or DT_RUNPATH. An image with a RUNPATH has no RPATH.
func directories(file *elf.File, tag elf.DynTag, origin string) (all []string) {
	if runpath, _ := file.DynString(elf.DT_RUNPATH); tag == elf.DT_RPATH && len(runpath) > 0 {
		return nil
	}
	paths, _ := file.DynString(tag)
	for _, path := range paths {
		for dir := range strings.SplitSeq(path, ":") {
			all = append(all, strings.NewReplacer("$ORIGIN", origin, "${ORIGIN}", origin).Replace(dir))
		}
	}
	return all
}

// find returns the path of a library that an image needs, empty if it is not found.
func (s *search) find(name string, by *elf.File, origin string) string {
	if strings.Contains(name, "/") {
		return name
	}
	dirs := slices.Concat(directories(by, elf.DT_RPATH, origin), s.object, s.listed, directories(by, elf.DT_RUNPATH, origin))
	for _, dir := range dirs {
		if path := filepath.Join(dir, name); s.fits(path) {
			return path
		}
	}
	for _, path := range s.cache[name] {
		if s.fits(path) {
			return path
		}
	}
	for _, dir := range s.system {
		if path := filepath.Join(dir, name); s.fits(path) {
			return path
		}
	}
	return ""
}

// fits reports whether a file is a library for this machine.
func (s *search) fits(path string) bool {
	l, err := openLibraryFile(path)
	if err != nil {
		return false
	}
	defer l.Close()
	return l.Class == elf.ELFCLASS64 && l.Machine == s.machine
}

// readLinkerCache returns the paths of libraries by name, from the contents of /etc/ld.so.cache. Entries for
// particular processors are left out, so that all hosts load the same libraries.
func readLinkerCache(text []byte) map[string][]string {
	const magic, head, entry = "glibc-ld.so.cache1.1", 48, 24
	begin := bytes.Index(text, []byte(magic))
	if begin < 0 || len(text)-begin < head {
		return nil
	}
	text = text[begin:]
	word := func(at uint64) uint64 { return uint64(binary.LittleEndian.Uint32(text[at:])) }
	str := func(at uint64) string {
		if at >= uint64(len(text)) {
			return ""
		}
		s, _, _ := bytes.Cut(text[at:], []byte{0})
		return string(s)
	}
	paths := make(map[string][]string)
	n := word(20)
	for i := range n {
		at := head + i*entry
		if at+entry > uint64(len(text)) {
			break
		}
		if binary.LittleEndian.Uint64(text[at+16:]) == 0 {
			name := str(word(at + 4))
			paths[name] = append(paths[name], str(word(at+8)))
		}
	}
	return paths
}
