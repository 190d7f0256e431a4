package settings

import "strings"

// Nearest returns the most similar name, "" if none is similar.
func Nearest(read string, names []string) string {
	best, least := "", 1+max(1, len(read)/3)
	for _, name := range names {
		d := distance(read, name)
		if len(read) > 1 && strings.HasPrefix(name, read) {
			d = 0
		}
		if d < least {
			best, least = name, d
		}
	}
	return best
}

// distance is how many letters must be inserted, removed, replaced or exchanged
// with the next to turn a into b.
func distance(a, b string) int {
	d := make([][]int, len(a)+1) // by lengths of beginnings of a and b
	for i := range d {
		d[i] = make([]int, len(b)+1)
		for j := range d[i] {
			switch {
			case i == 0 || j == 0:
				d[i][j] = i + j
				continue
			case a[i-1] == b[j-1]:
				d[i][j] = d[i-1][j-1]
			default:
				d[i][j] = 1 + min(d[i-1][j-1], d[i-1][j], d[i][j-1])
			}
			if i > 1 && j > 1 && a[i-2] == b[j-1] && a[i-1] == b[j-2] {
				d[i][j] = min(d[i][j], 1+d[i-2][j-2])
			}
		}
	}
	return d[len(a)][len(b)]
}
