//go:build linux

package main

import (
	"bufio"
	"io"
	"os"
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

// A host that is cut off, stopped or crashed is reported with its ranks, once. The other ranks end,
// and then the launcher, which would wait for the host. migbsp run prints no other messages of the
// launcher about it, also if the launcher ends before the loss is known. Both leave no files, except
// the loss in the record.
func TestLostHost(t *testing.T) {
	found := launchers(t)
	if len(found[0]) > 0 {
		skip(t, "the program is built for Open MPI")
	}
	t.Parallel()
	const program = "./bsplib/testdata/patient"
	openMPI := filepath.Join(testrun.Build(t, "mpi", program), "patient")
	mpich := ""
	if len(found) > 1 {
		mpich = filepath.Join(testrun.BuildWith(t, settings(t, "mpicc.mpich"), "mpi", program), "patient")
	}
	tool := filepath.Join(testrun.Build(t, "", "./cmd/migbsp"), "migbsp")
	const cut = "for i in /sys/class/net/*; do ip link set ${i##*/} down; done"
	mpirun := []string{"mpirun", openMPI}
	byTool := func(launcher, options, patient string) []string {
		return []string{"exec", "near1", "env", "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", "TMPDIR=TEMPORARY",
			tool, "run", "-on", "/run/TESTBED/hosts", "-ssh", "/run/TESTBED/agent", "-launcher", launcher, "-launcher-args", options, patient}
	}
	withOpenMPI := byTool("mpirun.openmpi", "--bind-to none --mca pml ob1 --mca btl self,tcp --mca btl_tcp_if_include eth0 --mca oob_tcp_if_include eth0", openMPI)
	withMPICH := byTool("mpiexec.hydra", "-iface eth0", mpich)
	const gone = "(connection closed|ended by signal 9 .killed.)"
	for _, c := range []struct {
		name, happens, seen string
		by                  []string
	}{
		{"cut off", cut, "no answer for 1[0-9] s", mpirun},
		{"still", standStill, "no answer for 1[0-9] s", mpirun},
		{"gone", "", gone, mpirun},
		{"cut off from migbsp run", cut, "no answer for 1[0-9] s", withOpenMPI},
		{"gone from migbsp run", "", gone, withOpenMPI},
		{"gone from migbsp run with MPICH", "", gone, withMPICH},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.by[len(c.by)-1] == "" {
				skip(t, "needs MPICH")
			}
			beside(t)
			bringUp(t, two)
			temporary, record := t.TempDir(), filepath.Join(t.TempDir(), "record")
			// Without moves: this host is slow, and its ranks would soon take no part.
			run := testbed(t, append(slices.Clone(c.by), "-pause", "5ms", "-start", "blocks", "-balance", "off", "-run-dir", record)...)
			for i := range run.Args {
				run.Args[i] = strings.NewReplacer("TESTBED", name(t), "TEMPORARY", temporary).Replace(run.Args[i])
			}
			var said testrun.Buffer
			run.Stderr = &said
			run.WaitDelay = 10 * time.Second // a process that the launcher leaves may hold the pipes
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
			switch c.happens {
			case "":
				succeeds(t, "crash", "far1")
			case cut:
				succeeds(t, "exec", "far1", "sh", "-c", cut+"; ! ip -o link show up | grep -q .")
			default:
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
			text, code := said.String(), run.ProcessState.ExitCode()
			want := regexp.MustCompile(`(?m)^patient: rank[-s0-9 ]+ on far1 (is|are) lost: ` + c.seen + ` in superstep \d+, after stage \d+ of stage loop 0; there is no checkpoint`)
			if !want.MatchString(text) || strings.Count(text, " lost: ") != 1 {
				t.Errorf("it says\n%s\nwant a line like %v", text, want)
			}
			if !strings.Contains(string(must.Get(os.ReadFile(filepath.Join(record, "losses.json")))(t)), `"host": "far1"`) {
				t.Error("the record has no loss of far1")
			}
			if c.by[0] != "exec" {
				return
			}
			if code != 200 || strings.Contains(text, "ignal: ") || strings.Contains(text, "by signal 15") || strings.Contains(text, "[mpiexec@") {
				t.Errorf("code %d, it says\n%s", code, text)
			}
			// Open MPI leaves a directory of its own if it is ended.
			for _, file := range must.Get(os.ReadDir(temporary))(t) {
				if !strings.HasPrefix(file.Name(), "ompi.") {
					t.Errorf("%s is left", file.Name())
				}
			}
		})
	}
}

// standStill stops the run's processes on the host where it is called. Hosts see each other's
// processes, and recognise their own by the network namespace.
const standStill = `here=$(readlink /proc/self/ns/net)
for p in /proc/[0-9]*; do
	[ "$(readlink $p/ns/net)" = "$here" ] || continue
	case $(readlink $p/exe) in */patient | */orted | */prted) kill -STOP ${p##*/} ;; esac
done`
