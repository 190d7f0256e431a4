package stages

import (
	"go/token"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// Analyzer reports what a process of a migbsp program loses when it moves.
var Analyzer = &analysis.Analyzer{
	Name: "stages",
	Doc: `find what migbsp programs lose when a process moves

Between the stages of a program (for k := range b.Stages(n)) a process may go
on elsewhere, with its function entered anew and only its state kept. The
analyzer names local variables that carry a value from one stage to the next,
package variables that are set between stages, stage loops within stage loops,
and fields of the state that cannot move.`,
	Run: run,
}

// inTests is whether programs in test files are looked at too.
var inTests bool

func init() {
	Analyzer.Flags.BoolVar(&inTests, "tests", false, "look at programs in _test.go files too")
}

// check is one package under analysis.
type check struct {
	*program
	pass     *analysis.Pass
	reported map[reportKey]bool
}

type reportKey struct {
	at   token.Pos
	text string
}

func run(pass *analysis.Pass) (any, error) {
	if !importsLibrary(pass.Pkg) {
		return nil, nil
	}
	c := &check{program: newProgram(pass), pass: pass, reported: map[reportKey]bool{}}
	for _, f := range c.functions {
		if !f.staged || c.skipped(f) {
			continue
		}
		c.findNested(f)
		c.findUnmovable(f)
		g := c.newGraph(f)
		c.findShared(g)
		c.findLost(g)
	}
	return nil, nil
}

// skipped tells whether f stands in a test file that is not looked at.
func (c *check) skipped(f *function) bool {
	return !inTests && strings.HasSuffix(c.pass.Fset.Position(f.body.Pos()).Filename, "_test.go")
}

// report reports a finding once.
func (c *check) report(d analysis.Diagnostic) {
	key := reportKey{d.Pos, d.Message}
	if !c.reported[key] {
		c.reported[key] = true
		c.pass.Report(d)
	}
}

func (c *check) line(pos token.Pos) int { return c.pass.Fset.Position(pos).Line }
