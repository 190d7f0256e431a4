package stages

import (
	"go/token"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// object is a piece of memory, named by the instruction and the frame that make it.
type object struct {
	frame    *frame
	value    ssa.Value
	outer    bool // made before the root was entered
	blank    bool // zero when the root was entered
	moves    bool // the state
	stages   bool // the result of Proc.Stages
	fn       *ssa.Function
	bindings []values // of fn
	holder   place    // the first location with a name that led to it
}

// place is a location, a part of an object: fields are ".name", elements "[]"; "*" follows a
// reference of an outer object.
type place struct {
	object *object
	path   string
}

// isState reports whether a location moves with the process: memory that an outer object leads to may
// be the state.
func (p place) isState() bool {
	return p.object != nil && (p.object.moves || p.object.outer && strings.Contains(p.path, "*"))
}

// isLocal reports whether a location is in the program's own memory.
func (p place) isLocal() bool { return p.object != nil && p.object.fn == nil && !p.isState() }

// taint is the set of origins of a value, besides values that each entry computes again.
type taint uint8

const (
	ofStage taint = 1 << iota // the stage's index
	ofState                   // the state, or memory of other packages
	ofClock
)

// value is one of the possible values of a location.
type value struct {
	key   string // the same for the same value: "=3" is a constant, "?..." depends on the process only, "s.X" is of the state
	ref   place  // where a reference leads
	from  place  // where it was loaded
	taint taint
	at    ssa.Instruction // the definition
	loop  *loop           // the stages that set it, or nil
	back  string          // the part of the state that it was written back to, where each entry finds it
	old   bool            // a stage has ended since
}

const zero, yes, filled = "=0", "=true", "=filled" // keys

// same returns a key that identifies a value among the values that an entry finds at a location.
func (v value) same() any {
	if v.key != "" {
		return v.key
	}
	return v.at
}

type values []value

func (vs values) with(more ...value) values {
	if len(vs) > 0 && len(more) == len(vs) && &more[0] == &vs[0] {
		return vs
	}
	all := slices.Clip(vs)
	for _, v := range more {
		if !slices.Contains(all, v) {
			all = append(all, v)
		}
	}
	return all
}

func (vs values) equal(other values) bool {
	return len(vs) == len(other) && len(vs.with(other...)) == len(vs)
}

// each returns the results of do for vs.
func (vs values) each(do func(value) value) (done values) {
	for _, v := range vs {
		done = done.with(do(v))
	}
	return done
}

func (vs values) taint() (t taint) {
	for _, v := range vs {
		t |= v.taint
	}
	return t
}

// key is the key that all of vs have, or empty.
func (vs values) key() string {
	if len(vs) == 0 || slices.ContainsFunc(vs, func(v value) bool { return v.key != vs[0].key }) {
		return ""
	}
	return vs[0].key
}

// inside returns addresses of parts of the memory that vs lead to.
func (vs values) inside(step string, t taint) values {
	return vs.each(func(v value) value {
		part := value{taint: v.taint | t}
		if v.ref.object != nil && v.ref.object.fn == nil && len(v.ref.path) < 60 {
			part.ref = place{v.ref.object, v.ref.path + step}
		}
		return part
	})
}

// path is the possible contents of memory on one path through the program: by object, its
// parts in the order of their names. Paths share cells, which never change.
type path map[*object][]cell

type cell struct {
	part   string
	values values
}

// paths is the paths that reach a point.
type paths []path

// add returns the path to continue with, or nil if p adds no new values. It keeps at most most paths
// separate.
func (ps *paths) add(p path, most int) path {
	if len(*ps) < most {
		if slices.ContainsFunc(*ps, func(q path) bool { return maps.EqualFunc(p, q, sameCells) }) {
			return nil
		}
		*ps = append(*ps, p)
		return p
	}
	last := &(*ps)[len(*ps)-1]
	var both path
	for o, cells := range p {
		for _, c := range cells {
			at := place{o, c.part}
			if all := last.at(at).with(c.values...); len(all) > len(last.at(at)) {
				if both == nil {
					both = maps.Clone(*last)
				}
				both.put(at, all)
			}
		}
	}
	if both != nil {
		*last = both
	}
	return both
}

func sameCells(a, b []cell) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0] || slices.EqualFunc(a, b, func(x, y cell) bool {
		return x.part == y.part && x.values.equal(y.values)
	}))
}

// at returns the values stored at a location.
func (p path) at(at place) values {
	for _, c := range p[at.object] {
		if c.part == at.path {
			return c.values
		}
	}
	return nil
}

// put replaces the values at a location.
func (p path) put(at place, vs values) {
	cells := p[at.object]
	i, found := slices.BinarySearchFunc(cells, at.path, func(c cell, part string) int { return strings.Compare(c.part, part) })
	if cells = slices.Clone(cells); !found {
		cells = slices.Insert(cells, i, cell{})
	}
	cells[i] = cell{at.path, vs}
	p[at.object] = cells
}

// covers reports whether a part of an object has another within.
func covers(part, other string) bool {
	rest, ok := strings.CutPrefix(other, part)
	return ok && (rest == "" || strings.Contains(".[*", rest[:1]))
}

// step is the first step of a path.
func step(path string) string {
	if i := strings.IndexAny(path[1:], ".[*"); i >= 0 {
		return path[:i+1]
	}
	return path
}

// read returns the possible values of a location: of its parts and, if it has not been set itself, of
// the smallest enclosing location.
func (p path) read(at place) (found values) {
	if at.isState() {
		return values{{key: at.name(), ref: place{at.object, at.path + "*"}, taint: ofState}}
	}
	var around values
	for _, c := range p[at.object] {
		if covers(at.path, c.part) {
			found = found.with(c.values...)
		} else if covers(c.part, at.path) {
			around = c.values
		}
	}
	switch {
	case p.at(at) != nil || around == nil && !at.object.outer:
		return found
	case around != nil:
		return found.with(around...)
	case at.object.blank:
		return found.with(value{key: zero})
	}
	return found.with(value{key: at.name(), ref: place{at.object, at.path + "*"}})
}

// write sets a location and all locations within it or, if weak is true, adds to their possible
// values.
func (p path) write(at place, vs values, weak bool) {
	for _, v := range vs {
		if o := v.ref.object; o != nil && o.name() == "" && at.object.name() != "" {
			o.holder = at
		}
	}
	if weak {
		for _, v := range p.read(at) {
			if v.key != zero {
				vs = vs.with(v)
			}
		}
	} else {
		p[at.object] = slices.DeleteFunc(slices.Clone(p[at.object]), func(c cell) bool { return covers(at.path, c.part) || at.path == c.part+"[]" })
	}
	p.put(at, vs)
}

// change replaces the values within a location.
func (p path) change(at place, do func(value) value) {
	for _, c := range p[at.object] {
		if covers(at.path, c.part) {
			p.put(place{at.object, c.part}, c.values.each(do))
		}
	}
}

// collect drops unreachable objects when a function of some depth has returned.
func (p path) collect(depth int) {
	live := map[*object]bool{nil: true}
	var keep func(o *object)
	keep = func(o *object) {
		if live[o] {
			return
		}
		live[o] = true
		for _, c := range p[o] {
			for _, v := range c.values {
				keep(v.ref.object)
				keep(v.from.object)
			}
		}
		for _, captured := range o.bindings {
			keep(captured[0].ref.object)
		}
	}
	for o := range p {
		if o.frame == nil || o.frame.depth < depth {
			keep(o)
		}
	}
	maps.DeleteFunc(p, func(o *object, _ []cell) bool { return !live[o] })
}

// name returns the source's name of an object: its variable, or the first variable that led to it;
// else it is empty.
func (o *object) name() string {
	switch v := o.value.(type) {
	case *ssa.Global, *ssa.FreeVar, *ssa.Parameter:
		return v.Name()
	case *ssa.Alloc:
		if token.IsIdentifier(v.Comment) && !slices.Contains([]string{"complit", "slicelit", "varargs", "makeslice", "new", "append", "rangeindex"}, v.Comment) {
			return v.Comment
		}
	}
	if o.holder.object != nil {
		return o.holder.name()
	}
	return ""
}

func (p place) name() string {
	name := p.object.name()
	for path := p.path; path != ""; path = path[len(step(path)):] {
		if p.object.moves || path[0] == '.' {
			name += step(path)
		}
	}
	return name
}
