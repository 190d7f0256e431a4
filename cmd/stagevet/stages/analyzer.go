package stages

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

// Analyzer reports values that a process of a migbsp program loses when it moves.
var Analyzer = &analysis.Analyzer{
	Name: "stages",
	Doc: `find what migbsp programs lose when a process moves

Between the stages of a program (for k := range b.Stages(n)) a process may go
on elsewhere, with its function entered anew and only its state kept. The
analyzer names variables that carry a value from one stage to the next, and calls of
os.Exit and log.Fatal, which end the run without a result. A comment
//stagevet:ok with a reason, on the line or above it, silences what is found there.`,
	Run: run,
}

var inTests bool

func init() {
	Analyzer.Flags.BoolVar(&inTests, "tests", false, "look at programs in _test.go files too")
}

// libraryPath is the package that has Proc.
const libraryPath = "github.com/migbsp/migbsp/bsplib"

// check is one package under analysis.
type check struct {
	pass        *analysis.Pass
	ssa         *ssa.Package
	initialized map[types.Object]bool  // package variables
	ran         map[*ssa.Function]bool // functions whose stages have been gone through
	silent      map[string]bool        // lines, as in "a.go:12"
	reported    map[string]bool
}

func run(pass *analysis.Pass) (any, error) {
	if !slices.ContainsFunc(pass.Pkg.Imports(), func(p *types.Package) bool { return p.Path() == libraryPath }) {
		return nil, nil
	}
	c := &check{pass: pass, initialized: map[types.Object]bool{}, ran: map[*ssa.Function]bool{}, silent: map[string]bool{}, reported: map[string]bool{}}
	for _, i := range pass.TypesInfo.InitOrder {
		for _, v := range i.Lhs {
			c.initialized[v] = true
		}
	}
	c.readComments()
	functions := c.build()
	for _, f := range functions {
		if isProgram(f.Signature) {
			c.find(f)
		}
	}
	for _, f := range functions { // functions that programs of other packages call
		for _, b := range f.Blocks {
			for _, i := range b.Instrs {
				if call, ok := i.(*ssa.Call); ok && nameOf(call.Call.StaticCallee()) == "bsplib.Stages" && !c.ran[f] {
					root := f
					for root.Parent() != nil {
						root = root.Parent()
					}
					c.find(root)
				}
			}
		}
	}
	return nil, nil
}

// build makes the package's SSA form, the naive one: all variables keep their
// memory, a load is a read of the source, and a store an assignment.
func (c *check) build() (functions []*ssa.Function) {
	prog := ssa.NewProgram(c.pass.Fset, ssa.NaiveForm|ssa.InstantiateGenerics)
	for _, p := range c.pass.Pkg.Imports() {
		prog.CreatePackage(p, nil, nil, true)
	}
	c.ssa = prog.CreatePackage(c.pass.Pkg, c.pass.Files, c.pass.TypesInfo, false)
	c.ssa.Build()
	var add func(f *ssa.Function)
	add = func(f *ssa.Function) {
		if !inTests && strings.HasSuffix(c.pass.Fset.Position(f.Pos()).Filename, "_test.go") {
			return
		}
		functions = append(functions, f)
		for _, literal := range f.AnonFuncs {
			add(literal)
		}
	}
	for _, file := range c.pass.Files {
		for _, d := range file.Decls {
			if d, ok := d.(*ast.FuncDecl); ok {
				if f := prog.FuncValue(c.pass.TypesInfo.Defs[d.Name].(*types.Func)); f != nil {
					add(f)
				}
			}
		}
	}
	return functions
}

// isProgram reports whether a signature is a program's: a function of the process and a
// pointer to the state.
func isProgram(signature *types.Signature) bool {
	params := signature.Params()
	return signature.Recv() == nil && params.Len() == 2 && isProc(params.At(0).Type()) && is[*types.Pointer](params.At(1).Type())
}

func is[T types.Type](t types.Type) bool { _, ok := t.Underlying().(T); return ok }

// isProc reports whether t is a pointer to the library's Proc.
func isProc(t types.Type) bool { return t.String() == "*"+libraryPath+".Proc" }

// holdsProc reports whether t points to a struct with a process; such a struct is not a
// state.
func holdsProc(t types.Type) bool {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	s, ok := t.Underlying().(*types.Struct)
	return ok && slices.ContainsFunc(slices.Collect(s.Fields()), func(v *types.Var) bool { return isProc(v.Type()) })
}

// readComments notes the lines whose findings a comment accepts.
func (c *check) readComments() {
	for _, file := range c.pass.Files {
		for _, group := range file.Comments {
			for _, comment := range group.List {
				d, ok := ast.ParseDirective(comment.Pos(), comment.Text)
				if !ok || d.Tool != "stagevet" || d.Name != "ok" {
					continue
				}
				if d.Args == "" {
					c.pass.Reportf(comment.Pos(), "stagevet:ok needs a reason: say why what is lost is not missed")
					continue
				}
				at := c.pass.Fset.Position(comment.Pos())
				c.silent[fmt.Sprint(at.Filename, at.Line)] = true
				c.silent[fmt.Sprint(at.Filename, at.Line+1)] = true
			}
		}
	}
}

// report reports a finding once, unless a comment silences it.
func (c *check) report(d analysis.Diagnostic) {
	at := c.pass.Fset.Position(d.Pos)
	subject, _, _ := strings.Cut(d.Message, " is ")
	if key := at.String() + subject; !c.reported[key] && !c.silent[fmt.Sprint(at.Filename, at.Line)] {
		c.reported[key] = true
		c.pass.Report(d)
	}
}

func (c *check) line(pos token.Pos) int { return c.pass.Fset.Position(pos).Line }
