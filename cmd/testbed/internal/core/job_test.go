//go:build linux

package core

import (
	"io"
	"os"
	"os/exec"
	"slices"
	"testing"

	"github.com/migbsp/migbsp/cmd/testbed/internal/control"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// Jobs are known by a whole number, not by how it begins.
func TestProcessesOfAJob(t *testing.T) {
	command := exec.Command("cat")
	command.Env = append(os.Environ(), control.Mark+"=4711")
	in := must.Get(command.StdinPipe())(t)
	out := must.Get(command.StdoutPipe())(t)
	must.Do(t, command.Start())
	io.WriteString(in, "x")
	io.ReadFull(out, make([]byte, 1)) // then it is cat and no longer this program
	for number, want := range map[int]bool{4711: true, 471: false, 47110: false} {
		j := &job{number: number}
		if got := slices.Contains(processes(j.has), command.Process.Pid); got != want {
			t.Errorf("in job %d: %v", number, got)
		}
	}
	if !killAll((&job{number: 4711}).has) {
		t.Error("it was not killed")
	}
	if err := command.Wait(); err == nil {
		t.Error("it ended by itself")
	}
}

func TestProcessors(t *testing.T) {
	if got := joinProcessors([]int{4, 7, 4}); got != "4,7" {
		t.Errorf("written as %s", got)
	}
	got, err := ParseProcessors([]string{"4,7"})
	if err != nil || !slices.Equal(got, []int{4, 7}) {
		t.Errorf("read as %v, %v", got, err)
	}
	for _, arguments := range [][]string{nil, {"x"}, {"1", "2"}, {""}} {
		if got, err := ParseProcessors(arguments); err == nil {
			t.Errorf("%q is read as %v", arguments, got)
		}
	}
}
