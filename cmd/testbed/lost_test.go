//go:build linux

package main

import (
	"bufio"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/migbsp/migbsp/internal/testrun"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// A host that is cut off, stands still or is gone is named with its ranks, and the others
// end, and then the launcher, which would wait for the host. What it says of that is not
// shown by migbsp run.
func TestLostHost(t *testing.T) {
	found := launchers(t)
	if len(found[0]) > 0 {
		skip(t, "the program is built for Open MPI")
	}
	t.Parallel()
	patient := filepath.Join(testrun.Build(t, "mpi", "./bsplib/testdata/patient"), "patient")
	tool := filepath.Join(testrun.Build(t, "", "./cmd/migbsp"), "migbsp")
	const cut = "for i in /sys/class/net/*; do ip link set ${i##*/} down; done"
	mpirun := []string{"mpirun"}
	byTool := []string{"exec", "near1", "env", "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
		tool, "run", "-on", "/run/TESTBED/hosts", "-ssh", "/run/TESTBED/agent", "-launcher", "mpirun.openmpi",
		"-launcher-args", "--bind-to none --mca pml ob1 --mca btl self,tcp --mca btl_tcp_if_include eth0 --mca oob_tcp_if_include eth0"}
	for _, c := range []struct {
		name, happens, seen string
		by                  []string
	}{
		{"cut off", cut, "no answer for 1[0-9] s", mpirun},
		{"still", standStill, "no answer for 1[0-9] s", mpirun},
		{"gone", "", "(connection closed|ended by signal 9 .killed.)", mpirun},
		{"cut off from migbsp run", cut, "no answer for 1[0-9] s", byTool},
	} {
		t.Run(c.name, func(t *testing.T) {
			beside(t)
			bringUp(t, two)
			// Without moves: this host is slow, and its ranks would soon take no part.
			run := testbed(t, append(slices.Clone(c.by), patient, "-pause", "5ms", "-balance", "off")...)
			for i := range run.Args {
				run.Args[i] = strings.ReplaceAll(run.Args[i], "TESTBED", name(t))
			}
			var said testrun.Buffer
			run.Stderr = &said
			out, err := run.StdoutPipe()
			if err == nil {
				err = run.Start()
			}
			if err != nil {
				t.Fatal(err)
			}
			defer run.Process.Kill()
			lines := bufio.NewReader(out)
			if line, err := lines.ReadString('\n'); line != "ready\n" {
				t.Fatalf("it says %q, %v\n%s", line, err, said.String())
			}
			time.Sleep(3 * time.Second)
			if c.happens == "" {
				succeeds(t, "crash", "far1")
			} else {
				on := testbed(t, "exec", "far1", "sh", "-c", c.happens) // which may stand still too
				must.Do(t, on.Start())
				defer on.Wait()
				defer on.Process.Kill()
			}
			go io.Copy(io.Discard, lines)
			hanging := time.AfterFunc(3*time.Minute, func() {
				t.Error("the launcher does not end")
				run.Process.Signal(syscall.SIGTERM)
			})
			run.Wait()
			hanging.Stop()
			want := regexp.MustCompile(`(?m)^patient: rank[-s0-9 ]+ on far1 (is|are) lost: ` + c.seen + ` in superstep \d+, after stage \d+ of stage loop 0; there is no checkpoint`)
			if text := said.String(); !want.MatchString(text) || strings.Count(text, " lost: ") != 1 {
				t.Errorf("it says\n%s\nwant a line like %v", text, want)
			}
			if text, code := said.String(), run.ProcessState.ExitCode(); c.by[0] == "exec" && (code != 200 || strings.Contains(text, "Signal: ")) {
				t.Errorf("code %d, it says\n%s", code, text)
			}
		})
	}
}

// standStill stops what the run has on the host where it is called. Hosts see each other's
// processes, and tell theirs by the network.
const standStill = `here=$(readlink /proc/self/ns/net)
for p in /proc/[0-9]*; do
	[ "$(readlink $p/ns/net)" = "$here" ] || continue
	case $(readlink $p/exe) in */patient | */orted | */prted) kill -STOP ${p##*/} ;; esac
done`
