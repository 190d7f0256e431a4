package page

import (
	"html/template"
	"math"
	"strconv"

	"github.com/migbsp/migbsp/internal/svg"
)

// Charts over the course of a run share their width and the position of the plot, so that a
// superstep has the same position in all.
const (
	chartWidth = 960
	plotLeft   = 112
	plotRight  = 948
)

// picture is a chart of the page. It consists of numbers and words of this package, and
// of words of a record, which are always escaped as text.
type picture struct{ *svg.Picture }

// chart begins a picture of the given size, in units that are pixels on a wide screen.
// id is its name on the page; title and description stand for it where it is not
// seen. Attributes are names and values in turn.
func chart(id, class string, width, height float64, title, description string, attributes ...string) picture {
	attributes = append([]string{"class", "chart " + class, "id", id, "role", "img", "aria-labelledby", id + "-t " + id + "-d"}, attributes...)
	p := picture{svg.New(width, height, attributes...)}
	p.Element("title", title, "id", id+"-t")
	p.Element("desc", description, "id", id+"-d")
	return p
}

// end completes the picture.
func (s picture) end() template.HTML { return template.HTML(s.End()) }

// edge returns the position in a chart where column i begins; the number of columns gives
// the end of the last one.
func (all course) edge(i int) float64 {
	return plotLeft + float64(i)/float64(max(1, len(all)))*(plotRight-plotLeft)
}

// after returns the position in a chart right of the column with a superstep.
func (all course) after(step int) float64 { return all.edge(all.at(step) + 1) }

// supersteps draws the axis of superstep numbers below a plot.
func (s picture) supersteps(all course, y float64) {
	s.Line("axis", plotLeft, y, plotRight, y)
	if len(all) == 0 {
		return
	}
	for _, n := range all.ticks() {
		x := all.middle(n)
		s.Line("axis", x, y, x, y+4)
		s.Text("tick", "middle", x, y+16, strconv.Itoa(n))
	}
	s.Text("label", "middle", (plotLeft+plotRight)/2, y+32, "superstep")
}

// middle returns the position in a chart of the middle of the column with a superstep.
func (all course) middle(step int) float64 {
	at := all.at(step)
	return (all.edge(at) + all.edge(at+1)) / 2
}

// ticks returns the supersteps with a label: multiples of a round number, or, if columns differ so
// much that these would crowd, round numbers at about equal distances.
func (all course) ticks() []int {
	const about = 8
	first, last := all[0].Step.First, all[len(all)-1].Step.Last
	step := int(max(1, svg.TickStep(float64(last-first+1)/about)))
	var even []int
	least, most := math.Inf(1), 0.0
	for n := (first + step - 1) / step * step; n <= last; n += step {
		if len(even) > 0 {
			gap := all.middle(n) - all.middle(n-step)
			least, most = min(least, gap), max(most, gap)
		}
		even = append(even, n)
	}
	if len(even) > 0 && most <= 1.5*least {
		return even
	}
	var round []int
	for i := range about {
		from, to := (8*i+2)*len(all)/(8*about), min(len(all)-1, (8*i+6)*len(all)/(8*about))
		n := roundest(all[from].Step.First, all[to].Step.Last)
		if len(round) == 0 || all.middle(n) > all.middle(round[len(round)-1])+30 {
			round = append(round, n)
		}
	}
	return round
}

// roundest returns the number from low to high that ends in most zeros, or in a 5 or
// another even digit before them.
func roundest(low, high int) int {
	best := low
	for size := 1; size <= high; size *= 10 {
		for _, step := range []int{size, 2 * size, 5 * size} {
			if n := high / step * step; n >= low && n > 0 {
				best = n
			}
		}
	}
	return best
}
