package sbatch

import (
	"errors"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/migbsp/migbsp/internal/settings"
	"github.com/migbsp/migbsp/internal/shell"
)

// Array is which tasks an array of jobs has. The zero value is no array.
type Array struct {
	Spec string // as Slurm reads it
	Last int    // the largest number
}

// String returns the text.
func (a Array) String() string { return a.Spec }

const (
	mostTasks = 4_000_000 // the largest that Slurm can be set up for
	anArray   = "expected numbers and ranges such as 0-11, 0-30:10 or 1,3,5-7, and %4 behind it to run 4 at a time"
)

// ParseArray reads the argument of sbatch -array.
func ParseArray(text string) (Array, error) {
	spec, atOnce, limited := strings.Cut(text, "%")
	if limited {
		if n, err := number(atOnce, mostTasks); err != nil || n == 0 {
			return Array{}, errors.New(anArray)
		}
	}
	a := Array{Spec: text}
	for part := range strings.SplitSeq(spec, ",") {
		last, ok := lastOf(part)
		if !ok {
			return Array{}, errors.New(anArray)
		}
		a.Last = max(a.Last, last)
	}
	return a, nil
}

// lastOf returns the last number of a range.
func lastOf(part string) (last int, ok bool) {
	from, to, isRange := strings.Cut(part, "-")
	first, err := number(from, mostTasks)
	if err != nil || !isRange {
		return first, err == nil
	}
	to, by, stepped := strings.Cut(to, ":")
	last, err = number(to, mostTasks)
	if err != nil || last < first {
		return 0, false
	}
	if !stepped {
		return last, true
	}
	step, err := number(by, mostTasks)
	if err != nil || step == 0 {
		return 0, false
	}
	return last - (last-first)%step, true
}

// Limit is the time limit of a job. The zero value leaves it to the partition.
type Limit struct {
	Text    string // as Slurm reads it
	Seconds int    // 0: not limited, or not known
}

// String returns the text.
func (l Limit) String() string { return l.Text }

var errLimit = errors.New("expected minutes, minutes:seconds, hours:minutes:seconds, days-hours, days-hours:minutes, days-hours:minutes:seconds or UNLIMITED")

// ParseLimit reads a time in one of Slurm's forms. Only the first number may be
// larger than its unit allows.
func ParseLimit(text string) (Limit, error) {
	switch strings.ToUpper(text) {
	case "UNLIMITED", "INFINITE":
		return Limit{Text: strings.ToUpper(text)}, nil
	}
	days, clock, withDays := strings.Cut(text, "-")
	units := []int{60}
	parts := strings.Split(text, ":")
	switch {
	case withDays:
		units, parts = []int{86400, 3600, 60, 1}, append([]string{days}, strings.Split(clock, ":")...)
	case len(parts) == 2:
		units = []int{60, 1}
	case len(parts) == 3:
		units = []int{3600, 60, 1}
	}
	if len(parts) > len(units) {
		return Limit{}, errLimit
	}
	seconds := 0
	for i, part := range parts {
		most := math.MaxInt32 / units[i]
		if i > 0 {
			most = units[i-1]/units[i] - 1
		}
		n, err := number(part, most)
		if err != nil {
			return Limit{}, errLimit
		}
		seconds += n * units[i]
	}
	if seconds == 0 {
		return Limit{}, errors.New("expected some time; UNLIMITED is without a limit")
	}
	if seconds > math.MaxInt32 {
		return Limit{}, errLimit
	}
	return Limit{Text: text, Seconds: seconds}, nil
}

// number reads digits only.
func number(text string, most int) (int, error) {
	if text == "" || strings.Trim(text, "0123456789") != "" {
		return 0, strconv.ErrSyntax
	}
	n, err := strconv.Atoi(text)
	if err == nil && n > most {
		err = strconv.ErrRange
	}
	return n, err
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
			return nil, errors.New(settings.Quote(name) + ", expected names of modules between commas")
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
			return nil, errors.New(settings.Quote(word) + `, expected options of sbatch, each in one word: --mem=4G; none with \ or "`)
		}
	}
	if len(words) == 0 {
		return nil, errors.New("expected options of sbatch such as --mem=4G")
	}
	return words, nil
}

// most is the maximum number of nodes or tasks that a job may ask for.
const most = 1 << 24

// ParseComponents reads partitions between commas, each by its name or as
// PARTITION:NODES:TASKS.
func ParseComponents(text string) ([]Component, error) {
	var parts []Component
	for field := range strings.SplitSeq(text, ",") {
		words := strings.Split(field, ":")
		c := Component{Partition: words[0]}
		err := CheckIdentifier(c.Partition)
		if len(words) == 3 && err == nil {
			if c.Nodes, err = number(words[1], most); err == nil {
				c.Tasks, err = number(words[2], most)
			}
		}
		if err != nil || len(words) != 1 && (len(words) != 3 || c.Nodes == 0 || c.Tasks == 0) {
			return nil, errors.New(settings.Quote(field) + ", expected PARTITION or PARTITION:NODES:TASKS, several between commas")
		}
		parts = append(parts, c)
	}
	return parts, nil
}

// Pattern is a directory with placeholders: %j for the job, %x for its name, %A for the
// array and %a for the task in it. For programs %p, %t and %% have a meaning too; they
// stay.
type Pattern string

var (
	placeholder = regexp.MustCompile(`(?s)%.`)
	pattern     = regexp.MustCompile(`^([^%]|%[jxAapt%])*$`)
)

// ParsePattern reads a directory.
func ParsePattern(text string) (Pattern, error) {
	if text == "" || text[0] == '-' || !shell.Printable(text) {
		return "", errors.New("expected a directory, in printable characters; one that begins with - is ./-")
	}
	if !pattern.MatchString(text) {
		return "", errors.New("expected one of j, x, A, a, p, t and % behind each %")
	}
	return Pattern(text), nil
}

// has reports whether the pattern has the placeholder of one of some signs.
func (p Pattern) has(signs string) bool {
	return slices.ContainsFunc(placeholder.FindAllString(string(p), -1), func(found string) bool { return strings.Contains(signs, found[1:]) })
}

// inBash has the script's values of placeholders, and quotes all else between double quotes.
var inBash = strings.NewReplacer("%j", "${SLURM_JOB_ID}", "%x", "${SLURM_JOB_NAME}", "%A", "${SLURM_ARRAY_JOB_ID}", "%a", "${SLURM_ARRAY_TASK_ID}",
	"%%", "%%", `"`, `\"`, `\`, `\\`, "$", `\$`, "`", "\\`")

// word returns the directory as a word for bash, followed by more of bash.
func (p Pattern) word(behind string) string { return `"` + inBash.Replace(string(p)) + behind + `"` }
