package stages

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

// Analyzer reports what a process of a migbsp program loses when it moves.
var Analyzer = &analysis.Analyzer{
	Name: "stages",
	Doc: `find what migbsp programs lose when a process moves

Between the stages of a program (for k := range b.Stages(n)) a process may go
on elsewhere, with its function entered anew and only its state kept. The
analyzer names variables that carry a value from one stage to the next, package
variables that are set between stages, stage loops within stage loops, and
fields of the state that cannot move. A comment //stagevet:ok with a reason, on
the line or above it, silences what is found there.`,
	Run: run,
}

// inTests is whether programs in test files are looked at too.
var inTests bool

func init() {
	Analyzer.Flags.BoolVar(&inTests, "tests", false, "look at programs in _test.go files too")
}

// libraryPath is the package that has Proc.
const libraryPath = "github.com/migbsp/migbsp/bsplib"

// check is one package under analysis.
type check struct {
	pass           *analysis.Pass
	ssa            *ssa.Package
	functions      []*ssa.Function        // of the source, literals and bodies of range-over-func loops included
	staged         map[*ssa.Function]bool // runs stages, itself or in what it calls by name
	mentionsShared map[*ssa.Function]bool // likewise, with package variables
	states         []types.Type           // of programs that are given to the library to run
	silent         map[string]map[int]bool
	reported       map[reportKey]bool
}

type reportKey struct {
	at   token.Pos
	text string
}

func run(pass *analysis.Pass) (any, error) {
	if !importsLibrary(pass.Pkg) {
		return nil, nil
	}
	c := &check{pass: pass, staged: map[*ssa.Function]bool{}, mentionsShared: map[*ssa.Function]bool{},
		silent: map[string]map[int]bool{}, reported: map[reportKey]bool{}}
	c.readComments()
	c.build()
	for _, f := range c.roots() {
		if !inTests && strings.HasSuffix(pass.Fset.Position(f.Pos()).Filename, "_test.go") {
			continue
		}
		c.findUnmovable(f)
		g := newGraph(newMemory(c, f))
		g.findShared()
		g.findLost()
	}
	return nil, nil
}

// importsLibrary reports whether pkg can name Proc: it imports the library, or
// a package that does.
func importsLibrary(pkg *types.Package) bool {
	for _, direct := range pkg.Imports() {
		if direct.Path() == libraryPath {
			return true
		}
		for _, behind := range direct.Imports() {
			if behind.Path() == libraryPath {
				return true
			}
		}
	}
	return false
}

// build makes the package's SSA form, in which all variables keep their memory:
// a load is a read of the source, and a store an assignment.
func (c *check) build() {
	prog := ssa.NewProgram(c.pass.Fset, ssa.NaiveForm|ssa.InstantiateGenerics)
	for _, p := range c.pass.Pkg.Imports() {
		prog.CreatePackage(p, nil, nil, true)
	}
	c.ssa = prog.CreatePackage(c.pass.Pkg, c.pass.Files, c.pass.TypesInfo, false)
	c.ssa.Build()
	var add func(f *ssa.Function)
	add = func(f *ssa.Function) {
		c.functions = append(c.functions, f)
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
}

// roots are the functions in which a process begins: programs, and what runs
// stages and is not called by another that does.
func (c *check) roots() []*ssa.Function {
	called := map[*ssa.Function]bool{}
	spread := func(marked map[*ssa.Function]bool, mark func(*ssa.Function, ssa.Instruction) bool) {
		for changed := true; changed; {
			changed = false
			for _, f := range c.functions {
				if !marked[f] && eachInstruction(f, mark) {
					marked[f], changed = true, true
				}
			}
		}
	}
	spread(c.staged, func(f *ssa.Function, i ssa.Instruction) bool { return c.callsStages(f, i) })
	spread(c.mentionsShared, func(f *ssa.Function, i ssa.Instruction) bool {
		for _, v := range i.Operands(nil) {
			if g, ok := (*v).(*ssa.Global); ok && g.Pkg == c.ssa {
				return true
			}
		}
		callee := calleeOf(i)
		return callee != nil && c.mentionsShared[callee]
	})
	for _, f := range c.functions {
		eachInstruction(f, func(f *ssa.Function, i ssa.Instruction) bool {
			c.collectStates(i)
			if callee := calleeOf(i); callee != nil && c.staged[callee] && outermost(callee) != outermost(f) {
				called[callee] = true
			}
			return false
		})
	}
	var found []*ssa.Function
	for _, f := range c.functions {
		if c.staged[f] && (f.Parent() == nil && !called[f] || f.Parent() != nil && isProgram(f.Signature)) {
			found = append(found, f)
		}
	}
	return found
}

// callsStages reports whether an instruction runs stages, or makes a function
// that does for others to run: programs run by themselves.
func (c *check) callsStages(f *ssa.Function, i ssa.Instruction) bool {
	if closure, ok := i.(*ssa.MakeClosure); ok {
		fn := closure.Fn.(*ssa.Function)
		return c.staged[fn] && !isProgram(fn.Signature)
	}
	callee := calleeOf(i)
	return callee != nil && (c.staged[callee] && !isProgram(callee.Signature) || c.staged[callee] && callee.Parent() == nil || isMethodOf(callee, "Proc", "Stages"))
}

func eachInstruction(f *ssa.Function, visit func(*ssa.Function, ssa.Instruction) bool) bool {
	for _, b := range f.Blocks {
		for _, i := range b.Instrs {
			if visit(f, i) {
				return true
			}
		}
	}
	return false
}

// calleeOf is the function that an instruction calls by name, or nil.
func calleeOf(i ssa.Instruction) *ssa.Function {
	call, ok := i.(ssa.CallInstruction)
	if !ok {
		return nil
	}
	return generic(call.Common().StaticCallee())
}

// generic is the function in the source of which f is an instance, or f.
func generic(f *ssa.Function) *ssa.Function {
	if f != nil && f.Origin() != nil {
		return f.Origin()
	}
	return f
}

// outermost is the declared function that f is, or stands in.
func outermost(f *ssa.Function) *ssa.Function {
	for f.Parent() != nil {
		f = f.Parent()
	}
	return f
}

var okComment = regexp.MustCompile(`^//stagevet:ok(\s+\S.*)?$`)

// readComments notes the lines for which a comment says that what is found
// there is meant.
func (c *check) readComments() {
	for _, file := range c.pass.Files {
		for _, group := range file.Comments {
			for _, comment := range group.List {
				found := okComment.FindStringSubmatch(strings.TrimSpace(comment.Text))
				if found == nil {
					continue
				}
				if found[1] == "" {
					c.pass.Reportf(comment.Pos(), "stagevet:ok needs a reason: say why what is lost is not missed")
					continue
				}
				at := c.pass.Fset.Position(comment.Pos())
				if c.silent[at.Filename] == nil {
					c.silent[at.Filename] = map[int]bool{}
				}
				c.silent[at.Filename][at.Line] = true
				c.silent[at.Filename][at.Line+1] = true
			}
		}
	}
}

// report reports a finding once, unless a comment silences it.
func (c *check) report(d analysis.Diagnostic) {
	at := c.pass.Fset.Position(d.Pos)
	key := reportKey{d.Pos, d.Message}
	if !c.reported[key] && !c.silent[at.Filename][at.Line] {
		c.reported[key] = true
		c.pass.Report(d)
	}
}

func (c *check) line(pos token.Pos) int { return c.pass.Fset.Position(pos).Line }
