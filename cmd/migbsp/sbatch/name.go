package sbatch

import (
	"errors"
	"strconv"
	"strings"

	"github.com/migbsp/migbsp/internal/shell"
)

// quoted quotes text, up to a length.
func quoted(text string) string {
	const length = 40
	if len(text) > length {
		text = strings.ToValidUTF8(text[:length], "") + "..."
	}
	return strconv.Quote(text)
}

// CheckIdentifier refuses text that cannot name a partition, an account or a plugin.
func CheckIdentifier(text string) error {
	const first = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
	if text == "" || !strings.Contains(first, text[:1]) || strings.Trim(text, first+".@+-") != "" {
		return errors.New("expected a name of letters, digits and _ . @ + -")
	}
	return nil
}

// CheckName refuses text that cannot name a job: it becomes a part of file names, and
// sbatch reads it in quotation marks.
func CheckName(text string) error {
	if text == "" || strings.ContainsAny(text, `/\"%`) || !shell.Printable(text) {
		return errors.New(`expected a name of printable characters without / \ " and %`)
	}
	return nil
}

// CheckMPI refuses plugins of srun whose tasks are not ranks.
func CheckMPI(text string) error {
	switch {
	case text == "none":
		return errors.New("expected pmix, pmi2 or another name of srun --mpi=list; tasks that are started with none do not know each other")
	case text == "list":
		return errors.New("expected a name of srun --mpi=list")
	}
	return CheckIdentifier(text)
}

// ParseModules reads names between commas or blanks.
func ParseModules(text string) ([]string, error) {
	names := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' })
	for _, name := range names {
		if name[0] == '-' || !shell.Printable(name) {
			return nil, errors.New(quoted(name) + ", expected names of modules between commas")
		}
	}
	if len(names) == 0 {
		return nil, errors.New("expected names of modules between commas")
	}
	return names, nil
}

// ParseOptions reads options of sbatch as a shell would.
func ParseOptions(text string) ([]string, error) {
	words, err := shell.Words(text)
	if err != nil {
		return nil, err
	}
	for _, word := range words {
		if !strings.HasPrefix(word, "-") || strings.ContainsAny(word, `\"`) || !shell.Printable(word) {
			return nil, errors.New(quoted(word) + `, expected options of sbatch, each in one word: --mem=4G; none with \ or "`)
		}
	}
	if len(words) == 0 {
		return nil, errors.New("expected options of sbatch such as --mem=4G")
	}
	return words, nil
}
