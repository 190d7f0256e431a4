package page

import (
	"fmt"
	"html/template"
	"maps"
	"math"
	"slices"

	"github.com/migbsp/migbsp/internal/svg"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/tell"
)

// maxPlaces bounds the rows of the matrices of traffic.
const maxPlaces = 40

// Link classes, from the nearest.
const (
	withinRank = iota
	withinHost
	withinSet
	betweenSets
	classes
)

var classNames = [classes]string{"within a rank", "between ranks of a host", "between hosts of a Set", "between Sets"}

// network is the part of a page on messages between ranks.
type network struct {
	SVG   template.HTML
	Words string
	Rows  []classRow
	Moved bool // the run has moves, and so figures after them
}

// classRow is the traffic of a link class, in bytes per superstep.
type classRow struct {
	Key    int
	Name   string
	Before string
	After  string
}

// newNetwork lays out the traffic of a run; traffic is nil if it is not known.
func newNetwork(v *tell.View, traffic *ledger.Traffic) network {
	if traffic == nil || traffic.Before.Steps+traffic.After.Steps == 0 {
		return network{Words: "The record has no messages."}
	}
	var n network
	n.Moved = traffic.After.Steps > 0
	flows := []*ledger.Flow{&traffic.Before}
	names := []string{"all the time"}
	if n.Moved {
		flows, names = append(flows, &traffic.After), []string{"before the first move", "after the last move"}
	}
	var sums [][classes]float64
	for _, f := range flows {
		sums = append(sums, classSums(v.Account.Run(), f))
	}
	for class := range classes {
		row := classRow{Key: class, Name: classNames[class], Before: perStep(sums[0][class])}
		if n.Moved {
			row.After = perStep(sums[1][class])
		}
		n.Rows = append(n.Rows, row)
	}
	n.Words = networkWords(sums)
	n.SVG = networkChart(v, flows, names, sums)
	return n
}

func perStep(bytes float64) string { return ledger.Bytes(int64(math.Round(bytes))) }

// networkWords describes how moves changed the traffic that leaves hosts.
func networkWords(sums [][classes]float64) string {
	far := func(s [classes]float64) float64 { return s[withinSet] + s[betweenSets] }
	all := func(s [classes]float64) float64 { return far(s) + s[withinRank] + s[withinHost] }
	if len(sums) == 1 {
		return fmt.Sprintf("%s are sent in a superstep, %s of it to another host.", perStep(all(sums[0])), share(ledger.Share(far(sums[0]), all(sums[0]))))
	}
	return fmt.Sprintf("Before the first move %s in a superstep went to another host (%s of all), after the last %s (%s).",
		perStep(far(sums[0])), share(ledger.Share(far(sums[0]), all(sums[0]))), perStep(far(sums[1])), share(ledger.Share(far(sums[1]), all(sums[1]))))
}

// classOf returns the link class of two ranks.
func classOf(run *ledger.Run, a, b int) int {
	switch x, y := run.Ranks[a], run.Ranks[b]; {
	case a == b:
		return withinRank
	case x.Host == y.Host:
		return withinHost
	case x.Set == y.Set:
		return withinSet
	}
	return betweenSets
}

// classSums adds up the bytes of a superstep by link class.
func classSums(run *ledger.Run, f *ledger.Flow) (sums [classes]float64) {
	for a, row := range f.Bytes {
		for b, bytes := range row {
			sums[classOf(run, a, b)] += bytes / float64(max(1, f.Steps))
		}
	}
	return sums
}

// spot is a row and a column of a matrix: a rank, a host or a Set.
type spot struct {
	name  string
	ranks []int
}

// spotsOf groups ranks until the spots are few enough to draw.
func spotsOf(run *ledger.Run) []spot {
	for _, name := range []func(rank int) string{
		func(rank int) string { return fmt.Sprintf("r%d", rank) },
		func(rank int) string { return run.Ranks[rank].Host },
		func(rank int) string { return run.Sets[run.Ranks[rank].Set].Name },
	} {
		var all []spot
		index := make(map[string]int)
		for rank := range run.Ranks {
			i, known := index[name(rank)]
			if !known {
				i = len(all)
				index[name(rank)] = i
				all = append(all, spot{name: name(rank)})
			}
			all[i].ranks = append(all[i].ranks, rank)
		}
		if len(all) <= maxPlaces {
			return all
		}
	}
	return nil
}

// networkChart draws the bytes of a superstep by link class, and below them the traffic: a
// row for each sender, a column for each receiver.
func networkChart(v *tell.View, flows []*ledger.Flow, names []string, sums [][classes]float64) template.HTML {
	const left, barTop, barTall, gap, side = 250.0, 8.0, 26.0, 12.0, 330.0
	spots := spotsOf(v.Account.Run())
	matrixTop := barTop + float64(len(flows))*(barTall+gap) + 40
	height := matrixTop + side + 40
	if spots == nil {
		height = matrixTop - 30
	}
	s := chart("network", "network", chartWidth, height, "Who talks to whom", networkWords(sums))
	most := 0.0
	for _, sum := range sums {
		most = max(most, sum[0]+sum[1]+sum[2]+sum[3])
	}
	x := svg.Axis{Low: 0, High: max(1, most), From: left, To: 800}
	for i, sum := range sums {
		y := barTop + float64(i)*(barTall+gap)
		s.Text("label", "end", left-10, y+barTall*0.7, names[i])
		at := 0.0
		for class, bytes := range sum {
			if bytes > 0 {
				s.Rect(fmt.Sprintf("way way%d", class), x.At(at), y, x.At(at+bytes)-x.At(at), barTall)
			}
			at += bytes
		}
		s.Text("tick", "start", x.At(at)+8, y+barTall*0.7, perStep(at))
	}
	largest := 0.0
	cells := make([][][]float64, len(flows))
	for i, f := range flows {
		cells[i] = grouped(f, spots)
		for _, row := range cells[i] {
			for _, bytes := range row {
				largest = max(largest, bytes)
			}
		}
	}
	if spots == nil {
		return s.end()
	}
	for i := range flows {
		s.matrix(v.Account.Run(), spots, cells[i], largest, 90+float64(i)*460, matrixTop, side, names[i])
	}
	return s.end()
}

// grouped adds up the bytes of a superstep by spots.
func grouped(f *ledger.Flow, spots []spot) [][]float64 {
	all := make([][]float64, len(spots))
	for i, a := range spots {
		all[i] = make([]float64, len(spots))
		for j, b := range spots {
			for _, from := range a.ranks {
				for _, to := range b.ranks {
					all[i][j] += f.Bytes[from][to] / float64(max(1, f.Steps))
				}
			}
		}
	}
	return all
}

// matrix draws cells in the colour of their link class, in four tones from a thousandth of
// the largest.
func (s picture) matrix(run *ledger.Run, spots []spot, cells [][]float64, largest, x, y, side float64, name string) {
	const tones = 4
	s.Text("label", "start", x, y-12, name)
	s.Rect("rail", x, y, side, side)
	each := side / float64(len(spots))
	pens := make(map[string]*svg.Pen)
	for i := range spots {
		for j := range spots {
			bytes := cells[i][j]
			if bytes <= 0 {
				continue
			}
			tone := int(math.Ceil(tones + math.Log10(bytes/largest)/3*tones))
			class := fmt.Sprintf("way way%d tone%d", classOf(run, spots[i].ranks[0], spots[j].ranks[0]), max(0, min(tones-1, tone-1)))
			if pens[class] == nil {
				pens[class] = new(svg.Pen)
			}
			pens[class].Box(x+float64(j)*each, y+float64(i)*each, each, each)
		}
	}
	for _, class := range slices.Sorted(maps.Keys(pens)) {
		s.Path(class, pens[class].String())
	}
	every := int(math.Ceil(24 / each))
	last := ""
	for i, p := range spots {
		if set := run.Sets[run.Ranks[p.ranks[0]].Set].Name; i > 0 && set != last {
			s.Line("border", x, y+float64(i)*each, x+side, y+float64(i)*each)
			s.Line("border", x+float64(i)*each, y, x+float64(i)*each, y+side)
			last = set
		} else if i == 0 {
			last = set
		}
		if i%every == 0 {
			at := (float64(i) + 0.5) * each
			s.Text("tick", "end", x-6, y+at+4, shorten(p.name, 11))
			if len([]rune(p.name))*8 < int(each)*every {
				s.Text("tick", "middle", x+at, y+side+20, p.name)
			}
		}
	}
}
