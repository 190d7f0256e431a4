package app

import (
	"bytes"
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// A line that is too long is continued below its last column.
func TestHang(t *testing.T) {
	long := strings.TrimSpace(strings.Repeat("word ", 16)) // of 79 columns
	for line, want := range map[string]string{
		"":                "",
		long:              long,
		long + " more":    long + "\nmore",
		"  a    " + long:  "  a    " + long[:69] + "\n       word word",
		"        " + long: "        " + long[:69] + "\n        word word",
	} {
		if got := hang(line); got != want {
			t.Errorf("%q\nbecomes %q\nwant    %q", line, got, want)
		}
	}
}

// Help fits into 80 columns, and loses no word.
func TestHelpFits(t *testing.T) {
	conf := newConfiguration(&Program{About: strings.Repeat("What it does. ", 20) + "\n\n  kept   as it is\n\nThe end."}, &messages{name: "program"})
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	conf.define(flags)
	var help bytes.Buffer
	conf.printHelp(&help, flags)
	printStrategies(&help)
	for line := range strings.Lines(help.String()) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > helpWidth {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	all := strings.Join(strings.Fields(help.String()), " ")
	flags.VisitAll(func(f *flag.Flag) {
		if _, usage := flag.UnquoteUsage(f); !strings.Contains(all, "-"+f.Name+" ") || !strings.Contains(all, usage) {
			t.Errorf("-%s: %s: not in\n%s", f.Name, usage, &help)
		}
	})
	if !strings.Contains(help.String(), "\n  kept   as it is\n\nThe end.\n\nUsage: program") {
		t.Errorf("paragraphs are lost in\n%s", &help)
	}
}

// A program's own flags come first, below its name, then all programs' flags, each once and in a
// group.
func TestHelpGroups(t *testing.T) {
	conf := newConfiguration(new(Program), &messages{name: "program"})
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	flags.Int("zeal", 3, "its own `number`")
	conf.define(flags)
	must.Do(t, flags.Parse([]string{"-zeal", "4", "-procs", "7"}))
	var help bytes.Buffer
	conf.printHelp(&help, flags)
	_, list, _ := strings.Cut(help.String(), "\n\n")
	if want := "Flags of program:\n  -zeal number\n        its own number (default 3)\n\nProcesses, ranks and hosts:\n  -hosts file\n"; !strings.HasPrefix(list, want) {
		t.Errorf("help begins with\n%s\nwant\n%s", list, want)
	}
	flags.VisitAll(func(f *flag.Flag) {
		if n := strings.Count(list, "\n  -"+f.Name+" ") + strings.Count(list, "\n  -"+f.Name+"\n"); n != 1 {
			t.Errorf("-%s is there %d times", f.Name, n)
		}
	})
	conf.own, help = nil, bytes.Buffer{}
	if conf.printHelp(&help, flags); strings.Contains(help.String(), "Flags of program") {
		t.Errorf("a program without flags of its own:\n%s", &help)
	}
}

func TestIntervals(t *testing.T) {
	for _, c := range []struct {
		text   string
		every  time.Duration
		stages int
		bad    bool
	}{
		{"", 0, 0, false}, {"10m", 10 * time.Minute, 0, false}, {"1h30m", 90 * time.Minute, 0, false}, {"100stages", 0, 100, false},
		{"1stage", 0, 1, false}, {"3 stages", 0, 3, false}, {"10", 0, 0, true}, {"0", 0, 0, true}, {"-1m", 0, 0, true}, {"0stages", 0, 0, true},
		{"-2stages", 0, 0, true}, {"stages", 0, 0, true}, {"1.5stages", 0, 0, true}, {"ten minutes", 0, 0, true}, {"9999999999999999999stages", 0, 0, true},
	} {
		every, stages, err := parseInterval(c.text)
		if every != c.every || stages != c.stages || (err != nil) != c.bad || c.bad && !strings.Contains(err.Error(), "expected a time such as 10m") {
			t.Errorf("%q: %v, %d, %v", c.text, every, stages, err)
		}
	}
}

func FuzzInterval(f *testing.F) {
	for _, text := range []string{"", "10m", "100stages", "1stage", "-1m", "0", "1e9stages", " 1 stage"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		every, stages, err := parseInterval(text)
		if every < 0 || stages < 0 || every > 0 && stages > 0 || (err == nil && text != "") != (every > 0 || stages > 0) {
			t.Fatalf("%q: %v, %d, %v", text, every, stages, err)
		}
		again := fmt.Sprintf("%dstages", stages)
		if every > 0 {
			again = every.String()
		}
		if e, s, err := parseInterval(again); (every > 0 || stages > 0) && (err != nil || e != every || s != stages) {
			t.Fatalf("%q again: %v, %d, %v", again, e, s, err)
		}
	})
}
