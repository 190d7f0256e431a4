package bsplib_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
	"github.com/migbsp/migbsp/ledger/tell/live/livetest"
)

func init() {
	mainPrograms["paced"] = func(b *bsplib.Proc, _ *none) error {
		stages := 100
		fmt.Sscan(os.Getenv("PACED_STAGES"), &stages)
		for range b.Stages(stages) {
			time.Sleep(50 * time.Millisecond)
		}
		if b.Pid() == 0 {
			fmt.Println("short")
		}
		return nil
	}
}

// On a terminal a run says how far it is in a line that is gone before anything else is
// there: what the program prints, the account, or how it was ended.
func TestProgressOnATerminal(t *testing.T) {
	bsptest.InProcess(t)
	t.Parallel()
	p := livetest.NewPane(t, 100, 30)
	dir := t.TempDir()
	script := filepath.Join(dir, "paced")
	command := fmt.Sprintf("#!/bin/sh\nexec env %s=paced %s -procs 3 -ranks 2 \"$@\"\n", programEnv, os.Args[0])
	if err := os.WriteFile(script, []byte(command), 0o700); err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`: stage \d+ of \d+, \d+%, [0-9hms]+ to go, efficiency [01]\.\d\d`)
	shows := func(shown string) bool { return line.MatchString(shown) }
	gone := func(shown string) {
		t.Helper()
		if shows(shown) || strings.Contains(shown, "to go") {
			t.Errorf("the line is still there:\n%s", shown)
		}
	}

	p.Type("PACED_STAGES=60 " + script)
	p.Until("a line on progress", shows)
	gone(p.Until("the end", func(shown string) bool {
		return strings.Contains(shown, "\nshort\n") && strings.Contains(shown, "efficiency  ")
	}))

	p.Type("clear; PACED_STAGES=2000 " + script + "; echo code $?")
	p.Until("a line on progress", shows)
	p.Resize(40, 30)
	p.Until("a line of the new width", func(shown string) bool {
		return strings.Contains(shown, ": stage ") && !shows(shown) && within40(shown)
	})
	p.Press("C-c")
	gone(p.Shows("ended by signal 2", "code 130"))
	p.Resize(100, 30)

	for i, c := range []string{script + " -quiet", "TERM=dumb " + script, script + " 2> " + dir + "/said"} {
		p.Type(fmt.Sprintf("clear; PACED_STAGES=70 %s; echo code $? of $((%d + 1))", c, i))
		p.Until("the end of "+c, func(shown string) bool {
			gone(shown)
			return strings.Contains(shown, fmt.Sprintf("code 0 of %d\n", i+1))
		})
	}
	if said, err := os.ReadFile(dir + "/said"); err != nil || strings.ContainsAny(string(said), "\r\x1b") {
		t.Errorf("%v, a file has %q", err, said)
	}
}

// within40 reports whether progress takes one line of 40 columns.
func within40(shown string) bool {
	for line := range strings.Lines(shown) {
		if strings.Contains(line, ": stage ") && len(strings.TrimSpace(line)) > 39 {
			return false
		}
	}
	return true
}
