package docs_test

import (
	"go/ast"
	"go/types"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// shape is how entangled a package is: the size of its largest circle of files, each of
// which reaches every other by names that it uses; how many of its structs embed a struct of
// the package that has methods; and of its widest type the fields (of nested structs of the
// package each of theirs), the methods, and the files that these stand in.
type shape struct{ circle, embeds, fields, methods, files int }

// limits are those of docs/design.md.
var limits = shape{circle: 8, embeds: 0, fields: 25, methods: 45, files: 8}

func (s shape) within(limit shape) bool {
	return s.circle <= limit.circle && s.embeds <= limit.embeds &&
		s.fields <= limit.fields && s.methods <= limit.methods && s.files <= limit.files
}

// Packages are within the limits.
func TestShape(t *testing.T) {
	list := must.Get(packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes |
			packages.NeedTypesInfo | packages.NeedImports,
		Dir: "..",
	}, "./..."))(t)
	for _, p := range list {
		for _, err := range p.Errors {
			t.Error(err)
		}
		if now := measured(p); !now.within(limits) {
			t.Errorf("%s has %+v, at most %+v is allowed", strings.TrimPrefix(p.PkgPath, module), now, limits)
		}
	}
}

func measured(p *packages.Package) (s shape) {
	s.circle = largestCircle(references(p))
	most := -1
	for _, name := range p.Types.Scope().Names() {
		named, fields := structOf(p, p.Types.Scope().Lookup(name))
		if named == nil {
			continue
		}
		if embeds(p, fields) {
			s.embeds++
		}
		methods, in := methodsOf(p, named)
		wide := fieldsOf(p, fields, make(map[*types.Named]bool))
		if methods+wide > most {
			most = methods + wide
			s.fields, s.methods, s.files = wide, methods, len(in)
		}
	}
	return s
}

// references has for each file those whose names it uses.
func references(p *packages.Package) map[string]map[string]bool {
	file := func(at ast.Node) string { return filepath.Base(p.Fset.Position(at.Pos()).Filename) }
	graph := make(map[string]map[string]bool)
	for _, f := range p.Syntax {
		graph[file(f)] = make(map[string]bool)
	}
	for use, object := range p.TypesInfo.Uses {
		if object.Pkg() != p.Types {
			continue
		}
		from, to := file(use), filepath.Base(p.Fset.Position(object.Pos()).Filename)
		if from != to && graph[from] != nil && graph[to] != nil {
			graph[from][to] = true
		}
	}
	return graph
}

// largestCircle is the size of the largest set of files each of which reaches the others.
func largestCircle(graph map[string]map[string]bool) (largest int) {
	reached := make(map[string]map[string]bool)
	for from := range graph {
		seen := make(map[string]bool)
		for next := []string{from}; len(next) > 0; {
			at := next[len(next)-1]
			next = next[:len(next)-1]
			for to := range graph[at] {
				if !seen[to] {
					seen[to] = true
					next = append(next, to)
				}
			}
		}
		reached[from] = seen
	}
	for from := range graph {
		size := 1
		for to := range reached[from] {
			if to != from && reached[to][from] {
				size++
			}
		}
		largest = max(largest, size)
	}
	return largest
}

// structOf is the struct type of the package that an object declares, if it does.
func structOf(p *packages.Package, object types.Object) (*types.Named, *types.Struct) {
	name, ok := object.(*types.TypeName)
	if !ok || name.IsAlias() {
		return nil, nil
	}
	return ownStruct(p, name.Type())
}

// ownStruct is a type as a named struct of the package, if it is one or points to one.
func ownStruct(p *packages.Package, t types.Type) (*types.Named, *types.Struct) {
	if pointer, ok := t.(*types.Pointer); ok {
		t = pointer.Elem()
	}
	named, ok := t.(*types.Named)
	if !ok || named.Obj().Pkg() != p.Types {
		return nil, nil
	}
	fields, ok := named.Underlying().(*types.Struct)
	if !ok {
		return nil, nil
	}
	return named, fields
}

func embeds(p *packages.Package, s *types.Struct) bool {
	for field := range s.Fields() {
		if !field.Embedded() {
			continue
		}
		if named, _ := ownStruct(p, field.Type()); named != nil && named.NumMethods() > 0 {
			return true
		}
	}
	return false
}

// fieldsOf counts fields, and of those that hold structs of the package theirs instead,
// each such struct once.
func fieldsOf(p *packages.Package, s *types.Struct, seen map[*types.Named]bool) (n int) {
	for field := range s.Fields() {
		if _, pointer := field.Type().(*types.Pointer); !pointer {
			if named, inner := ownStruct(p, field.Type()); named != nil && !seen[named] {
				seen[named] = true
				n += fieldsOf(p, inner, seen)
				continue
			}
		}
		n++
	}
	return n
}

// methodsOf counts a type's methods with those of structs of the package that it embeds,
// and has the files that they stand in.
func methodsOf(p *packages.Package, t *types.Named) (n int, in map[string]bool) {
	in = make(map[string]bool)
	for method := range t.Methods() {
		n++
		in[filepath.Base(p.Fset.Position(method.Pos()).Filename)] = true
	}
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return n, in
	}
	for field := range s.Fields() {
		if !field.Embedded() {
			continue
		}
		if named, _ := ownStruct(p, field.Type()); named != nil {
			more, files := methodsOf(p, named)
			n += more
			maps.Copy(in, files)
		}
	}
	return n, in
}
