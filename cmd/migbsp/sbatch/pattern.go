package sbatch

import (
	"errors"
	"strings"

	"github.com/migbsp/migbsp/internal/shell"
)

// Pattern is a directory with placeholders: %j for the job, %x for its name, %A for the
// array and %a for the task in it. For programs %p, %t and %% have a meaning too; they
// stay.
type Pattern string

// patterns are the script's values of the placeholders.
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

// has reports whether the pattern has the placeholder of a sign.
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

// word returns the directory as a word for bash, followed by more of bash.
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
