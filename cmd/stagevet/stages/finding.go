package stages

import (
	"cmp"
	"fmt"
	"go/token"
	"slices"

	"golang.org/x/tools/go/analysis"
)

// finding is a variable that is read after it was lost.
type finding struct {
	fact
	why   reason
	read  token.Pos
	after bool // the read stands behind the stages
}

// look records a finding for each lost value that an event reads.
func (t *tracker) look(e event, before facts) {
	if e.kind != reads {
		return
	}
	for f := range before {
		if !matches(e.location, f) {
			continue
		}
		x := f.cross
		if x == nil {
			x = e.entering
		}
		if x == nil || t.setSince(f, e, x) {
			continue
		}
		why := t.lost(f, x)
		if why == kept || f.cross == nil && why > setOnFirst {
			continue
		}
		f.cross = x
		t.add(finding{f, why, e.pos, e.at >= x.end() || x.loop == nil})
	}
}

// setSince tells whether the pass of the stage loop that reads, or the code
// since the stages, has set the location before, as far as the text tells: by
// a statement that stands above and is run under no other conditions. Loops
// are taken to make a pass.
func (t *tracker) setSince(f fact, read event, x *crossing) bool {
	start := x.end()
	loop := t.fn.loopAt(read.at)
	if loop != nil {
		start = loop.stmt.Body.Pos()
	}
	for _, d := range t.writes {
		if d.variable != f.def.variable || d.loop != loop || d.at < start || d.at > read.at || d.part != whole && d.part != f.part {
			continue
		}
		same := d.index != "" && d.index == read.index
		if (d.certain || same) && implies(t.branchesAt(read.at, start), t.branchesAt(d.from, start)) {
			return true
		}
	}
	return false
}

// add keeps the best finding for each variable: the gravest reason, the
// earliest place, the read behind the stages.
func (t *tracker) add(n finding) {
	key := n.location()
	if len(key.part) < 2 || key.part[0] != '.' {
		key.part = header
	}
	old, ok := t.findings[key]
	switch {
	case !ok, n.why < old.why, n.why == old.why && n.before(old):
		t.findings[key] = n
	}
}

func (n finding) before(old finding) bool {
	switch {
	case n.def.pos != old.def.pos:
		return n.def.pos < old.def.pos
	case n.after != old.after:
		return n.after
	case n.cross.end() != old.cross.end():
		return n.cross.end() < old.cross.end()
	default:
		return n.read < old.read
	}
}

func (t *tracker) reportFindings() {
	var said []finding
	for key, n := range t.findings {
		if !t.saidOfWhole(key, n) {
			said = append(said, n)
		}
	}
	slices.SortFunc(said, func(a, b finding) int {
		return cmp.Or(cmp.Compare(a.def.pos, b.def.pos), cmp.Compare(a.part, b.part))
	})
	for _, n := range said {
		t.report(analysis.Diagnostic{
			Pos: n.def.pos, Message: t.message(n),
			Related: []analysis.RelatedInformation{{Pos: n.read, Message: "read here"}},
		})
	}
}

// saidOfWhole tells whether a finding about a field is one about the variable
// too.
func (t *tracker) saidOfWhole(key location, n finding) bool {
	if key.part == header {
		return false
	}
	all, ok := t.findings[location{key.variable, header}]
	return ok && all.def == n.def
}

func (t *tracker) message(n finding) string {
	name := location{n.def.variable, n.def.part}.String()
	where := "in"
	if n.after {
		where = "after"
	}
	stages := fmt.Sprintf("the stages of %s (called at line %d)", n.cross.name, t.line(n.cross.end()))
	if l := n.cross.loop; l != nil {
		stages = fmt.Sprintf("the stage loop at line %d", l.line)
	}
	switch n.why {
	case setInStage:
		return t.lostMessage(name, n)
	case setOnFirst:
		return fmt.Sprintf("%s is set on the first entry only and read %s %s: a process that moved does not have it; make it a field of the state, or set it on every entry", name, where, stages)
	case madeOfThat:
		return fmt.Sprintf("%s is made of %s, which is set on the first entry only, and read %s %s: a process that moved has another value; make it a field of the state", name, n.def.madeOf.location, where, stages)
	case ofTheClock:
		return fmt.Sprintf("%s is taken from %s on each entry and read %s %s: a process that moved has a later value; make it a field of the state, set under Fresh", name, t.clock(n.def), where, stages)
	default:
		path := t.staleField(n.def, n.cross)
		return fmt.Sprintf("%s is made of %s, which %s changes, and read %s it: a process that moved has the new value, others have the old; read %s where it is needed", name, path, stages, where, path)
	}
}

// lostMessage is that for a variable that a stage sets.
func (t *tracker) lostMessage(name string, n finding) string {
	loop := n.def.loop
	where := "in a later stage"
	if loop.stmt.End() <= n.read {
		where = "after it"
	}
	return fmt.Sprintf("%s is set in the stage loop at line %d and read %s: a process that moved in between has lost it; make it a field of the state", name, loop.line, where)
}
