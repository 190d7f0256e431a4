package stages

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/types/typeutil"
)

// libraryPath is the package that has Proc.
const libraryPath = "github.com/migbsp/migbsp/bsplib"

// program is what a package has of functions and stage loops.
type program struct {
	info      *types.Info
	pkg       *types.Package
	functions []*function
	byObject  map[*types.Func]*function
	byLiteral map[*ast.FuncLit]*function
	values    map[*types.Var][]ast.Expr // all that variables are set to; nil for a value without an expression
	owners    map[*types.Var]ownership
	effects   map[*types.Var]effect // of functions on their parameters
	states    []types.Type          // of programs that are given to the library to run
}

// function is a declared function or a function literal.
type function struct {
	name   string
	node   ast.Node
	params *types.Signature
	body   *ast.BlockStmt
	loops  []*loop // outermost stage loops, not those of literals within
	staged bool    // it runs stages, itself or in functions that it calls
}

// loop is a stage loop.
type loop struct {
	stmt *ast.RangeStmt
	line int
}

func (l *loop) has(pos token.Pos) bool { return l.stmt.Body.Pos() <= pos && pos <= l.stmt.Body.End() }

// importsLibrary tells whether pkg can name Proc: it imports the library, or a
// package that does.
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

func newProgram(pass *analysis.Pass) *program {
	p := &program{
		info: pass.TypesInfo, pkg: pass.Pkg,
		byObject:  map[*types.Func]*function{},
		byLiteral: map[*ast.FuncLit]*function{},
		values:    map[*types.Var][]ast.Expr{},
		owners:    map[*types.Var]ownership{},
		effects:   map[*types.Var]effect{},
	}
	for _, file := range pass.Files {
		p.collectValues(file)
		p.collectStates(file)
	}
	for _, file := range pass.Files {
		for _, d := range file.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil {
				object := p.info.Defs[d.Name].(*types.Func)
				p.byObject[object] = p.addFunction(pass.Fset, d.Name.Name, d, object.Signature(), d.Body)
			}
		}
	}
	p.spreadStaged()
	return p
}

// addFunction collects a function's stage loops, and the literals within it.
func (p *program) addFunction(fset *token.FileSet, name string, node ast.Node, params *types.Signature, body *ast.BlockStmt) *function {
	f := &function{name: name, node: node, params: params, body: body}
	p.functions = append(p.functions, f)
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			signature := p.info.TypeOf(n).(*types.Signature)
			p.byLiteral[n] = p.addFunction(fset, "the function literal", n, signature, n.Body)
			return false
		case *ast.RangeStmt:
			if p.yieldsStages(n.X) && f.loopAt(n.Pos()) == nil {
				f.loops = append(f.loops, &loop{n, fset.Position(n.Pos()).Line})
			}
		case *ast.CallExpr:
			f.staged = f.staged || p.isMethod(n, "Stages")
		}
		return true
	})
	return f
}

// loopAt is the stage loop of f whose body has pos, or nil.
func (f *function) loopAt(pos token.Pos) *loop {
	for _, l := range f.loops {
		if l.has(pos) {
			return l
		}
	}
	return nil
}

// spreadStaged marks the callers of staged functions.
func (p *program) spreadStaged() {
	for changed := true; changed; {
		changed = false
		for _, f := range p.functions {
			if f.staged {
				continue
			}
			p.eachCall(f.body, func(call *ast.CallExpr) {
				if g := p.callee(call); g != nil && g.staged {
					f.staged, changed = true, true
				}
			})
		}
	}
}

// eachCall visits the calls in n, without those in function literals.
func (p *program) eachCall(n ast.Node, visit func(*ast.CallExpr)) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			visit(n)
		}
		return true
	})
}

// callee is the function of this package that a call runs for certain, or nil.
func (p *program) callee(call *ast.CallExpr) *function {
	if f := typeutil.StaticCallee(p.info, call); f != nil {
		return p.byObject[f.Origin()]
	}
	if lit := p.literal(call.Fun); lit != nil {
		return p.byLiteral[lit]
	}
	return nil
}

// literal is the function literal that e is, or that the variable e always
// holds.
func (p *program) literal(e ast.Expr) *ast.FuncLit {
	lit, _ := p.settled(e).(*ast.FuncLit)
	return lit
}

// settled is the expression that a variable is set to if that happens once,
// and other expressions themselves.
func (p *program) settled(e ast.Expr) ast.Expr {
	e = ast.Unparen(e)
	if id, ok := e.(*ast.Ident); ok {
		if v, ok := p.info.Uses[id].(*types.Var); ok && len(p.values[v]) == 1 && p.values[v][0] != nil {
			return ast.Unparen(p.values[v][0])
		}
	}
	return e
}

// yieldsStages tells whether e is what Stages gives.
func (p *program) yieldsStages(e ast.Expr) bool {
	call, ok := p.settled(e).(*ast.CallExpr)
	return ok && p.isMethod(call, "Stages")
}

// isMethod tells whether call calls the method of Proc with that name.
func (p *program) isMethod(call *ast.CallExpr, name string) bool {
	f := typeutil.StaticCallee(p.info, call)
	return f != nil && f.Name() == name && receiverName(f) == "Proc"
}

// receiverName is the name of the library's type that f is a method of, or
// empty.
func receiverName(f *types.Func) string {
	recv := f.Signature().Recv()
	if recv == nil || f.Pkg() == nil || f.Pkg().Path() != libraryPath {
		return ""
	}
	if named := namedType(recv.Type()); named != nil {
		return named.Obj().Name()
	}
	return ""
}

// namedType is the named type that t is or points to, or nil.
func namedType(t types.Type) *types.Named {
	if pointer, ok := types.Unalias(t).(*types.Pointer); ok {
		t = pointer.Elem()
	}
	named, _ := types.Unalias(t).(*types.Named)
	return named
}

// isProc tells whether t is a pointer to the library's Proc.
func isProc(t types.Type) bool {
	_, pointer := types.Unalias(t).(*types.Pointer)
	named := namedType(t)
	return pointer && named != nil && named.Obj().Name() == "Proc" &&
		named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == libraryPath
}
