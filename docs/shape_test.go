package docs_test

import (
	"go/ast"
	"go/types"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// shape measures the entanglement of a package: the size of its largest circle of files, each of
// which reaches every other by names that it uses; and the number of its structs that embed a struct
// of the package with methods.
type shape struct{ circle, embeds int }

// limits are the ones of docs/design.md.
var limits = shape{circle: 8, embeds: 0}

func (s shape) within(limit shape) bool { return s.circle <= limit.circle && s.embeds <= limit.embeds }

// Packages and types are within the limits, and no package casts its types to another package's.
func TestShape(t *testing.T) {
	tree := load(t, "..", module, "./...")
	for _, p := range tree.packages {
		if now := measured(p); !now.within(limits) {
			t.Errorf("%s has %+v, at most %+v is allowed", tree.path(p.PkgPath), now, limits)
		}
	}
	tree.checkTypes(t, "testdata/shape.txt")
	tree.packages = append(tree.packages, load(t, "..", module, "./bsplib/cbsp", "-tags=staticrank").packages...)
	for _, wrong := range tree.casts() {
		t.Error(wrong)
	}
}

// A source is the packages of a module.
type source struct {
	module   string // its path and a slash
	packages []*packages.Package
}

func load(t *testing.T, dir, module, pattern string, flags ...string) *source {
	t.Helper()
	s := &source{module: module}
	s.packages = must.Get(packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes |
			packages.NeedTypesInfo | packages.NeedImports,
		Dir: dir, BuildFlags: flags,
	}, pattern))(t)
	for _, p := range s.packages {
		for _, err := range p.Errors {
			t.Error(err)
		}
	}
	return s
}

// path is a package's path within the module.
func (s *source) path(pkg string) string { return strings.TrimPrefix(pkg, s.module) }

// has reports whether the module declares a type.
func (s *source) has(name *types.TypeName) bool {
	return name.Pkg() != nil && strings.HasPrefix(name.Pkg().Path()+"/", s.module)
}

func measured(p *packages.Package) (s shape) {
	s.circle = largestCircle(references(p))
	for _, object := range p.TypesInfo.Defs {
		if name, ok := object.(*types.TypeName); ok && !name.IsAlias() && embeds(p.Types, name.Type()) {
			s.embeds++
		}
	}
	return s
}

// embeds reports whether a struct type of the package embeds another type with methods.
func embeds(p *types.Package, t types.Type) bool {
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for field := range s.Fields() {
		if named := embedded(p, field); named != nil && named.NumMethods() > 0 {
			return true
		}
	}
	return false
}

// embedded returns the struct type of the package that a field embeds, nil if it embeds none.
func embedded(p *types.Package, field *types.Var) *types.Named {
	t := field.Type()
	if pointer, ok := t.(*types.Pointer); ok {
		t = pointer.Elem()
	}
	named, ok := t.(*types.Named)
	if !ok || !field.Embedded() || named.Obj().Pkg() != p {
		return nil
	}
	if _, ok := named.Underlying().(*types.Struct); !ok {
		return nil
	}
	return named
}

// references returns, for each file, the files whose names it uses.
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

// largestCircle returns the size of the largest set of files in which each file reaches the others.
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
