package console

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// claim is a condition that the output of a measured block meets, such as saved>=25%.
type claim struct {
	text     string // as the page has it
	quantity quantity
	exact    bool // the figure equals bound; otherwise it is at least bound
	bound    float64
}

// quantity is a figure in the output of a block.
type quantity struct {
	name    string
	percent bool
	excerpt bool // a page that leaves out lines still shows this figure
	find    func(lines []string) (value float64, ok bool)
}

// quantities lists the quantities that claims may name.
var quantities = []quantity{
	{name: "moves", excerpt: true, find: latest("moves", `^ rescheduling +(\d+) moves?\b`, `^ MIGRATIONS (\d+) `)},
	{name: "saved", percent: true, excerpt: true, find: latest("saved",
		`(?i)^ rescheduling .*\b(saved|lost)\b.*? ([\d.]+)%`, `([\d.]+)% (saved|lost)$`)},
	{name: "supersteps", excerpt: true, find: latest("", `\b(\d+) supersteps?\b`)},
	{name: "processes", excerpt: true, find: latest("", `\b(\d+) processes\b`)},
	{name: "checks", find: count(regexp.MustCompile(`^check .* PASSED$`))},
	{name: "lines", find: count(regexp.MustCompile(`\S`))},
}

var claimForm = regexp.MustCompile(`^([a-z]+)(>=|==)(\d+(?:\.\d+)?)(%?)$`)

// isClaim reports whether a word after console is meant as a claim.
func isClaim(word string) bool {
	return strings.ContainsAny(word, "<>") || strings.Contains(word, "==")
}

// readClaim parses a word such as moves>=1.
func readClaim(word string) (claim, error) {
	found := claimForm.FindStringSubmatch(word)
	if found == nil {
		return claim{}, fmt.Errorf("%q: expected a quantity, >= or ==, and a number, as in saved>=25%%", word)
	}
	for _, q := range quantities {
		if q.name != found[1] {
			continue
		}
		if q.percent != (found[4] != "") {
			return claim{}, fmt.Errorf("%q: expected %s", word, map[bool]string{true: "a number with %", false: "a number without %"}[q.percent])
		}
		bound, err := strconv.ParseFloat(found[3], 64)
		return claim{text: word, quantity: q, exact: found[2] == "==", bound: bound}, err
	}
	return claim{}, fmt.Errorf("%q: unknown quantity %q: expected %s", word, found[1], quantityNames())
}

func quantityNames() string {
	var names []string
	for _, q := range quantities {
		names = append(names, q.name)
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// verdict returns the figure in an output, as text, and whether it meets the claim.
func (c *claim) verdict(lines []string) (figure string, holds bool) {
	value, ok := c.quantity.find(unwrapped(lines))
	if !ok {
		return "none", false
	}
	figure = strconv.FormatFloat(value, 'f', -1, 64)
	if c.quantity.percent {
		figure += "%"
	}
	return figure, value == c.bound || !c.exact && value > c.bound
}

// broken returns the claims of the block that an output does not meet, each with the figure.
func (b *Block) broken(lines []string) (all []string) {
	for i := range b.claims {
		if figure, holds := b.claims[i].verdict(lines); !holds {
			all = append(all, fmt.Sprintf("%s does not hold: %s is %s", b.claims[i].text, b.claims[i].quantity.name, figure))
		}
	}
	return all
}

// misstated returns the claims of the block that the figures in its page contradict.
func (b *Block) misstated() (all []string) {
	var shown []string
	for _, c := range b.Commands {
		shown = append(shown, c.Output...)
	}
	for i := range b.claims {
		if c := &b.claims[i]; c.quantity.excerpt {
			if figure, holds := c.verdict(shown); !holds && figure != "none" {
				all = append(all, fmt.Sprintf("%s, but the page shows %s", c.text, figure))
			}
		}
	}
	return all
}

// unwrapped joins the lines of sentences and conclusions that were broken to fit.
func unwrapped(lines []string) (all []string) {
	for _, line := range joined(lines) {
		if n := len(all); n > 0 && conclusionMore.MatchString(line) {
			all[n-1] += " " + strings.TrimSpace(line)
			continue
		}
		all = append(all, line)
	}
	return all
}

// count returns a function that counts lines.
func count(what *regexp.Regexp) func([]string) (float64, bool) {
	return func(lines []string) (float64, bool) {
		n := 0
		for _, line := range lines {
			if what.MatchString(line) {
				n++
			}
		}
		return float64(n), true
	}
}

// latest returns a function that finds the last figure which matches one of the patterns,
// or stands in a table's column. A figure with the word lost is negative.
func latest(column string, patterns ...string) func([]string) (float64, bool) {
	var all []*regexp.Regexp
	for _, p := range patterns {
		all = append(all, regexp.MustCompile(p))
	}
	return func(lines []string) (value float64, ok bool) {
		var t tableColumn
		for _, line := range lines {
			if x, found := t.next(line, column); found {
				value, ok = x, true
			}
			for _, p := range all {
				if x, found := figureOf(p.FindStringSubmatch(line)); found {
					value, ok = x, true
				}
			}
		}
		return value, ok
	}
}

// figureOf returns the number among the groups of a match.
func figureOf(groups []string) (value float64, ok bool) {
	sign := 1.0
	for i, text := range groups {
		if i == 0 {
			continue
		}
		if x, err := strconv.ParseFloat(text, 64); err == nil {
			value, ok = x, true
		}
		if strings.EqualFold(text, "lost") {
			sign = -1
		}
	}
	return sign * value, ok
}

// tableColumn reads the right-aligned numbers below a column's name.
type tableColumn struct {
	above []rune // the previous line
	end   int    // of the column, 0 outside of a table
}

var (
	rule   = regexp.MustCompile(`^-{5,}$`)
	number = regexp.MustCompile(`(?:^|\s)([-+]?[\d.]+)%?$`)
)

// next reads a line and returns its figure in the named column.
func (t *tableColumn) next(line, name string) (value float64, ok bool) {
	runes := []rune(line)
	switch {
	case name == "":
		return 0, false
	case rule.MatchString(line) && t.end == 0:
		t.end = columnEnd(string(t.above), name)
	case strings.TrimSpace(line) == "" || rule.MatchString(line):
		t.end = 0
	case t.end > 0 && len(runes) >= t.end && (len(runes) == t.end || runes[t.end] == ' '):
		if found := number.FindStringSubmatch(string(runes[:t.end])); found != nil {
			value, err := strconv.ParseFloat(found[1], 64)
			return value, err == nil
		}
	}
	t.above = runes
	return 0, false
}

// columnEnd returns the offset behind a name in a table's header, counted in characters, or 0.
func columnEnd(header, name string) int {
	at := regexp.MustCompile(`(?:^|\s)` + name + `(?:\s|$)`).FindStringIndex(header)
	if at == nil {
		return 0
	}
	before := header[:at[0]+strings.Index(header[at[0]:], name)+len(name)]
	return len([]rune(before))
}
