package collective

import (
	"reflect"
	"strings"
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/site"
)

// collective is a function of this package that all processes call together.
type collective uint8

const (
	broadcast collective = iota
	gather
	allgather
	allToAll
	reduction
	allreduction
	allreductionSlice
	scan
	sum
	least
	greatest
	sumSlice
	leastSlice
	greatestSlice
)

var collectiveNames = [...]string{
	"a Broadcast", "a Gather", "an Allgather", "an AllToAll",
	"a Reduce", "an Allreduce", "an AllreduceSlice", "a Scan",
	"a Sum", "a Min", "a Max", "a SumSlice", "a MinSlice", "a MaxSlice",
}

// call goes with all data of a collective, as its header's or its message's word. It says which
// collective it is, of which kind of values, and has a digest of their type and of the operation
// if that is a function; these are the same in all processes that are in the same collective.
// In its upper bits it has where the program calls it, which may differ.
//
// Operations are told apart by where they are defined, not by their code's address: the compiler
// makes several copies of a function within others that it inlines. So of two closures made at
// one place either may be given.
type call uint64

const (
	collectiveBits = 4
	valueBits      = 5 // a reflect.Kind
	digestBits     = 27
	siteShift      = collectiveBits + valueBits + digestBits
)

// matches reports whether two processes are in the same collective.
func (c call) matches(other call) bool { return (c^other)<<(64-siteShift) == 0 }

func (c call) collective() collective { return collective(c & (1<<collectiveBits - 1)) }

// values is the kind of the values.
func (c call) values() reflect.Kind {
	return reflect.Kind(c >> collectiveBits & (1<<valueBits - 1))
}

// site is the return address of the call. That is counted from this package's own code, which is
// elsewhere in the memory of each rank of a program that may be loaded anywhere.
func (c call) site() uintptr { return codeBase + uintptr(int64(c)>>siteShift) }

var codeBase = reflect.ValueOf(site.Name).Pointer()

func siteBits(site uintptr) call { return call(site-codeBase) << siteShift }

// name is the collective's name without its article.
func (c call) name() string {
	_, name, _ := strings.Cut(collectiveNames[c.collective()], " ")
	return name
}

// at is where the program makes the call, as the end of a sentence.
func (c call) at() string {
	if name := site.Name(c.site()); name != "" {
		return " at " + name
	}
	return ""
}

// header says what data belongs to.
type header struct {
	step  int  // in which it was laid
	call  call // which collective it is
	root  uint64
	size  uint64 // bytes that each process gives, where all give as many
	count uint64 // processes of the rank that have come
	bytes uint64 // of the data
}

const shelfHeader = int(unsafe.Sizeof(header{}))

func headerBytes(h *header) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(h)), shelfHeader) }
