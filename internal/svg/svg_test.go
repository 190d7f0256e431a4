package svg

import (
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// all draws every kind of element, with a name in each text and attribute.
func all(p *Picture, name string) {
	p.Rect("a", 1, 2, -3, 4.04, "fill", name)
	p.Line("b", 0, 0, 1, 1)
	p.Path("none", "")
	p.Text("c", "end", 1, 2, name)
	p.Vertical("d", 1, 2, name)
	p.Image("e", "AAAA", 0, 0, 1, 1)
	p.Clip("f", 0, 0, 10, 10, func() {
		var pen Pen
		pen.Move(0, 0)
		pen.To(1, 0)
		pen.Box(0, 0, 2, 1)
		pen.Dot(1, 1)
		pen.Diamond(5, 5, 2.5)
		pen.Triangle(5, 5, 4, 3)
		p.Path("g", pen.String())
	})
	label := func(float64) string { return name }
	p.Left(Linear(0, 1, 10, 0), label, 0, 10)
	p.Bottom(Logarithmic(1, 100, 0, 10), label, 0, 10)
	p.Element("title", name, "id", name)
}

// A picture is well-formed for any text, and contains the text unchanged.
func TestPictureIsXML(t *testing.T) {
	for _, name := range []string{"plain", `</text><script>"'&amp;`, "a < b & c"} {
		for _, p := range []*Picture{New(10, 20.5, "class", name), File(10, 20.5, ".a{fill:red}")} {
			all(p, name)
			var words, values int
			d := xml.NewDecoder(strings.NewReader(p.End()))
			for {
				token, err := d.Token()
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Fatalf("%v in %s", err, p.End())
				}
				switch e := token.(type) {
				case xml.CharData:
					if string(e) == name {
						words++
					}
				case xml.StartElement:
					for _, a := range e.Attr {
						if a.Value == name {
							values++
						}
					}
				}
			}
			if words < 8 || values < 2 {
				t.Errorf("%q is there %d times as words and %d times as a value", name, words, values)
			}
		}
	}
}

// Elements are drawn at the given coordinates.
func TestElements(t *testing.T) {
	p := New(100, 50)
	p.Rect("bar", 1.04, 2, -3, 4.96)
	p.Line("edge", 0, 1, 2, 3.25)
	var pen Pen
	pen.Diamond(10, 10, 5)
	pen.Triangle(10, 10, 10, 9)
	p.Path("mark", pen.String())
	const want = `<svg viewBox="0 0 100 50"><rect class="bar" x="1" y="2" width="0" height="5"/>` +
		`<path class="edge" d="M0 1L2 3.2"/><path class="mark" d="M10 5l5 5l-5 5l-5 -5zM10 10l-5 -9h10z"/></svg>`
	if got := p.End(); got != want {
		t.Errorf("%s, want\n%s", got, want)
	}
}

// Names do not overlap, and stay in the plot; a plot with a single point in its middle has room.
func TestLabelsKeepApart(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		p, names := New(300, 200), Labels{Left: 0, Right: 300, Top: 0, Bottom: 200}
		names.Put(p, 150, 100, "first")
		for i := range 30 {
			names.Put(p, 300*random.Float64(), 200*random.Float64(), fmt.Sprint("p", i))
		}
		if len(names.taken) == 0 || len(names.taken) > maxLabels || strings.Count(p.End(), "<text") != len(names.taken) {
			t.Fatalf("%d names in %s", len(names.taken), p.End())
		}
		for i, a := range names.taken {
			for _, b := range names.taken[:i] {
				if a[0]-a[2] < b[0]+b[2] && b[0]-b[2] < a[0]+a[2] && a[1] < b[1]+10 && b[1] < a[1]+10 {
					t.Fatalf("%v covers %v", a, b)
				}
			}
			if a[0]-a[2] < 0 || a[1] > 200 {
				t.Fatalf("%v is outside", a)
			}
		}
	}
}

// Axes have few ticks, all in range, and their range includes the given values.
func TestAxes(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for range 2000 {
		low := -math.Pow(10, float64(random.IntN(12)-9)) * float64(random.IntN(2))
		high := math.Pow(10, 12*random.Float64()-9)
		axes := []Axis{Linear(low, high, 100, 0), Logarithmic(high/math.Pow(10, 6*random.Float64()), high, 100, 0)}
		for _, a := range axes {
			ticks := a.Ticks()
			if len(ticks) < 2 || len(ticks) > 8 {
				t.Fatalf("%+v has the ticks %v", a, ticks)
			}
			for _, x := range append(ticks, high) {
				if y := a.At(x); y < -1e-6 || y > 100+1e-6 || a.High < high*(1-1e-9) {
					t.Fatalf("%+v: %g is at %g", a, x, y)
				}
			}
		}
	}
}
