package sbatch

import (
	"errors"
	"strings"

	"github.com/migbsp/migbsp/internal/shell"
)

// Pattern is a directory with what stands for something else: %j the job, %x its
// name, %A the array and %a the task in it. For programs %p, %t and %% have a
// meaning as well, and remain.
type Pattern string

// patterns are what a script puts in place of them.
var patterns = map[byte]string{
	'j': "${SLURM_JOB_ID}", 'x': "${SLURM_JOB_NAME}", 'A': "${SLURM_ARRAY_JOB_ID}", 'a': "${SLURM_ARRAY_TASK_ID}",
}

// ParsePattern reads a directory.
func ParsePattern(text string) (Pattern, error) {
	if text == "" || text[0] == '-' || !shell.Printable(text) {
		return "", errors.New("expected a directory, in printable characters; one that begins with - is ./-")
	}
	for i := 0; i < len(text); i++ {
		if text[i] != '%' {
			continue
		}
		if i++; i == len(text) || strings.IndexByte("jxAapt%", text[i]) < 0 {
			return "", errors.New("expected one of j, x, A, a, p, t and % behind each %")
		}
	}
	return Pattern(text), nil
}

// has tells whether % and the sign stand in it.
func (p Pattern) has(sign byte) bool {
	for i := 0; i+1 < len(p); i++ {
		if p[i] == '%' {
			if i++; p[i] == sign {
				return true
			}
		}
	}
	return false
}

// word is the directory as a word for bash, with some more of bash behind it.
func (p Pattern) word(behind string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := 0; i < len(p); i++ {
		switch c := p[i]; {
		case c == '%' && patterns[p[i+1]] != "":
			i++
			b.WriteString(patterns[p[i]])
		case c == '%':
			i++
			b.WriteString(string(p[i-1 : i+1]))
		case strings.IndexByte("\"\\$`", c) >= 0:
			b.WriteByte('\\')
			b.WriteByte(c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteString(behind + `"`)
	return b.String()
}
