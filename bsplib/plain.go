package bsplib

import (
	"reflect"

	"github.com/migbsp/migbsp/bsplib/internal/memory"
)

// mustBePlain ends the run if values of type T cannot be sent as bytes.
func mustBePlain[T any](p *Proc, what string) {
	if why := memory.Unsendable(reflect.TypeFor[T](), what); why != "" {
		p.fail(KindNotPlain, "%s", why)
	}
}

// mustBePlainTag is mustBePlain for tags, which may be empty but not huge.
func mustBePlainTag[Tag any](p *Proc) {
	if memory.Size[Tag]() == 0 {
		return
	}
	mustBePlain[Tag](p, "a queue's tag")
	if memory.Size[Tag]() > largestTag {
		p.fail(KindNotPlain, "a queue's tag of %s: it has %d bytes, tags have at most %d", reflect.TypeFor[Tag](), memory.Size[Tag](), largestTag)
	}
}

const largestTag = 1 << 20

// plainHash returns the TypeHash of a type whose values can be sent as bytes; another type ends the
// run. A rank checks a type once, because very many processes register the same.
func plainHash[T any](p *Proc, what string) uint64 {
	t := reflect.TypeFor[T]()
	if h, seen := p.process.Rank.Looked.Plain[t]; seen {
		return h
	}
	mustBePlain[T](p, what)
	h := memory.TypeHash[T]()
	p.process.Rank.Looked.Plain[t] = h
	return h
}
