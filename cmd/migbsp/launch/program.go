package launch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/migbsp/migbsp/internal/settings"
)

// Self returns the path of this program. Where the system does not give it, as Linux
// without /proc, the command that started it does.
func Self() (string, error) {
	path, err := os.Executable()
	if err == nil {
		return path, nil
	}
	if path, other := exec.LookPath(os.Args[0]); other == nil {
		return filepath.Abs(path)
	}
	return "", fmt.Errorf("where this tool is installed is not known: %w", err)
}

// Installed returns the directory with the programs of the installation that a tool belongs to:
// libexec/migbsp, next to the bin directory of the tool's real path.
func Installed(tool string) string {
	if path, err := filepath.EvalSymlinks(tool); err == nil {
		tool = path
	}
	return filepath.Join(filepath.Dir(filepath.Dir(tool)), "libexec", "migbsp")
}

// Names returns the programs in a directory.
func Names(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		if executable(filepath.Join(dir, e.Name())) == nil {
			names = append(names, e.Name())
		}
	}
	return names
}

// executable returns the reason why a file cannot be executed, nil if it can.
func executable(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return settings.OfFile(path, err)
	case info.IsDir():
		return errors.New("it is a directory")
	case runtime.GOOS != "windows" && info.Mode()&0o111 == 0:
		return errors.New("it cannot be executed: chmod +x")
	}
	return nil
}

// ErrUnknown is the error of a name that no program has.
var ErrUnknown = errors.New("there is no program")

// Find returns the path of a program: a name with a slash is a path; another one is
// searched in a directory and then in PATH, but not in the working directory.
func Find(dir, name string) (path string, err error) {
	if strings.ContainsRune(name, '/') || strings.ContainsRune(name, filepath.Separator) {
		if err := executable(name); err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
		return filepath.Abs(name)
	}
	if own := filepath.Join(dir, name); name != "" && executable(own) == nil {
		return own, nil
	}
	path, err = exec.LookPath(name)
	if err != nil || !filepath.IsAbs(path) {
		return "", unknown(dir, name)
	}
	return path, nil
}

// unknown returns the error of a name that has not been found.
func unknown(dir, name string) error {
	here := "./" + name
	switch why := executable(here); {
	case name == "" || errors.Is(why, fs.ErrNotExist):
	case why == nil:
		return fmt.Errorf("%w %q in %s or PATH; for the one in this directory give %s", ErrUnknown, name, dir, here)
	default:
		return fmt.Errorf("%w %q in %s or PATH; there is %s, but %w", ErrUnknown, name, dir, here, why)
	}
	return fmt.Errorf("%w %q%s", ErrUnknown, name, cmp.Or(settings.DidYouMean(name, "", Names(dir)), " in "+dir+" or PATH"))
}

// Description describes a program in a line.
type Description struct{ Name, Does string }

// Describe asks the programs of a directory for their descriptions.
func Describe(ctx context.Context, dir string) []Description {
	names := Names(dir)
	all := make([]Description, len(names))
	var asked sync.WaitGroup
	for i, name := range names {
		asked.Go(func() {
			all[i], _ = Explain(ctx, filepath.Join(dir, name))
		})
	}
	asked.Wait()
	return all
}

// Explain asks a program for its description and its help.
func Explain(ctx context.Context, path string) (Description, string) {
	name := filepath.Base(path)
	help, _ := ask(ctx, path, "-help")
	return Description{name, oneLine(name, help)}, help
}

var flagLine = regexp.MustCompile(`(?m)^  (-[\w.-]+)`)

// Flags asks a program for the names of its flags, with their dash. Programs that are not
// migbsp's are not asked: -help may mean anything to them.
func Flags(ctx context.Context, path string) (names []string) {
	if !Look(ctx, path).Ours {
		return nil
	}
	help, _ := ask(ctx, path, "-help")
	for _, found := range flagLine.FindAllStringSubmatch(help, -1) {
		names = append(names, found[1])
	}
	return append(names, "-help")
}

// patience is the time that a program has to describe itself.
const patience = 10 * time.Second

// Refusal returns the error with which a program refuses arguments in a job. It returns "" if the
// program accepts them or is not migbsp's. The program reads its settings as it would in the job,
// but runs nothing.
func Refusal(ctx context.Context, path string, args []string) string {
	if !Look(ctx, path).Ours {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	program := exec.CommandContext(ctx, path, append([]string{"-print-config"}, args...)...)
	program.WaitDelay = time.Second
	// A job sets its own number, which %j stands for.
	program.Env = append(without(os.Environ(), fromLaunchers), "SLURM_JOB_ID=0")
	var said strings.Builder
	program.Stderr = &said
	if program.Run() == nil || program.ProcessState == nil || program.ProcessState.ExitCode() != 2 {
		return ""
	}
	return strings.TrimSpace(said.String())
}

// ask returns the standard output of a program, started as if by hand: not as a rank of the
// launcher or job that has started this process.
func ask(ctx context.Context, path, flag string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	program := exec.CommandContext(ctx, path, flag)
	program.WaitDelay = time.Second
	program.Env = without(os.Environ(), append(fromLaunchers, "MIGBSP_"))
	out, err := program.Output()
	return string(out), err
}

// fromLaunchers are the beginnings of variables that launchers give to ranks, and that
// programs read at their start.
var fromLaunchers = []string{"OMPI_", "PMI", "MV2_", "MPI_LOCAL", "JSM_", "FLUX_", "PALS_", "SLURM_"}

// without returns the variables whose names begin with none of the prefixes.
func without(environ, prefixes []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(variable string) bool {
		return slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(variable, prefix) })
	})
}

// oneLine returns the first sentence of a program's help, without its name, "" if it is
// longer than a line.
func oneLine(name, help string) string {
	const most = 66
	text, _, _ := strings.Cut(help, "\n\n")
	text = strings.Join(strings.Fields(text), " ")
	for _, end := range []string{". ", ": "} {
		text, _, _ = strings.Cut(text, end)
	}
	text = strings.TrimSuffix(text, ".")
	if first, rest, ok := strings.Cut(text, " "); ok && strings.EqualFold(first, name) {
		text = rest
	}
	if strings.HasPrefix(text, "Usage") {
		return ""
	}
	if len(text) <= most {
		return text
	}
	if at := strings.LastIndex(text[:most], ", "); at > most/2 {
		return text[:at]
	}
	return text[:max(strings.LastIndex(text[:most], " "), 1)] + " ..."
}

// Contents are a program's own words about its build.
type Contents struct {
	Ours    bool   // it is a program of migbsp
	Library string // its MPI, "" if it has none
}

// Look asks a program for its build.
func Look(ctx context.Context, path string) Contents {
	text, err := ask(ctx, path, "-version")
	first, rest, _ := strings.Cut(text, "\n")
	if err != nil || !strings.Contains(first, " (migbsp) ") {
		return Contents{}
	}
	c := Contents{Ours: true}
	for line := range strings.Lines(rest) {
		if library, ok := strings.CutPrefix(line, "MPI: "); ok {
			c.Library = strings.TrimSpace(library)
		}
	}
	return c
}
