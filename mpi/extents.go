//go:build mpi

package mpi

import "slices"

// extents keeps account of which parts of an arena are free. It allocates from
// the first free part that is large enough, and joins neighbours that come
// back. It never touches the memory itself.
type extents struct {
	free  []extent    // in order of address
	used  map[int]int // length by address
	dirty int         // bytes of free parts that are not clean
}

// extent is a free part. A clean one holds zeros only.
type extent struct {
	at, n int
	clean bool
}

// clutter is the length up to which a clean part gives up being clean to join
// a neighbour that is not.
const clutter = 1 << 20

func newExtents(at, n int) *extents {
	return &extents{free: []extent{{at, n, true}}, used: make(map[int]int)}
}

// take allocates n bytes, a multiple of lineBytes.
func (e *extents) take(n int) (at int, clean, ok bool) {
	for i := range e.free {
		if f := e.free[i]; f.n >= n {
			e.cut(i, n)
			e.used[f.at] = n
			return f.at, f.clean, true
		}
	}
	return 0, false, false
}

// extend makes the allocated part at that address n bytes long, if what
// follows it is free.
func (e *extents) extend(at, n int) bool {
	end, more := at+e.used[at], n-e.used[at]
	i, found := e.find(end)
	if !found || e.free[i].n < more {
		return false
	}
	e.cut(i, more)
	e.used[at] = n
	return true
}

// cut removes the first n bytes of free part i.
func (e *extents) cut(i, n int) {
	f := &e.free[i]
	if !f.clean {
		e.dirty -= n
	}
	f.at += n
	f.n -= n
	if f.n == 0 {
		e.free = slices.Delete(e.free, i, i+1)
	}
}

// find returns where the free part at that address is or would be.
func (e *extents) find(at int) (i int, found bool) {
	return slices.BinarySearchFunc(e.free, at, func(f extent, at int) int { return f.at - at })
}

// give frees the allocated part at that address, and returns the free part it
// has become or joined.
func (e *extents) give(at int) extent {
	n := e.used[at]
	delete(e.used, at)
	e.dirty += n
	i, _ := e.find(at)
	e.free = slices.Insert(e.free, i, extent{at, n, false})
	return e.free[e.join(i)]
}

// cleaned notes that a free part holds zeros now.
func (e *extents) cleaned(f extent) {
	i, found := e.find(f.at)
	if !found || e.free[i].clean {
		return
	}
	e.dirty -= e.free[i].n
	e.free[i].clean = true
	e.join(i)
}

// join unites free part i with its neighbours and returns its new number.
func (e *extents) join(i int) int {
	if i+1 < len(e.free) {
		e.unite(i)
	}
	if i > 0 && e.unite(i-1) {
		i--
	}
	return i
}

func (e *extents) unite(i int) bool {
	a, b := &e.free[i], e.free[i+1]
	if a.at+a.n != b.at || a.clean != b.clean && max(cleanBytes(*a), cleanBytes(b)) > clutter {
		return false
	}
	if a.clean != b.clean {
		e.dirty += cleanBytes(*a) + cleanBytes(b)
		a.clean = false
	}
	a.n += b.n
	e.free = slices.Delete(e.free, i+1, i+2)
	return true
}

func cleanBytes(f extent) int {
	if f.clean {
		return f.n
	}
	return 0
}
