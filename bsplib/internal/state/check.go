package state

import (
	"fmt"
	"reflect"
	"strings"
)

// Problem is a field that cannot move.
type Problem struct {
	Path string // such as state.Rows[].Conn; [] are elements, [key] a map's keys
	Type reflect.Type
	Why  string
}

// String returns the problem on one line.
func (p Problem) String() string { return fmt.Sprintf("%s: %s: %s", p.Path, p.Type, p.Why) }

// PlanError lists all fields of a type that cannot move.
type PlanError struct {
	Type     reflect.Type
	Problems []Problem
}

// Error returns a line for each problem.
func (e *PlanError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "values of type %s cannot move:", e.Type)
	for _, p := range e.Problems {
		b.WriteString("\n\t")
		b.WriteString(p.String())
	}
	return b.String()
}

// mostProblems bounds the list for types that reach one bad type by very many
// paths.
const mostProblems = 1000

// reach is a kind of access to a type.
type reach int

const (
	open   reach = iota
	hidden       // through an unexported field
	asKey        // in a map's key
)

type visit struct {
	t  reflect.Type
	as reach
}

// checker walks over all types that a state type reaches.
type checker struct {
	handles Handles
	found   []Problem
	within  map[visit]bool // types on the path to the current one
	good    map[visit]bool // types without problems
}

func problemsOf(t reflect.Type, handles Handles) []Problem {
	c := &checker{handles: handles, within: map[visit]bool{}, good: map[visit]bool{}}
	c.look(t, "state", open)
	return c.found
}

func (c *checker) add(path string, t reflect.Type, why string) {
	c.found = append(c.found, Problem{path, t, why})
}

// look finds the problems of t and of the types that it reaches.
func (c *checker) look(t reflect.Type, path string, as reach) {
	v := visit{t, as}
	if c.within[v] || c.good[v] || len(c.found) >= mostProblems {
		return
	}
	before := len(c.found)
	c.within[v] = true
	switch {
	case c.handles.Is(t):
	case encodesItself(t):
		if inheritsEncoding(t) {
			c.add(path, t, "its MarshalBinary or UnmarshalBinary may be those of an embedded field, which know nothing of the other fields: give that field a name")
		}
	case isLock(t) && !inherits(t, "Lock", "Unlock"):
		c.add(path, t, "a lock belongs to the memory it stands in")
	case t.Size() == 0:
	default:
		c.lookInside(t, path, as)
	}
	delete(c.within, v)
	c.good[v] = len(c.found) == before
}

func (c *checker) lookInside(t reflect.Type, path string, as reach) {
	switch t.Kind() {
	case reflect.Chan:
		c.add(path, t, "a channel belongs to one process")
	case reflect.Func:
		c.add(path, t, "a function may hold variables that cannot be seen")
	case reflect.Interface:
		c.add(path, t, "what an interface holds is not known before the run")
	case reflect.UnsafePointer:
		c.add(path, t, "what an unsafe.Pointer leads to is not known")
	case reflect.Slice, reflect.Map, reflect.Pointer:
		c.lookBeyond(t, path, as)
	case reflect.Array:
		c.look(t.Elem(), path+"[]", as)
	case reflect.Struct:
		for i := range t.NumField() {
			c.lookField(t.Field(i), path, as)
		}
	}
}

// lookBeyond checks the type that a reference leads to.
func (c *checker) lookBeyond(t reflect.Type, path string, as reach) {
	switch {
	case as == asKey:
		c.add(path, t, "a pointer in a map's key has no order that is the same everywhere")
	case as == hidden:
		c.add(path, t, "an unexported field that holds references: export it, or give its type AppendBinary and UnmarshalBinary")
	case t.Kind() == reflect.Pointer:
		c.look(t.Elem(), path, open)
	case t.Kind() == reflect.Slice:
		c.look(t.Elem(), path+"[]", open)
	default:
		c.look(t.Key(), path+"[key]", asKey)
		c.look(t.Elem(), path+"[]", open)
	}
}

func (c *checker) lookField(f reflect.StructField, path string, as reach) {
	path += "." + f.Name
	if f.Name == "_" {
		if kindOf(f.Type, c.handles) != plain {
			c.add(path, f.Type, "a blank field that is not plain")
		}
		return
	}
	embedded := f.Anonymous && f.Type.Kind() == reflect.Struct
	if as == open && !f.IsExported() && !embedded {
		as = hidden
	}
	c.look(f.Type, path, as)
}
