// Package svg draws charts in scalable vector graphics.
//
// A Picture is written from its ground up: later elements cover earlier ones. Elements have
// classes and no colours: a page colours them by its style sheet, a picture in its own file
// by the style that File gives it. Lengths are pixels, written to a tenth; y grows
// downwards. Words may be any text; classes and attributes' names are the caller's own and
// written as they are.
package svg

import (
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"
)

// Picture is a picture that grows.
type Picture struct{ b strings.Builder }

// New begins a picture for a page. Attributes are names and values in turn.
func New(width, height float64, attributes ...string) *Picture {
	p := new(Picture)
	p.open("svg", append([]string{"viewBox", "0 0 " + num(width) + " " + num(height)}, attributes...)...)
	p.b.WriteByte('>')
	return p
}

// File begins a picture for its own file, on white.
func File(width, height float64, style string) *Picture {
	p := New(width, height, "xmlns", "http://www.w3.org/2000/svg")
	p.b.WriteString("<style>.middle{text-anchor:middle}.end{text-anchor:end}" + style + "</style>" + `<rect width="100%" height="100%" fill="#fff"/>`)
	return p
}

// End completes the picture and returns its text.
func (p *Picture) End() string {
	p.b.WriteString("</svg>")
	return p.b.String()
}

// open begins an element, but for the end of its tag.
func (p *Picture) open(name string, attributes ...string) {
	p.b.WriteString("<" + name)
	for i := 0; i+1 < len(attributes); i += 2 {
		p.b.WriteString(" " + attributes[i] + `="` + html.EscapeString(attributes[i+1]) + `"`)
	}
}

// Element writes an element with words in it. Attributes are names and values in
// turn.
func (p *Picture) Element(name, words string, attributes ...string) {
	p.open(name, attributes...)
	p.b.WriteString(">" + html.EscapeString(words) + "</" + name + ">")
}

// num prints a length to a tenth of a pixel.
func num(x float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(x, 'f', 1, 64), ".0")
}

// box returns the attributes of a rectangle; a negative size is taken for 0.
func box(x, y, width, height float64) []string {
	return []string{"x", num(x), "y", num(y), "width", num(max(0, width)), "height", num(max(0, height))}
}

// Rect draws a rectangle. More attributes are names and values in turn.
func (p *Picture) Rect(class string, x, y, width, height float64, attributes ...string) {
	p.open("rect", append(append([]string{"class", class}, box(x, y, width, height)...), attributes...)...)
	p.b.WriteString("/>")
}

// Line draws a line between two points.
func (p *Picture) Line(class string, x1, y1, x2, y2 float64) {
	var line Pen
	line.Move(x1, y1)
	line.To(x2, y2)
	p.Path(class, line.String())
}

// Path draws a Pen's path, if it is not empty.
func (p *Picture) Path(class, d string) {
	if d != "" {
		p.open("path", "class", class, "d", d)
		p.b.WriteString("/>")
	}
}

// Text writes words; anchor is the part of them that is at x: start, middle or end.
func (p *Picture) Text(class, anchor string, x, y float64, words string) {
	p.Element("text", words, "class", class+" "+anchor, "x", num(x), "y", num(y))
}

// Vertical writes words upwards, with their middle at a position.
func (p *Picture) Vertical(class string, x, y float64, words string) {
	p.Element("text", words, "class", class+" middle", "transform", "translate("+num(x)+" "+num(y)+") rotate(-90)")
}

// Image draws a PNG, given in base64, in a rectangle.
func (p *Picture) Image(class, data string, x, y, width, height float64) {
	p.open("image", append(append([]string{"class", class}, box(x, y, width, height)...), "preserveAspectRatio", "none", "href", "data:image/png;base64,"+data)...)
	p.b.WriteString("/>")
}

// Clip cuts the elements that draw draws to a rectangle. The id is the rectangle's, and
// unique on the page.
func (p *Picture) Clip(id string, x, y, width, height float64, draw func()) {
	p.b.WriteString(`<clipPath id="` + id + `">`)
	p.open("rect", box(x, y, width, height)...)
	p.b.WriteString("/></clipPath><g clip-path=\"url(#" + id + `)">`)
	draw()
	p.b.WriteString("</g>")
}

// Left draws an axis at the left of a plot, with lines across it.
func (p *Picture) Left(a Axis, label func(float64) string, x, right float64) {
	for _, t := range a.Ticks() {
		y := a.At(t)
		p.Line("grid", x, y, right, y)
		p.Text("tick", "end", x-6, y+4, label(t))
	}
}

// Bottom draws an axis below a plot, with lines up through it.
func (p *Picture) Bottom(a Axis, label func(float64) string, top, y float64) {
	for _, t := range a.Ticks() {
		x := a.At(t)
		p.Line("grid", x, top, x, y+4)
		p.Text("tick", "middle", x, y+17, label(t))
	}
}

// Pen writes a path.
type Pen struct{ strings.Builder }

// Move moves the pen to a point without drawing.
func (p *Pen) Move(x, y float64) { p.WriteString("M" + num(x) + " " + num(y)) }

// To draws a line to a point.
func (p *Pen) To(x, y float64) { p.WriteString("L" + num(x) + " " + num(y)) }

// Box draws a rectangle.
func (p *Pen) Box(x, y, width, height float64) {
	fmt.Fprintf(p, "M%s %sh%sv%sh%sz", num(x), num(y), num(width), num(height), num(-width))
}

// Dot draws a point that the path's line caps make round.
func (p *Pen) Dot(x, y float64) { p.WriteString("M" + num(x) + " " + num(y) + "h0") }

// Diamond draws a square on its tip around a point.
func (p *Pen) Diamond(x, y, reach float64) {
	r := num(reach)
	fmt.Fprintf(p, "M%s %sl%s %sl-%s %sl-%s -%sz", num(x), num(y-reach), r, r, r, r, r, r)
}

// Triangle draws a triangle with a corner at the bottom.
func (p *Pen) Triangle(x, y, width, height float64) {
	fmt.Fprintf(p, "M%s %sl%s %sh%sz", num(x), num(y), num(-width/2), num(-height), num(width))
}

// maxLabels bounds the names in a plot.
const maxLabels = 10

// Labels keeps the names of points apart, and within the plot.
type Labels struct {
	Left, Right, Top, Bottom float64      // of the plot
	taken                    [][3]float64 // middle of a name and half its width
}

// Put writes a name next to a point, on the first side with room. If no side has room, it omits the
// name.
func (l *Labels) Put(p *Picture, x, y float64, name string) {
	half := 3.2 * float64(len(name))
	for _, side := range [][2]float64{{8 + half, -8}, {8 + half, 10}, {-8 - half, -8}, {-8 - half, 10}} {
		at := [3]float64{x + side[0], y + side[1], half}
		if l.free(at) {
			l.taken = append(l.taken, at)
			p.Text("note", "middle", at[0], at[1]+4, name)
			return
		}
	}
}

func (l *Labels) free(at [3]float64) bool {
	if len(l.taken) == maxLabels || at[0]-at[2] < l.Left || at[0]+at[2] > l.Right+16 || at[1] < l.Top-6 || at[1]+6 > l.Bottom {
		return false
	}
	for _, other := range l.taken {
		if math.Abs(at[0]-other[0]) < at[2]+other[2]+2 && math.Abs(at[1]-other[1]) < 11 {
			return false
		}
	}
	return true
}
