package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/migbsp/migbsp/internal/cli"
	"github.com/migbsp/migbsp/internal/testrun"
	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/tell/live/livetest"
)

// builtTool returns the tool as users have it.
func builtTool(t *testing.T) string {
	t.Helper()
	return filepath.Join(testrun.Build(t, "", "./cmd/migbsp"), "migbsp")
}

// parts returns the lines of a record up to some supersteps, and up to its end.
func parts(s livetest.Story, upTo ...int) [][]byte {
	var all [][]byte
	var part []byte
	step := 0
	for line := range bytes.Lines(s.Record()) {
		if bytes.HasPrefix(line, []byte(`{"type":"superstep"`)) {
			step++
			if len(all) < len(upTo) && step > upTo[len(all)] {
				all = append(all, part)
				part = nil
			}
		}
		part = append(part, line...)
	}
	return append(all, part)
}

func appendTo(t *testing.T, name string, text []byte) {
	t.Helper()
	f := must.Get(os.OpenFile(name, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o666))(t)
	defer f.Close()
	must.Get(f.Write(text))(t)
}

// within reports whether a screen fits into width columns and height lines.
func within(shown string, width, height int) bool {
	lines := strings.Split(shown, "\n")
	for _, l := range lines {
		if len([]rune(l)) > width {
			return false
		}
	}
	return len(lines) <= height
}

// A user watches a run from before it begins to after its end.
func TestTopOnATerminal(t *testing.T) {
	p := livetest.NewPane(t, 80, 24)
	tool := builtTool(t)
	dir := filepath.Join(t.TempDir(), "run")
	record := filepath.Join(dir, ledger.RecordName)
	story := livetest.Story{Seed: 1, Steps: 300, Ranks: 40, Sets: 2, Procs: 2, Every: 16}
	text := parts(story, 120, 200)

	p.Type("echo before'' top")
	p.Type(tool + " top -interval 50ms " + dir)
	p.Shows("waiting for", "no such file or directory yet")
	must.Do(t, os.Mkdir(dir, 0o777))
	p.Shows("there is no run.jsonl in this directory yet")
	appendTo(t, record, text[0])
	p.Shows("running", "superstep 120", "40 ranks", "SET", "siteA", "CALL AT", "q quit")
	appendTo(t, record, text[1])
	p.Shows("superstep 200", "67%")

	p.Press("r")
	p.Shows("RANK", "node000", "1-9 of 40")
	p.Press("PageDown")
	p.Shows("9-17 of 40")
	p.Press("G")
	p.Shows("32-40 of 40")
	p.Press("k")
	p.Shows("31-39 of 40")
	p.Press("s")
	p.Shows("WHERE", "lu.go:100")
	p.Press("c")
	p.Shows("none: no potential is above 0")
	p.Press("w")
	p.Shows("whole run")
	p.Press("?")
	p.Shows("parallel efficiency", "? back")
	p.Press("?", "e", "w")
	p.Shows("SET", "last 60 supersteps")

	for _, size := range [][2]int{{40, 12}, {20, 5}, {120, 40}, {60, 10}, {80, 24}} {
		p.Resize(size[0], size[1])
		p.Until(fmt.Sprint("fitting into ", size), func(shown string) bool {
			lines := strings.Split(shown, "\n")
			return within(shown, size[0], size[1]) && len(lines) == size[1] && strings.Contains(lines[size[1]-1], "q quit") && strings.Contains(shown, "superstep 200") &&
				strings.Contains(shown, "calls") == (size[0] >= 60)
		})
	}
	p.Resize(15, 4)
	p.Shows("too small", "needs 20x5")
	p.Resize(80, 24)

	p.Press("p")
	p.Shows("PAUSED")
	appendTo(t, record, text[2])
	p.Press("r", "e")
	if shown := p.Shows("PAUSED", "SET"); !strings.Contains(shown, "superstep 200") {
		t.Errorf("while it was paused it went on:\n%s", shown)
	}
	p.Press("p")
	p.Shows("superstep 300", "ended with code 0", "PASSED")
	p.Press("q")
	p.IsUsable("before top")
}

// Stopped and continued, the view gives the terminal back and takes it again.
func TestTopIsSuspended(t *testing.T) {
	p := livetest.NewPane(t, 80, 24)
	tool := builtTool(t)
	record := filepath.Join(t.TempDir(), ledger.RecordName)
	appendTo(t, record, livetest.Story{Seed: 1, Steps: 30, Ranks: 4, Sets: 2, Procs: 2, Open: true}.Record())
	p.Type("echo before'' top")
	p.Type(tool + " top " + record)
	for range 2 {
		p.Shows("superstep 30", "q quit")
		p.Press("C-z")
		p.Shows("before top", "Stopped")
		p.IsUsable("")
		p.Type("echo before'' top")
		p.Type("fg")
	}
	p.Shows("superstep 30", "q quit")
	p.Press("C-c")
	p.IsUsable("before top")
}

// Any end of the view restores the terminal and is reported by the exit code.
func TestTopIsEnded(t *testing.T) {
	p := livetest.NewPane(t, 200, 24)
	tool := builtTool(t)
	dir := t.TempDir()
	record, foreign, number := filepath.Join(dir, ledger.RecordName), filepath.Join(dir, "foreign"), filepath.Join(dir, "pid")
	appendTo(t, record, livetest.Story{Seed: 1, Steps: 30, Ranks: 4, Sets: 2, Procs: 2, Open: true}.Record())
	for _, c := range []struct {
		name string
		end  func(pid int)
		code int
	}{
		{"q", func(int) { p.Press("q") }, 0},
		{"interrupt", func(pid int) { syscall.Kill(pid, syscall.SIGINT) }, 130},
		{"terminate", func(pid int) { syscall.Kill(pid, syscall.SIGTERM) }, 143},
		{"hang up", func(pid int) { syscall.Kill(pid, syscall.SIGHUP) }, 129},
		{"quit", func(pid int) { syscall.Kill(pid, syscall.SIGQUIT) }, 131},
		{"not a record any more", func(int) {
			if err := os.WriteFile(record, []byte("something else, and this is a line\n"), 0o666); err != nil {
				t.Error(err)
			}
		}, 1},
	} {
		p.Type("echo before'' top")
		p.Type(fmt.Sprintf("sh -c 'echo $$ > %s; exec %s top -interval 50ms %s'; echo code $?", number, tool, record))
		p.Shows("superstep 30", "q quit")
		text := must.Get(os.ReadFile(number))(t)
		pid := must.Get(strconv.Atoi(strings.TrimSpace(string(text))))(t)
		c.end(pid)
		p.Shows("before top", fmt.Sprintf("code %d", c.code))
		p.IsUsable("")
	}
	p.Type("clear")
	appendTo(t, foreign, []byte("#!/bin/sh\n"))
	p.Type(tool + " top " + foreign + "; echo code $?")
	p.Shows("is not the head of a record", "code 1")
	p.IsUsable("")
}

// Without a terminal the state is printed once.
func TestTopPrints(t *testing.T) {
	t.Setenv("LC_ALL", "C")
	dir := t.TempDir()
	record := filepath.Join(dir, ledger.RecordName)
	whole := livetest.Story{Seed: 1, Steps: 100, Ranks: 4, Sets: 2, Procs: 2, Every: 16, Emulated: true}.Record()
	for _, c := range []struct {
		name string
		text []byte
		args []string
		code int
		out  []string
		err  string
	}{
		{"ended", whole, nil, cli.ExitOK, []string{"EMULATED  ended with code 0", "superstep 100", "SET ", "CALL AT"}, ""},
		{"a table", whole, []string{"-table", "ranks"}, cli.ExitOK, []string{"RANK ", "node001"}, ""},
		{"once", whole, []string{"-once", "-color", "always"}, cli.ExitOK, []string{"\x1b[33mEMULATED"}, ""},
		{"cut off", whole[:len(whole)-9], nil, cli.ExitOK, []string{"running", "superstep 100", "ends within an entry"}, ""},
	} {
		must.Do(t, os.WriteFile(record, c.text, 0o666))
		code, out, err := call(t, "", append([]string{"top", dir}, c.args...)...)
		if code != c.code || !strings.Contains(err, c.err) || (c.err == "") != (err == "") || strings.Count(err, "\n") > 1 {
			t.Errorf("%s: code %d, %q; want %d, %q", c.name, code, err, c.code, c.err)
		}
		must.Have(t, out, c.out...)
	}
	for text, says := range map[string]string{"GIF89a": `:1:1: "GIF89a" is not the head of a record of migbsp`, `{"type":"run","schema":"migbsp.run/9"}` + "\n": "written by a newer migbsp"} {
		must.Do(t, os.WriteFile(record, []byte(text), 0o666))
		refuses(t, "top "+dir, []refusal{
			{"", cli.ExitFailed, says},
			{"-interval 0s", cli.ExitUsage, "-interval 0s is not from 50ms to 1h0m0s"},
			{"-table x", cli.ExitUsage, `there is no "x"`},
		})
	}
	refuses(t, "top", []refusal{{filepath.Join(dir, "no"), cli.ExitFailed, "no such file or directory"}})
}
