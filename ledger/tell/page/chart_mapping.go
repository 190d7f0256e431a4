package page

import (
	"cmp"
	"fmt"
	"html/template"
	"maps"
	"slices"

	"github.com/migbsp/migbsp/internal/svg"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/tell"
)

const (
	// maxProcesses bounds the processes that are drawn, maxMoves the moves of all of them
	// but the first.
	maxProcesses = 64
	maxMoves     = 4000
)

// mapping shows where processes ran.
type mapping struct {
	SVG   template.HTML
	Words string // which processes are shown and which are not
	Bands []band
	Ways  []way // for the script
}

// way has the ranks of a process: first Ranks[0], and after superstep Steps[i-1] Ranks[i].
type way struct {
	Ranks []int `json:"ranks"`
	Steps []int `json:"steps"`
	pid   int
}

// waysOf follows the processes that are drawn, in their order.
func waysOf(v *tell.View) []way {
	all := make(map[int]*way)
	start := v.Account.Run().Mapping.Where()
	follow := func(pid int) *way {
		w := all[pid]
		if w == nil {
			w = &way{pid: pid, Ranks: []int{int(start[pid])}, Steps: []int{}}
			all[pid] = w
		}
		return w
	}
	if v.Account.Run().Procs <= maxProcesses {
		for pid := range v.Account.Run().Procs {
			follow(pid)
		}
	}
	for i := range v.Record.Moves {
		m := &v.Record.Moves[i]
		w := follow(m.Pid)
		w.Ranks = append(w.Ranks, m.To)
		w.Steps = append(w.Steps, m.Step)
	}
	var list []way
	for _, w := range all {
		list = append(list, *w)
	}
	slices.SortFunc(list, func(a, b way) int { return cmp.Or(len(b.Steps)-len(a.Steps), a.pid-b.pid) })
	list = list[:min(maxProcesses, len(list))]
	moves := 0
	for i := range list {
		if moves += len(list[i].Steps); i > 0 && moves > maxMoves {
			list = list[:i]
			break
		}
	}
	slices.SortFunc(list, func(a, b way) int { return a.pid - b.pid })
	return list
}

// mappingOf draws processes by supersteps, colored by Set and rank, with the rank written if it
// fits.
func mappingOf(id string, v *tell.View, all course) mapping {
	m := mapping{Ways: waysOf(v)}
	m.Words = mappingWords(v, len(m.Ways))
	if len(m.Ways) == 0 {
		return m
	}
	each := max(11, min(18, 480/float64(len(m.Ways))))
	legend := 0.0
	if len(v.Account.Run().Sets) > 1 {
		legend = 30
	}
	bottom := legend + each*float64(len(m.Ways))
	s := chart(id, "mapping", chartWidth, bottom+40, "Where processes ran", m.Words, "data-course", "", "data-ways", "")
	if legend > 0 {
		s.setLegend(v.Account.Run())
	}
	boxes := make(map[string]*svg.Pen)
	for i := range m.Ways {
		y := legend + each*float64(i)
		m.Bands = append(m.Bands, band{y, each, fmt.Sprintf("p%d", m.Ways[i].pid)})
		class := "tick"
		if i%2 > 0 {
			class = "tick row" // a narrow window has room for half of the names
		}
		s.Text(class, "end", plotLeft-6, y+each/2+4, m.Bands[i].Name)
		s.way(v, all, &m.Ways[i], y, each, boxes)
	}
	for _, class := range slices.Sorted(maps.Keys(boxes)) {
		s.Path(class, boxes[class].String())
	}
	s.wayLabels(all, m.Ways, legend, each)
	s.supersteps(all, bottom+1)
	m.SVG = s.end()
	return m
}

// way adds the boxes of a process, by the class of their color.
func (s picture) way(v *tell.View, all course, w *way, y, each float64, boxes map[string]*svg.Pen) {
	for i, rank := range w.Ranks {
		from, to := w.span(all, i)
		class := rankClass(v.Account.Run(), rank)
		if boxes[class] == nil {
			boxes[class] = new(svg.Pen)
		}
		boxes[class].Box(from, y+0.5, to-from, each-1)
	}
}

// span returns the horizontal position in a chart of the time that a process spent on its i-th
// rank.
func (w *way) span(all course, i int) (from, to float64) {
	from, to = plotLeft, plotRight
	if i > 0 {
		from = all.after(w.Steps[i-1])
	}
	if i < len(w.Steps) {
		to = all.after(w.Steps[i])
	}
	return from, max(from, to)
}

func (s picture) wayLabels(all course, ways []way, top, each float64) {
	for k := range ways {
		for i, rank := range ways[k].Ranks {
			from, to := ways[k].span(all, i)
			if name := fmt.Sprintf("r%d", rank); to-from > 8*float64(len(name))+4 {
				s.Text("inside", "start", from+4, top+each*(float64(k)+0.5)+4, name)
			}
		}
	}
}

// rankClass returns the class of a rank's colour: the Set's, in a shade of the rank's.
func rankClass(run *ledger.Run, rank int) string {
	return fmt.Sprintf("set%d tone%d", run.Ranks[rank].Set%setColors, rank%4)
}

// setColors is the number of Sets with colours of their own.
const setColors = 6

// setLegend names the colours of the Sets.
func (s picture) setLegend(run *ledger.Run) {
	x := float64(plotLeft)
	for set := range run.Sets[:min(setColors, len(run.Sets))] {
		name := shorten(run.Sets[set].Name, 14)
		s.Rect(fmt.Sprintf("set%d tone3", set), x, 4, 14, 14)
		s.Text("tick", "start", x+20, 15, name)
		x += 40 + 7.5*float64(len([]rune(name)))
	}
	if len(run.Sets) > setColors {
		s.Text("tick", "start", x, 15, "and again from the first")
	}
}

func mappingWords(v *tell.View, shown int) string {
	moved := make(map[int]bool)
	for i := range v.Record.Moves {
		moved[v.Record.Moves[i].Pid] = true
	}
	text := fmt.Sprintf("%d of %s moved", len(moved), ledger.Count(v.Account.Run().Procs, "process"))
	switch {
	case shown == v.Account.Run().Procs:
	case shown == 0:
		text += "; the table of ranks tells how many are where"
	case shown < len(moved):
		text += fmt.Sprintf("; shown are the %d that moved most", shown)
	default:
		text += "; shown are these"
	}
	if start := v.Account.Run().Start(); start != ledger.StartBlocks {
		text += ". They began " + start
	}
	return text + "."
}
