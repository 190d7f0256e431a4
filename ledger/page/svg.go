package page

import (
	"fmt"
	"html/template"
	"strconv"
	"strings"
)

// svg writes a picture. All text from a record goes through text; everything
// else is numbers and words of this package.
type svg struct {
	b strings.Builder
}

// chart begins a picture of the given size, in units that are pixels on a wide
// screen. id tells it apart on its page; title and description stand for it
// where it is not seen.
func chart(id, class string, width, height float64, title, description string, attributes ...string) *svg {
	s := new(svg)
	fmt.Fprintf(&s.b, `<svg class="chart %s" id="%s" viewBox="0 0 %s %s" role="img" aria-labelledby="%s-t %s-d"`, class, id, num(width), num(height), id, id)
	for i := 0; i+1 < len(attributes); i += 2 {
		fmt.Fprintf(&s.b, ` %s="%s"`, attributes[i], template.HTMLEscapeString(attributes[i+1]))
	}
	fmt.Fprintf(&s.b, `><title id="%s-t">%s</title><desc id="%s-d">%s</desc>`, id, template.HTMLEscapeString(title), id, template.HTMLEscapeString(description))
	return s
}

// end completes the picture.
func (s *svg) end() template.HTML {
	s.b.WriteString("</svg>")
	return template.HTML(s.b.String())
}

// num prints a place to a tenth of a pixel.
func num(x float64) string {
	text := strconv.FormatFloat(x, 'f', 1, 64)
	return strings.TrimSuffix(text, ".0")
}

func (s *svg) rect(class string, x, y, width, height float64) {
	fmt.Fprintf(&s.b, `<rect class="%s" x="%s" y="%s" width="%s" height="%s"/>`, class, num(x), num(y), num(max(0, width)), num(max(0, height)))
}

func (s *svg) line(class string, x1, y1, x2, y2 float64) {
	fmt.Fprintf(&s.b, `<path class="%s" d="M%s %sL%s %s"/>`, class, num(x1), num(y1), num(x2), num(y2))
}

func (s *svg) path(class, d string) {
	if d != "" {
		fmt.Fprintf(&s.b, `<path class="%s" d="%s"/>`, class, d)
	}
}

// text writes words; anchor is start, middle or end.
func (s *svg) text(class, anchor string, x, y float64, words string) {
	fmt.Fprintf(&s.b, `<text class="%s %s" x="%s" y="%s">%s</text>`, class, anchor, num(x), num(y), template.HTMLEscapeString(words))
}

// vertical writes words upwards.
func (s *svg) vertical(class string, x, y float64, words string) {
	fmt.Fprintf(&s.b, `<text class="%s middle" transform="translate(%s %s) rotate(-90)">%s</text>`, class, num(x), num(y), template.HTMLEscapeString(words))
}

// image puts a PNG, one pixel per cell, into a rectangle.
func (s *svg) image(class, data string, x, y, width, height float64) {
	fmt.Fprintf(&s.b, `<image class="%s" x="%s" y="%s" width="%s" height="%s" preserveAspectRatio="none" href="data:image/png;base64,%s"/>`,
		class, num(x), num(y), num(width), num(height), data)
}

// left draws an axis at the left of a plot, with lines across it.
func (s *svg) left(a axis, label func(float64) string, x, right float64) {
	for _, t := range a.ticks() {
		y := a.at(t)
		s.line("grid", x, y, right, y)
		s.text("tick", "end", x-6, y+4, label(t))
	}
}

// bottom draws an axis below a plot.
func (s *svg) bottom(a axis, label func(float64) string, top, y float64) {
	for _, t := range a.ticks() {
		x := a.at(t)
		s.line("grid", x, top, x, y+4)
		s.text("tick", "middle", x, y+17, label(t))
	}
}

// pen writes the d of a path.
type pen struct{ strings.Builder }

func (p *pen) move(x, y float64) { p.WriteString("M" + num(x) + " " + num(y)) }
func (p *pen) to(x, y float64)   { p.WriteString("L" + num(x) + " " + num(y)) }

// box draws a rectangle.
func (p *pen) box(x, y, width, height float64) {
	fmt.Fprintf(p, "M%s %sh%sv%sh%sz", num(x), num(y), num(width), num(height), num(-width))
}

// dot is a point that the path's line caps make round.
func (p *pen) dot(x, y float64) { p.WriteString("M" + num(x) + " " + num(y) + "h0") }
