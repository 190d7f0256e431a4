package doctor

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/migbsp/migbsp/cmd/migbsp/launch"
	"github.com/migbsp/migbsp/probe"
	"github.com/migbsp/migbsp/probe/survey"
)

// bare returns a machine with an empty PATH and no readable system files.
func bare() *System {
	absent := errors.New("not here")
	return &System{
		Platform: "plan9/386",
		Self:     "/tmp/migbsp",
		Version:  "v1.0.0",
		RealPath: func(name string) (string, error) { return name, nil },
		Files:    fstest.MapFS{},
		ReadFile: func(name string) ([]byte, error) {
			return nil, &os.PathError{Op: "open", Path: name, Err: os.ErrNotExist}
		},
		Getenv: func(string) string { return "" },
		Machine: launch.Machine{
			LookPath: func(string) (string, error) { return "", absent },
			Run:      func(string, ...string) (string, error) { return "", absent },
		},
		Launched: func() (int, string) { return 0, "" },
		Space:    func(string) (int64, int64, error) { return 0, 0, absent },
		Clock:    func() (probe.Clock, error) { return probe.Clock{}, probe.ErrNoThreadClock },
		Load:     func() (survey.Load, error) { return survey.Load{}, absent },
		Memory:   func() probe.Memory { return probe.Memory{Space: probe.Unlimited, Locked: probe.Unlimited} },
		Links:    func() ([]survey.Interface, error) { return nil, absent },
	}
}

// programs puts programs on the path of a machine. says maps "name arguments" to the output of a
// call, which begins with "!" if the call fails.
func (s *System) programs(says map[string]string) *System {
	s.LookPath = func(name string) (string, error) {
		for call := range says {
			if program, _, _ := strings.Cut(call, " "); program == name {
				return "/bin/" + name, nil
			}
		}
		return "", errors.New("not on PATH")
	}
	s.Run = func(name string, args ...string) (string, error) {
		text, known := says[strings.Join(append([]string{name}, args...), " ")]
		if text, fails := strings.CutPrefix(text, "!"); fails || !known {
			return text, errors.New("exit status 1")
		}
		return text, nil
	}
	return s
}

func (s *System) environment(values map[string]string) *System {
	s.Getenv = func(key string) string { return values[key] }
	return s
}

// expect compares findings with lines "level found > do"; the texts need only contain the expected
// ones.
func expect(t *testing.T, name string, findings []Finding, want ...string) {
	t.Helper()
	var got []string
	for _, f := range findings {
		got = append(got, fmt.Sprintf("%s %s > %s", f.Level, f.Found, f.Do))
	}
	fits := len(got) == len(want)
	for i := 0; fits && i < len(got); i++ {
		level, rest, _ := strings.Cut(want[i], " ")
		found, do, _ := strings.Cut(rest, " > ")
		fits = string(findings[i].Level) == level && strings.Contains(findings[i].Found, found) && strings.Contains(findings[i].Do, do)
	}
	if !fits {
		t.Errorf("%s:\n got %s\nwant %s", name, strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
}
