package cli

import "strings"

// unknown is the error of a command that there is not.
func (t *Tool) unknown(name string) error {
	if strings.HasPrefix(name, "-") {
		return Usagef("%s before a command; flags stand behind it", name)
	}
	return Usagef("there is no command %q%s", name, didYouMean(name, "", t.names(true)))
}

// flagError says in our words what package flag has found wrong.
func (c *Command) flagError(err error) error {
	const undefined = "flag provided but not defined: -"
	name, ok := strings.CutPrefix(err.Error(), undefined)
	if !ok {
		return Usagef("%v", err)
	}
	var names []string
	for _, o := range c.flags() {
		names = append(names, o.name)
	}
	return Usagef("there is no flag -%s%s", name, didYouMean(strings.TrimLeft(name, "-"), "-", names))
}

// didYouMean asks about the name that is most like what was read, if any is.
func didYouMean(read, prefix string, names []string) string {
	best, least := "", 1+max(1, len(read)/3)
	for _, name := range names {
		d := distance(read, name)
		if len(read) >= 2 && strings.HasPrefix(name, read) {
			d = 0
		}
		if d < least {
			best, least = name, d
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + prefix + best + "?"
}

// distance is how many letters must be put in, taken out, replaced or swapped
// with the next to turn a into b.
func distance(a, b string) int {
	before, last := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row := make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			replaced := last[j]
			if a[i] != b[j] {
				replaced++
			}
			row[j+1] = min(replaced, row[j]+1, last[j+1]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
