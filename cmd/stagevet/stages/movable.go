package stages

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

// findUnmovable reports the fields of a program's state that cannot move.
func (c *check) findUnmovable(f *ssa.Function) {
	state := stateOf(f.Signature)
	if state == nil || len(c.states) > 0 && !c.isProgramState(state) {
		return
	}
	s := &stateScan{check: c, seen: map[stateVisit]bool{}, at: f.Signature.Params().At(1).Pos(), path: "state"}
	s.look(state, false)
}

// cannotMove reports whether a type can be no state, and no part of one.
func (c *check) cannotMove(t types.Type) bool {
	s := &stateScan{check: c, seen: map[stateVisit]bool{}, silent: true}
	s.look(t, false)
	return s.faults > 0
}

// isProgram reports whether a signature is that of a program.
func isProgram(signature *types.Signature) bool { return stateOf(signature) != nil }

// stateOf is the state's type for functions of the process and a pointer to
// the state, and else nil.
func stateOf(signature *types.Signature) types.Type {
	params := signature.Params()
	if params.Len() != 2 || !isProc(params.At(0).Type()) {
		return nil
	}
	pointer, ok := types.Unalias(params.At(1).Type()).(*types.Pointer)
	if !ok {
		return nil
	}
	return pointer.Elem()
}

// collectStates records the states of the programs that an instruction gives to
// the library to run.
func (c *check) collectStates(i ssa.Instruction) {
	call, ok := i.(ssa.CallInstruction)
	if !ok {
		return
	}
	f := call.Common().StaticCallee()
	if path, _ := origin(f); !strings.HasPrefix(path+"/", libraryPath+"/") {
		return
	}
	for _, arg := range call.Common().Args {
		if signature, ok := arg.Type().(*types.Signature); ok {
			if state := stateOf(signature); state != nil {
				c.states = append(c.states, state)
			}
		}
	}
}

func (c *check) isProgramState(t types.Type) bool {
	return slices.ContainsFunc(c.states, func(state types.Type) bool { return types.Identical(state, t) })
}

// stateScan walks over the types that a state reaches, by the rules of the
// library's codec.
type stateScan struct {
	*check
	seen   map[stateVisit]bool // types on the way here, and those without faults
	faults int
	at     token.Pos // of the innermost field in this package
	path   string
	silent bool
}

type stateVisit struct {
	t      types.Type
	hidden bool
}

func (s *stateScan) fault(why string) {
	s.faults++
	if s.silent {
		return
	}
	s.report(analysis.Diagnostic{Pos: s.at, Message: fmt.Sprintf("%s cannot move: %s", s.path, why)})
}

// look finds what of t cannot move; hidden is within unexported fields.
func (s *stateScan) look(t types.Type, hidden bool) {
	t = types.Unalias(t)
	v := stateVisit{t, hidden}
	if s.seen[v] || isHandle(t) || encodesItself(t) {
		return
	}
	before := s.faults
	s.seen[v] = true
	if isProc(t) {
		s.fault("it is a process")
	} else if isLock(t) {
		s.fault("a lock belongs to the memory it stands in")
	} else {
		s.lookInside(t, hidden)
	}
	s.seen[v] = s.faults == before
}

func (s *stateScan) lookInside(t types.Type, hidden bool) {
	switch u := t.Underlying().(type) {
	case *types.Chan:
		s.fault("it is a channel")
	case *types.Signature:
		s.fault("it is a function")
	case *types.Interface:
		if _, parameter := t.(*types.TypeParam); !parameter {
			s.fault("it is an interface")
		}
	case *types.Basic:
		if u.Kind() == types.UnsafePointer {
			s.fault("it is an unsafe.Pointer")
		}
	case *types.Array:
		s.look(u.Elem(), hidden)
	case *types.Struct:
		s.lookFields(u, hidden)
	default:
		s.lookBeyond(t, hidden)
	}
}

func (s *stateScan) lookBeyond(t types.Type, hidden bool) {
	if hidden {
		s.fault("it is an unexported field that holds references; export it")
		return
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		s.look(u.Elem(), false)
	case *types.Slice:
		s.look(u.Elem(), false)
	case *types.Map:
		if hasReferences(u.Key()) {
			s.fault("it is a map with references in its key")
		}
		s.look(u.Elem(), false)
	}
}

func (s *stateScan) lookFields(u *types.Struct, hidden bool) {
	at, path := s.at, s.path
	for field := range u.Fields() {
		if field.Pkg() == s.pass.Pkg {
			s.at = field.Pos()
		}
		s.path = path + "." + field.Name()
		_, isStruct := field.Type().Underlying().(*types.Struct)
		embedded := field.Embedded() && isStruct
		s.look(field.Type(), hidden || !field.Exported() && !embedded)
		s.at, s.path = at, path
	}
}

// isHandle reports whether t is an area or a queue.
func isHandle(t types.Type) bool {
	named, ok := t.(*types.Named)
	return ok && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == libraryPath &&
		(named.Obj().Name() == "Area" || named.Obj().Name() == "Queue")
}

// encodesItself reports whether t has methods that write and read it.
func encodesItself(t types.Type) bool {
	return (hasMethod(t, "AppendBinary") || hasMethod(t, "MarshalBinary")) && hasMethod(t, "UnmarshalBinary")
}

// isLock reports whether t is of package sync or has a lock's methods.
func isLock(t types.Type) bool {
	named, ok := t.(*types.Named)
	if !ok {
		return false
	}
	inSync := named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == "sync"
	return inSync || hasMethod(t, "Lock") && hasMethod(t, "Unlock") && !embedsLock(named)
}

// embedsLock reports whether a struct's Lock is that of a field, which is
// reported itself.
func embedsLock(named *types.Named) bool {
	u, ok := named.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for field := range u.Fields() {
		if field.Embedded() && hasMethod(field.Type(), "Lock") {
			return true
		}
	}
	return false
}

// hasMethod reports whether t or a pointer to it has a method.
func hasMethod(t types.Type, name string) bool {
	if types.IsInterface(t) {
		return false
	}
	if _, pointer := t.Underlying().(*types.Pointer); !pointer {
		t = types.NewPointer(t)
	}
	method, _, _ := types.LookupFieldOrMethod(t, false, nil, name)
	_, ok := method.(*types.Func)
	return ok
}
