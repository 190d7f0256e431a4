//go:build linux

package main

import (
	"bufio"
	"io"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/migbsp/migbsp/internal/testrun"
)

// A host that is cut off, stands still or is gone is named with its ranks, and the others
// end.
func TestLostHost(t *testing.T) {
	found := launchers(t)
	if len(found[0]) > 0 {
		skip(t, "the program is built for Open MPI")
	}
	patient := filepath.Join(testrun.Build(t, "mpi", "./bsplib/testdata/patient"), "patient")
	for _, c := range []struct{ name, happens, seen string }{
		{"cut off", "for i in /sys/class/net/*; do ip link set ${i##*/} down; done", "no answer for 1[0-9] s"},
		{"still", standStill, "no answer for 1[0-9] s"},
		{"gone", "", "(connection closed|ended by signal 9 .killed.)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			bringUp(t, two)
			// Without moves: this host is slow, and its ranks would soon take no part.
			run := exec.Command(program, "mpirun", patient, "-pause", "5ms", "-balance", "off")
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
				must(t, "crash", "far1")
			} else {
				on := exec.Command(program, "exec", "far1", "sh", "-c", c.happens) // which may stand still too
				if err := on.Start(); err != nil {
					t.Fatal(err)
				}
				defer on.Wait()
				defer on.Process.Kill()
			}
			go io.Copy(io.Discard, lines)
			for end := time.Now().Add(time.Minute); !strings.Contains(said.String(), " lost: ") && time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
			}
			time.Sleep(2 * time.Second) // in which nobody else says so
			// The launcher may wait for the host much longer.
			run.Process.Signal(syscall.SIGTERM)
			want := regexp.MustCompile(`(?m)^patient: rank[-s0-9 ]+ on far1 (is|are) lost: ` + c.seen + ` in superstep \d+, after stage \d+ of stage loop 0; there is no checkpoint`)
			if text := said.String(); !want.MatchString(text) || strings.Count(text, " lost: ") != 1 {
				t.Errorf("it says\n%s\nwant a line like %v", text, want)
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
