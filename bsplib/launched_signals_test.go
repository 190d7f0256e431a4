//go:build !mpi && linux

package bsplib_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/migbsp/migbsp/internal/testrun"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// SIGUSR1 may arrive at any time, also within MPI_Init. A run without a checkpoint directory
// continues.
func TestUnderMPIManyRequests(t *testing.T) {
	launcher := testrun.MPI(t)
	program := filepath.Join(testrun.Build(t, "mpi", "./bsplib/testdata/patient"), "patient")
	for range 10 {
		c := launcher.On(2, testrun.Line(program, "-stages 2000 -pause 0s -quiet -balance off"))
		run := exec.Command(c.Words[0], c.Words[1:]...)
		run.Env = append(os.Environ(), "MIGBSP_CONFIG="+os.DevNull, "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
		var said testrun.Buffer
		run.Stderr = &said
		must.Do(t, run.Start())
		hanging := time.AfterFunc(5*time.Minute, func() { run.Process.Kill() })
		ended := make(chan error, 1)
		go func() { ended <- run.Wait() }()
		var err error
		for sent := 0; ; {
			for _, pid := range ranksOf(program) {
				if handles(pid, syscall.SIGUSR1) && syscall.Kill(pid, syscall.SIGUSR1) == nil {
					sent++
				}
			}
			select {
			case err = <-ended:
				hanging.Stop()
			case <-time.After(500 * time.Microsecond):
				continue
			}
			if text := said.String(); err != nil || !strings.Contains(text, "SIGUSR1 asks for a checkpoint") || sent < 10 {
				t.Errorf("%s: %v after %d signals\n%s", c, err, sent, text)
			}
			break
		}
	}
}

// handles reports whether a process has a handler of a signal.
func handles(pid int, s syscall.Signal) bool {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(text)) {
		if caught, found := strings.CutPrefix(line, "SigCgt:"); found {
			mask, err := strconv.ParseUint(strings.TrimSpace(caught), 16, 64)
			return err == nil && mask>>(s-1)&1 == 1
		}
	}
	return false
}
