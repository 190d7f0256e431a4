package docs_test

import (
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// The file of ceilings lists the types that are wider than the limits, with their figures. It
// shrinks only: the test fails if a type that it does not list is wider than the limits, and also
// if its figures are not the present ones. Then
//
//	go test ./docs -run 'TestShape$' -lower
//
// lowers the figures, and removes the types that are within the limits. It never raises a figure.

// width is the size of a type: its fields, where a struct type of the module counts its own fields;
// its methods, with the methods of embedded structs of its package; and the files of these methods.
type width struct{ fields, methods, files int }

// widest is the limit of docs/design.md.
var widest = width{fields: 25, methods: 45, files: 8}

func (w width) within(limit width) bool {
	return w.fields <= limit.fields && w.methods <= limit.methods && w.files <= limit.files
}

func (w width) atMost(limit width) width {
	return width{min(w.fields, limit.fields), min(w.methods, limit.methods), min(w.files, limit.files)}
}

// checkTypes compares the types that are wider than the limits with the file of ceilings.
func (s *source) checkTypes(t *testing.T, file string) {
	t.Helper()
	wide := s.wide()
	old := must.Get(widths(string(must.Get(os.ReadFile(file))(t))))(t)
	if *lower {
		must.Do(t, os.WriteFile(file, []byte(narrowed(wide, old)), 0o644))
		return
	}
	for _, wrong := range tooWide(wide, old) {
		t.Error(wrong)
	}
}

// tooWide compares the wide types with their ceilings and returns the differences.
func tooWide(wide, old map[string]width) (wrong []string) {
	for name, now := range wide {
		if ceiling, ok := old[name]; !ok {
			wrong = append(wrong, fmt.Sprintf("%s has %+v, at most %+v is allowed", name, now, widest))
		} else if !now.within(ceiling) {
			wrong = append(wrong, fmt.Sprintf("%s has %+v, its ceiling is %+v", name, now, ceiling))
		}
	}
	for name, ceiling := range old {
		if now := wide[name].atMost(ceiling); now != ceiling {
			wrong = append(wrong, fmt.Sprintf("%s has only %+v, its ceiling is %+v: run go test ./docs -run 'TestShape$' -lower", name, now, ceiling))
		}
	}
	slices.Sort(wrong)
	return wrong
}

// widths parses the file of ceilings: a type and its figures in each line, # starts a comment.
func widths(text string) (map[string]width, error) {
	all := make(map[string]width)
	for line, fields := range cells(text) {
		var w width
		if len(fields) != 4 {
			return nil, fmt.Errorf("%q: want a type, fields, methods and files", line)
		}
		for i, to := range []*int{&w.fields, &w.methods, &w.files} {
			n, err := strconv.Atoi(fields[1+i])
			if err != nil || n < 0 {
				return nil, fmt.Errorf("%q: want a type, fields, methods and files", line)
			}
			*to = n
		}
		all[fields[0]] = w
	}
	return all, nil
}

// narrowed returns the text of a file of ceilings that are at most the present figures.
func narrowed(wide, old map[string]width) string {
	var b strings.Builder
	b.WriteString("# Types wider than the limits of docs/shape_types_test.go: fields, methods, files of methods.\n" +
		"# The list shrinks only: go test ./docs -run 'TestShape$' -lower\n")
	for _, name := range slices.Sorted(maps.Keys(old)) {
		if now, ok := wide[name]; ok {
			w := now.atMost(old[name])
			fmt.Fprintf(&b, "%-44s %3d %3d %2d\n", name, w.fields, w.methods, w.files)
		}
	}
	return b.String()
}

// wide returns the types of the module that are wider than the limits, records left out.
func (s *source) wide() map[string]width {
	found := make(map[string]width)
	for _, p := range s.packages {
		for id, object := range p.TypesInfo.Defs {
			if object == nil || !declares(object) || strings.HasPrefix(id.Name, "_C") {
				continue
			}
			if w := s.widthOf(p, object.Type()); !w.within(widest) && !isRecord(object.Type()) {
				found[s.path(p.PkgPath)+"."+id.Name] = w
			}
		}
	}
	return found
}

// declares reports whether an object declares a type: by name, or as the unnamed struct type of
// a variable.
func declares(object types.Object) bool {
	switch object := object.(type) {
	case *types.TypeName:
		_, parameter := object.Type().(*types.TypeParam)
		return !object.IsAlias() && !parameter
	case *types.Var:
		_, unnamed := object.Type().(*types.Struct)
		return unnamed && !object.IsField()
	}
	return false
}

func (s *source) widthOf(p *packages.Package, t types.Type) (w width) {
	w.fields = s.fieldsOf(t, make(map[string]bool))
	files := make(map[string]bool)
	for _, at := range methodsOf(p.Types, t) {
		w.methods++
		files[filepath.Base(p.Fset.Position(at).Filename)] = true
	}
	w.files = len(files)
	return w
}

// fieldsOf counts the fields of a struct. A field of a struct type of the module, or of an array of
// such structs, counts as the fields of this type, each type once.
func (s *source) fieldsOf(t types.Type, seen map[string]bool) (n int) {
	fields, ok := t.Underlying().(*types.Struct)
	if !ok {
		return 0
	}
	for field := range fields.Fields() {
		n += max(1, s.nested(field.Type(), seen))
	}
	return n
}

// nested counts the fields of a struct type of the module in a field. It returns 0 for other types.
func (s *source) nested(t types.Type, seen map[string]bool) int {
	switch t := types.Unalias(t).(type) {
	case *types.Array:
		return s.nested(t.Elem(), seen)
	case *types.Struct:
		return s.fieldsOf(t, seen)
	case *types.Named:
		if !s.has(t.Obj()) || seen[t.String()] {
			return 0
		}
		seen[t.String()] = true
		if array, ok := t.Underlying().(*types.Array); ok {
			return s.nested(array, seen)
		}
		return s.fieldsOf(t, seen)
	}
	return 0
}

// methodsOf returns the positions of a type's methods and of the methods of the structs of the
// package that it embeds.
func methodsOf(p *types.Package, t types.Type) (at []token.Pos) {
	if named, ok := t.(*types.Named); ok {
		for method := range named.Methods() {
			at = append(at, method.Pos())
		}
	}
	switch t := t.Underlying().(type) {
	case *types.Interface:
		for method := range t.ExplicitMethods() {
			at = append(at, method.Pos())
		}
	case *types.Struct:
		for field := range t.Fields() {
			if named := embedded(p, field); named != nil {
				at = append(at, methodsOf(p, named)...)
			}
		}
	}
	return at
}

// isRecord reports whether a type is a record, which may have any number of fields: a struct without
// methods, not even promoted ones, that holds only data.
func isRecord(t types.Type) bool {
	_, ok := t.Underlying().(*types.Struct)
	return ok && types.NewMethodSet(types.NewPointer(t)).Len() == 0 && isData(t, make(map[types.Type]bool))
}

// isData reports whether values of a type are data: they lead to no function, channel, interface,
// unsafe.Pointer or lock.
func isData(t types.Type, seen map[types.Type]bool) bool {
	if seen[t] {
		return true
	}
	seen[t] = true
	if named, ok := types.Unalias(t).(*types.Named); ok && named.Obj().Pkg() != nil && strings.HasPrefix(named.Obj().Pkg().Path()+"/", "sync/") {
		return false
	}
	switch t := t.Underlying().(type) {
	case *types.Basic:
		return t.Kind() != types.UnsafePointer
	case *types.Map:
		return isData(t.Key(), seen) && isData(t.Elem(), seen)
	case interface{ Elem() types.Type }:
		_, channel := t.(*types.Chan)
		return !channel && isData(t.Elem(), seen)
	case *types.Struct:
		for field := range t.Fields() {
			if !isData(field.Type(), seen) {
				return false
			}
		}
		return true
	}
	return false
}
