//go:build linux

package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/cmd/testbed/internal/control"
	"github.com/migbsp/migbsp/cmd/testbed/internal/network"
	"github.com/migbsp/migbsp/cmd/testbed/internal/slurm"
	"github.com/migbsp/migbsp/internal/testrun"
)

// The tool starts ranks over the testbed's hosts as over those of a cluster without a
// batch system, with their Sets, and as the tasks of a job where there is one.
func TestRunOnHosts(t *testing.T) {
	beside(t)
	bin := cluster(t)
	lu := filepath.Join(bin, "lu")
	want := testrun.Line(lu, "-n 200 -procs 16 -quiet").Checksum(t)
	// on is the tool on the first host.
	on := func(line string) testrun.Command {
		c := testrun.Line(program, "exec alpha1 "+line)
		c.Env = []string{control.Variable + "=" + short(t)}
		return c
	}
	dir := "/run/" + name(t)
	tool := filepath.Join(bin, "migbsp") + " run "
	over := func(more string) testrun.Command {
		c := on(tool + "-hosts " + dir + "/hosts -ssh " + dir + "/agent -launcher-args")
		c.Words = append(c.Words, "--bind-to none --mca btl self,tcp --mca btl_tcp_if_include "+network.Interface+" --mca oob_tcp_if_include "+network.Interface)
		c.Words = append(c.Words, strings.Fields(more)...)
		return c
	}
	r := over(lu + " -n 200 -procs 16").Run(t)
	if r.Code != 0 || !strings.Contains(r.Out, want) || !strings.Contains(r.Out, "8 ranks in 3 Sets") {
		t.Errorf("over ssh: code %d, want 0, checksum %s and 8 ranks in 3 Sets\n%s%s", r.Code, want, r.Out, r.Err)
	}
	if r := over("-np 3 " + lu + " -n 0").Run(t); r != (testrun.Result{Code: 2, Err: "lu: -n 0: the matrix needs at least one row (see lu -help)\n"}) {
		t.Errorf("a refusal: %+v", r)
	}
	if r := over("/bin/none").Run(t); r.Code != 2 || strings.Count(r.Err, "\n") != 1 {
		t.Errorf("no program: %+v", r)
	}
	if missing := slurm.Missing(); len(missing) > 0 {
		skip(t, "no "+strings.Join(missing, ", "))
	}
	succeeds(t, "slurm", "up")
	c := on("salloc --quiet -p alpha -N 3 -n 3 " + tool + "-np 3 " + lu + " -n 200 -procs 16")
	if r := c.Run(t); r.Code != 0 || !strings.Contains(r.Out, want) || strings.Contains(r.Err, "migbsp run:") {
		t.Errorf("in a job: code %d\n%s%s", r.Code, r.Out, r.Err)
	}
	c = on("salloc --quiet -p alpha -N 3 -n 3 " + tool + "-np 3 " + lu + " -n 0")
	// srun has errors of its own, which --quiet leaves.
	if r := c.Run(t); r.Code != 2 || strings.Count(r.Err, "lu: -n 0") != 1 {
		t.Errorf("a refusal in a job: %+v", r)
	}
}
