package console

import (
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// elided is a line that represents any number of lines.
const elided = "..."

// Matches reports whether a program has printed the text of a page.
func (b *Block) Matches(shown []string, printed string) bool {
	lines := b.forms(split(printed))
	text := ""
	if len(lines) > 0 {
		text = strings.Join(lines, "\n") + "\n"
	}
	return b.pattern(b.forms(shown)).MatchString(text)
}

// progressLine is a line that a program or the tool writes once half a minute has passed.
var progressLine = regexp.MustCompile(`^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ \S+: |migbsp simulate: \d+ of \d+ simulated, )`)

// adviceLine matches a line that a program prints if it has more ranks than cores.
var adviceLine = regexp.MustCompile(`^\S+: \d+ ranks? share [0-9.]+ cores?\b.* the same `)

// split returns the lines of an output, without progress lines and advice that depends on
// the machine's cores, and without blanks at their ends.
func split(printed string) (lines []string) {
	for line := range strings.Lines(printed) {
		if !progressLine.MatchString(line) && !adviceLine.MatchString(line) {
			lines = append(lines, strings.TrimRight(line, " \n"))
		}
	}
	return lines
}

// pattern matches the outputs that look like these lines.
func (b *Block) pattern(lines []string) *regexp.Regexp {
	const gap = `(?:[^\n]*\n)*`
	var p strings.Builder
	p.WriteString(`\A`)
	if b.Excerpt {
		p.WriteString(gap)
	}
	for _, line := range lines {
		if strings.TrimSpace(line) == elided {
			p.WriteString(gap)
			continue
		}
		p.WriteString(strings.ReplaceAll(regexp.QuoteMeta(line), regexp.QuoteMeta(elided), `[^\n]*`) + `\n`)
		if b.Excerpt {
			p.WriteString(gap)
		}
	}
	return regexp.MustCompile(p.String() + `\z`)
}

// forms returns lines in the form in which they are compared.
func (b *Block) forms(lines []string) []string {
	forms := make([]string, len(lines))
	for i, line := range lines {
		forms[i] = byMachine(strings.TrimRight(line, " "))
	}
	if !b.Measured {
		return forms
	}
	forms = joined(concluded(forms))
	for i, line := range forms {
		forms[i] = shape(line)
	}
	return slices.Compact(forms)
}

var (
	resultTime = regexp.MustCompile(`^time +[0-9.e+-]+ s(, [0-9.e+-]+ \S+)?$`)
	checksum   = regexp.MustCompile(`(checksum +)[0-9a-f]{16}\b`)
)

// byMachine returns a line without the parts that depend on the machine in any block.
func byMachine(line string) string {
	line = resultTime.ReplaceAllString(line, "time #")
	if runtime.GOARCH != "amd64" {
		line = checksum.ReplaceAllString(line, "$1#")
	}
	return line
}

// conclusion is a line of a run's conclusions whose words follow from its figures, and
// conclusionMore a line that continues it.
var (
	conclusion     = regexp.MustCompile(`^ (efficiency|rescheduling|next|note)  .*`)
	conclusionTime = regexp.MustCompile(`^ time  `)
	conclusionMore = regexp.MustCompile(`^ {15}\S`)
)

// concluded returns lines with only the names of a run's conclusions.
func concluded(lines []string) (all []string) {
	within := false
	for _, line := range lines {
		switch name := conclusion.FindStringSubmatch(line); {
		case within && conclusionMore.MatchString(line):
			continue
		case name != nil && (name[1] == "next" || name[1] == "note"):
			within = true // there may be none
			continue
		case name != nil:
			within = true
			line = " " + name[1]
		case conclusionTime.MatchString(line):
			within = true
			line = " time"
		default:
			within = false
		}
		all = append(all, line)
	}
	return all
}

var (
	sentence     = regexp.MustCompile(`^ ?\S+( \S+)*$`)
	continuation = regexp.MustCompile(`^   \S+( \S+)*$`)
)

// joined joins the lines of wrapped sentences: the position of the break depends on their figures.
func joined(lines []string) (all []string) {
	for _, line := range lines {
		if n := len(all); n > 0 && sentence.MatchString(all[n-1]) && continuation.MatchString(line) {
			all[n-1] += " " + strings.TrimSpace(line)
			continue
		}
		all = append(all, line)
	}
	return all
}

// unit is one of time, bytes or rates.
const unit = `(ns/B|[kMGT]?(FLOP|flop|cells|key|comparisons)/s|([kKMGT]i?)?B(/s)?|[kMG]?b/s|[num]?s)`

// shapes are the measured parts, each with its replacement.
var shapes = []struct {
	what *regexp.Regexp
	as   string
}{
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`), "#"},
	{regexp.MustCompile(`\bp\d+ r\d+ ?> ?r\d+(, p\d+ r\d+ ?> ?r\d+)*( \+\d+)?`), "#moves"},
	{regexp.MustCompile(`\b([pr])\d+\b`), "$1#"},
	{regexp.MustCompile(`\b[kMGT]?((?:flop|cells|key|comparisons)/s)`), "$1"},
	{regexp.MustCompile(`(Kernels +=) \S+`), "$1 #"},
	{regexp.MustCompile(`(^|[\s("\[=,;|±])[-+]?\d+(\.\d+)?(e[-+]?\d+)?( ?` + unit + `)?\b`), "$1#"},
	{regexp.MustCompile(`# to come\b|\bnot seen\b`), "#"},
	{regexp.MustCompile(`(^|\s)-(\s|$)`), "$1#$2"}, // for a missing figure
	{regexp.MustCompile(`(# \pL+?)s\b`), "$1"},     // 1 call, 2 calls
	{regexp.MustCompile(`\bgo1\.\d+(\.\d+)?\b`), "go#"},
	{regexp.MustCompile(`% (saved|lost)$`), "% saved or lost"},
	{regexp.MustCompile(`-{5,}`), "-----"},
	{regexp.MustCompile(`^ +`), " "},
	{regexp.MustCompile(`(\S) {2,}`), "$1  "},
}

// shape is a line without its figures.
func shape(line string) string {
	for _, s := range shapes {
		line = s.what.ReplaceAllString(line, s.as)
	}
	return line
}

// updated returns the lines of a page, replaced by the printed ones. If a page leaves out lines, each
// of the others becomes the next printed line of its shape; ok is false if no such line follows, and
// a person has to choose.
func (b *Block) updated(shown []string, printed string) (lines []string, ok bool) {
	all := split(printed)
	if !b.Excerpt && !slices.ContainsFunc(shown, func(line string) bool { return strings.TrimSpace(line) == elided }) {
		return all, true
	}
	at := 0
	for _, line := range shown {
		if strings.Contains(line, elided) {
			lines = append(lines, line)
			continue
		}
		own := concluded([]string{line})
		if len(own) == 0 || conclusionMore.MatchString(line) {
			continue // the line above, if any, includes it
		}
		next := slices.IndexFunc(all[at:], func(other string) bool {
			others := concluded([]string{other})
			return len(others) > 0 && shape(others[0]) == shape(own[0])
		})
		if next < 0 {
			return nil, false
		}
		at += next + 1
		lines = append(lines, all[at-1])
		for own[0] != line && at < len(all) && (len(concluded(all[at:at+1])) == 0 || conclusionMore.MatchString(all[at])) {
			lines = append(lines, all[at])
			at++
		}
	}
	return lines, b.Matches(lines, printed)
}
