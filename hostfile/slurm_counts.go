package hostfile

import (
	"fmt"
	"strings"
)

// ParseSlurmCounts reads counts by host as Slurm writes them: 2(x3),1 is 2, 2, 2,
// 1. The name is for messages. Errors are Problems.
func ParseSlurmCounts(name, text string) ([]int, error) {
	p := newParser(name, Rules{})
	var counts []int
	t := token{text: strings.TrimRight(text, blanks+"\r\n"), line: 1, col: 1}
	if t.text == "" {
		return nil, nil
	}
	for _, one := range t.split(",") {
		n, times, problem := parseSlurmCount(one)
		if problem == nil && times > maxHosts-len(counts) {
			problem = one.problem(0, fmt.Sprintf("counts for more than %d hosts", maxHosts), "fewer")
		}
		if problem != nil {
			p.fail(problem)
			return nil, p.err()
		}
		for range times {
			counts = append(counts, n)
		}
	}
	return counts, nil
}

// parseSlurmCount reads "2" or "2(x3)".
func parseSlurmCount(t token) (n, times int, problem *Problem) {
	number, rest, repeated := strings.Cut(t.text, "(x")
	times = 1
	n, ok := parseCount(number, maxSlots)
	if ok && repeated {
		inner, closed := strings.CutSuffix(rest, ")")
		times, ok = parseCount(inner, maxCount)
		ok = ok && closed && times > 0
	}
	if !ok {
		return 0, 0, t.problem(0, quote(t.text)+" as a count", "a number such as 2, or 2(x3) for three hosts")
	}
	return n, times, nil
}

// maxCount keeps sums of counts far from overflow.
const maxCount = 1 << 30

// parseCount reads digits.
func parseCount(text string, most int) (int, bool) {
	digits, err := parseDigits(text)
	if err != nil || digits > int64(most) {
		return 0, false
	}
	return int(digits), true
}
