package stages

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// effect is what a function of another package does to what an argument leads
// to.
type effect int

const (
	nothing effect = iota
	reads
	adds    // sets some of it
	changes // reads it and sets some of it
	sets    // sets all of it without a look
	empties // leaves it as it was made
)

// argumentEffect is what fn, of another package, does by its name with its i-th
// argument; a receiver counts as the first.
func argumentEffect(fn *ssa.Function, i int, arg ssa.Value) effect {
	path, name := origin(fn)
	method := fn != nil && fn.Signature.Recv() != nil
	_, pointer := arg.Type().Underlying().(*types.Pointer)
	switch {
	case path == libraryPath:
		return libraryEffect(name, i)
	case path == "encoding/binary" && i == 1 && hasPrefix(name, "PutUint"):
		return sets
	case method && i == 0:
		return receiverEffect(path, name, pointer)
	case path == "math/big":
		return reads
	case hasPrefix(name, "Scan", "Sscan", "Fscan", "Unmarshal", "Decode"):
		_, boxed := arg.Type().Underlying().(*types.Interface)
		_, list := arg.Type().Underlying().(*types.Slice)
		if pointer || boxed || list && name != "Unmarshal" {
			return sets
		}
		return reads
	case i == 0 && hasPrefix(name, "Fprint"), path == "maps" && i == 0 && name == "Copy":
		return adds
	case path == "container/heap" && i == 0, slices.Contains(writers, path+"."+name) && i == 0:
		return changes
	case i == 1 && (path == "io" && hasPrefix(name, "ReadFull", "ReadAtLeast") || path == "encoding/binary" && name == "Read"):
		return sets
	case pointer && path != "" && !strings.HasPrefix(path, "sync"):
		return sets
	}
	return reads
}

// writers are functions that set elements of their first argument.
var writers = []string{
	"sort.Ints", "sort.Float64s", "sort.Strings", "sort.Slice", "sort.SliceStable", "sort.Sort", "sort.Stable",
	"slices.Sort", "slices.SortFunc", "slices.SortStableFunc", "slices.Reverse", "slices.Compact", "slices.CompactFunc",
	"slices.Delete", "slices.DeleteFunc", "slices.Insert", "slices.Replace", "maps.DeleteFunc", "maps.Insert",
}

// libraryEffect knows which of the library's calls write into slices.
func libraryEffect(name string, i int) effect {
	switch {
	case (name == "Get" || name == "HPGet") && i == 3, name == "Receive" && i == 1, hasPrefix(name, "Broadcast") && i == 2:
		return sets
	case name == "AllreduceSlice" && i == 1:
		return changes
	}
	return reads
}

// receiverEffect is what a method does to its receiver. What is made to be
// shared, such as a lock or a logger, carries nothing.
func receiverEffect(path, name string, pointer bool) effect {
	values := []string{"bufio", "bytes", "strings", "math/rand", "math/rand/v2", "math/big", "container/list", "container/ring"}
	switch {
	case !pointer:
		return reads
	case slices.Contains([]string{"sync", "sync/atomic", "log", "log/slog", "flag", "testing", "os", "context"}, path):
		return nothing
	case name == "Reset":
		return empties
	case !slices.Contains(values, path):
		return reads
	case path == "math/big" && hasPrefix(name, "Append", "Bit", "Bytes", "Cmp", "Float", "Format", "Int64", "Is", "Len", "Sign", "String", "Text", "Uint64"):
		return reads
	case path == "math/big", hasPrefix(name, "Init", "Clear", "Seed", "Truncate", "Set", "Unmarshal", "Decode"):
		return sets
	case hasPrefix(name, "String", "Len", "Cap", "Bytes"):
		return reads
	}
	return changes
}

func hasPrefix(name string, prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) })
}

// origin is the package and name of a function, empty if it is not known.
func origin(fn *ssa.Function) (path, name string) {
	if fn == nil || fn.Object() == nil || fn.Object().Pkg() == nil {
		return "", ""
	}
	return fn.Object().Pkg().Path(), fn.Object().Name()
}

// isOnce reports whether f runs a function it is given once only: an entry
// begins with none run.
func isOnce(f *ssa.Function) bool {
	path, name := origin(f)
	return path == "sync" && (name == "Do" || strings.HasPrefix(name, "Once"))
}

// isMethodOf reports whether f is one of these methods of the library's type.
func isMethodOf(f *ssa.Function, typ string, names ...string) bool {
	path, name := origin(f)
	if path != libraryPath || f.Signature.Recv() == nil {
		return false
	}
	named := namedType(f.Signature.Recv().Type())
	return named != nil && named.Obj().Name() == typ && slices.Contains(names, name)
}

// namedType is the named type that t is or points to, or nil.
func namedType(t types.Type) *types.Named {
	if pointer, ok := types.Unalias(t).(*types.Pointer); ok {
		t = pointer.Elem()
	}
	named, _ := types.Unalias(t).(*types.Named)
	return named
}

// isProc reports whether t is a pointer to the library's Proc.
func isProc(t types.Type) bool {
	_, pointer := types.Unalias(t).(*types.Pointer)
	named := namedType(t)
	return pointer && named != nil && named.Obj().Name() == "Proc" &&
		named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == libraryPath
}

// clock is the name of what f gives another value of at each entry, or empty.
func clock(f *ssa.Function) string {
	switch path, name := origin(f); {
	case isMethodOf(f, "Proc", "Time", "Superstep"):
		return "b." + name + "()"
	case path == "time" && (name == "Now" || name == "Since"),
		strings.HasPrefix(path, "math/rand") && f.Signature.Recv() == nil && !strings.HasPrefix(name, "New"):
		return f.Object().Pkg().Name() + "." + name + "()"
	}
	return ""
}

// hasReferences reports whether values of t lead to memory elsewhere.
func hasReferences(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Basic:
		return t.Kind() == types.UnsafePointer
	case *types.Array:
		return hasReferences(t.Elem())
	case *types.Struct:
		for field := range t.Fields() {
			if hasReferences(field.Type()) {
				return true
			}
		}
		return false
	case *types.Tuple:
		for v := range t.Variables() {
			if hasReferences(v.Type()) {
				return true
			}
		}
		return false
	}
	return true
}
