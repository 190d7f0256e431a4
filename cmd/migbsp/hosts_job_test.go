package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/cli"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// jobVariables are all that the command may read of the environment.
var jobVariables = []string{
	"MIGBSP_HOSTS", "MIGBSP_SETS", "SLURM_JOB_NODELIST", "SLURM_NODELIST", "SLURM_TASKS_PER_NODE", "SLURM_JOB_CPUS_PER_NODE",
	"SLURM_STEP_NODELIST", "SLURM_STEP_TASKS_PER_NODE", "SLURM_HET_SIZE", "SLURM_PACK_SIZE", "PBS_NODEFILE", "LSB_MCPU_HOSTS", "LSB_HOSTS",
	"LSB_DJOB_HOSTFILE", "PE_HOSTFILE",
}

// inJob sets the environment of a job, from "NAME=value" words.
func inJob(t *testing.T, variables ...string) {
	t.Helper()
	for _, name := range jobVariables {
		t.Setenv(name, "")
	}
	for _, one := range variables {
		name, value, _ := strings.Cut(one, "=")
		t.Setenv(name, value)
	}
}

// file writes a file for a test.
func file(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	must.Do(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func TestHostsOfAJob(t *testing.T) {
	inJob(t, "SLURM_JOB_NODELIST=n[1-3]", "SLURM_TASKS_PER_NODE=2(x2),1")
	for to, want := range map[string]string{
		"ompi":     "# hosts: SLURM_JOB_NODELIST and SLURM_TASKS_PER_NODE\nn1 slots=2\nn2 slots=2\nn3 slots=1\n",
		"hydra":    "# hosts: SLURM_JOB_NODELIST and SLURM_TASKS_PER_NODE\nn1:2\nn2:2\nn3:1\n",
		"slurm":    "# hosts: SLURM_JOB_NODELIST and SLURM_TASKS_PER_NODE\nn1\nn1\nn2\nn2\nn3\n",
		"nodelist": "n[1-3]\n",
	} {
		for _, from := range []string{"env", "slurm"} {
			if out := prints(t, "hosts", "-from", from, "-to", to); out != want {
				t.Errorf("%s to %s: got\n%s\nwant\n%s", from, to, out, want)
			}
		}
	}
	if d := described(t, "", "-from", "env"); d.File != "SLURM_JOB_NODELIST" || d.Job != "SLURM_JOB_NODELIST and SLURM_TASKS_PER_NODE" || d.SetsBy != "one Set for all hosts" {
		t.Errorf("%+v", d)
	}
	must.Have(t, prints(t, "hosts", "-from", "env"), " Hosts: SLURM_JOB_NODELIST and SLURM_TASKS_PER_NODE.\n")
}

func TestHostsOfOtherBatchSystems(t *testing.T) {
	const want = "a slots=2\nb slots=1\n"
	for _, c := range []struct{ system, variable, text string }{
		{"pbs", "PBS_NODEFILE", "a\nb\na\n"},
		{"sge", "PE_HOSTFILE", "a 2 all.q@a UNDEFINED\nb 1 all.q@b UNDEFINED\n"},
		{"lsf", "LSB_DJOB_HOSTFILE", "a\na\nb\n"},
	} {
		path := file(t, c.text)
		inJob(t, c.variable+"="+path)
		for _, from := range []string{"env", c.system} {
			if _, out, err := call(t, "", "hosts", "-from", from, "-to", "ompi"); out != "# hosts: "+c.variable+"="+path+"\n"+want || err != "" {
				t.Errorf("%s: %q, %q", from, out, err)
			}
		}
		inJob(t)
		for _, from := range []string{"auto", c.system} {
			if _, out, err := call(t, c.text, "hosts", "-from", from, "-to", "ompi", "-"); out != want || err != "" {
				t.Errorf("%s: %q, %q", from, out, err)
			}
		}
		if code, out, err := call(t, "", "hosts", "-from", c.system); code != cli.ExitFailed || out != "" ||
			err != "migbsp hosts: the environment is not that of a job of "+c.system+": no job of Slurm, PBS, LSF or SGE in the environment\n" {
			t.Errorf("%s: code %d, %q, %q", c.system, code, out, err)
		}
	}
}

func TestWhoNamesTheSets(t *testing.T) {
	sets := file(t, "#@set X nodes=a\n#@set Y nodes=b\n")
	topology := file(t, "SwitchName=X Nodes=a\nSwitchName=Y Nodes=b\n")
	const divided = "#@set X\na slots=2\n#@set Y\nb slots=1\n"
	for _, c := range []struct {
		name        string
		variables   []string
		in          string
		args        []string
		want        string
		origin, err string
	}{
		{"lines", []string{"MIGBSP_SETS=P=a,b"}, divided, nil, divided, "#@set lines of standard input", ""},
		{"-sets", []string{"MIGBSP_SETS=P=a,b"}, "#@set Q\na:2\nb\n", []string{"-sets", sets}, "# Sets: -sets file\n" + divided, "-sets file", ""},
		{"-sets, topology", nil, "a:2\nb\n", []string{"-sets", topology}, "# Sets: -sets file\n" + divided, "-sets file", ""},
		{"-sets, in place", nil, "a:2\nb\n", []string{"-sets", "X=a;Y=b"}, "# Sets: -sets\n" + divided, "-sets", ""},
		{"variable", []string{"MIGBSP_SETS=X=a;Y=b"}, "a:2\nb\n", nil, "# Sets: MIGBSP_SETS\n" + divided, "MIGBSP_SETS", ""},
		{"components", []string{"SLURM_HET_SIZE=2", "SLURM_JOB_NODELIST_HET_GROUP_0=a", "SLURM_JOB_NODELIST_HET_GROUP_1=b"}, "a:2\nb\n", nil,
			"# Sets: het groups of the Slurm job\n" + strings.NewReplacer("X", "het0", "Y", "het1").Replace(divided), "het groups of the Slurm job", ""},
		{"none", nil, "a:2\nb\n", nil, "a slots=2\nb slots=1\n", "one Set for all hosts", ""},
		{"topology as hosts", nil, "SwitchName=X Nodes=a\nSwitchName=Y Nodes=b\n", []string{"-from", "topology"}, strings.Replace(divided, "=2", "=1", 1), "switches of standard input", ""},
		{"topology, guessed", nil, "SwitchName=X Nodes=a\nSwitchName=Y Nodes=b\n", nil, strings.Replace(divided, "=2", "=1", 1), "switches of standard input", ""},
		{"host without slots", nil, "a slots=2\nb\nc slots=0\n", []string{"-sets", "X=a;Y=b"}, "# Sets: -sets\n" + divided, "-sets",
			"migbsp hosts: warning: host c has no slots, and so is in no Set: left out\n"},
		{"host in no Set", nil, "a:2\nb\n", []string{"-sets", "X=a"}, "# Sets: -sets\n#@set X\na slots=2\n#@set default\nb slots=1\n", "-sets",
			"migbsp hosts: warning: -sets: no Set has host b (rank 2); in Set default\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			inJob(t, c.variables...)
			args := append(c.args, "-")
			code, out, err := call(t, c.in, append([]string{"hosts", "-to", "ompi"}, args...)...)
			if code != cli.ExitOK || out != c.want || err != c.err {
				t.Errorf("code %d, %q, got\n%s\nwant\n%s", code, err, out, c.want)
			}
			if d := described(t, c.in, args...); d.SetsBy != c.origin {
				t.Errorf("Sets by %q, want %q", d.SetsBy, c.origin)
			}
			if _, out, _ := call(t, c.in, append([]string{"hosts"}, args...)...); !strings.Contains(out, " Sets: "+c.origin+".\n") {
				t.Errorf("no %q in\n%s", c.origin, out)
			}
		})
	}
}

func TestHostsRefuses(t *testing.T) {
	for _, c := range []struct {
		variables []string
		in        string
		args      []string
		code      int
		want      string
	}{
		{nil, "", nil, cli.ExitUsage, "FILE is missing, and MIGBSP_HOSTS names none (see migbsp hosts -help)"},
		{nil, "a slots=x\n", []string{"-"}, cli.ExitFailed, "standard input:1:9: slots=\"x\", expected a number from 0 to 65536"},
		{nil, "a\n#@set s\nb\n", []string{"-strict", "-"}, cli.ExitFailed, "standard input:1:1: host a in no Set, expected a #@set above it or with it in nodes="},
		{nil, "", []string{"nowhere"}, cli.ExitFailed, "nowhere: no such file or directory"},
		{nil, "a slots=0\nb\n", []string{"-to", "hydra", "-"}, cli.ExitFailed, "host a has no slots, which hydra cannot say: leave it out"},
		{nil, "[fe80::1] slots=2\n", []string{"-to", "hydra", "-"}, cli.ExitFailed, "host fe80::1: hydra takes what follows the first colon for a count; use a name"},
		{nil, "", []string{"-from", "env"}, cli.ExitFailed, "no job of Slurm, PBS, LSF or SGE in the environment"},
		{nil, "", []string{"-from", "env", "x"}, cli.ExitUsage, "-from env reads the environment, not x (see migbsp hosts -help)"},
		{[]string{"SLURM_JOB_NODELIST=n[1-2"}, "", []string{"-from", "env"}, cli.ExitFailed, "SLURM_JOB_NODELIST:1:2: bracket that nothing closes, expected ] after the numbers"},
		{[]string{"PBS_NODEFILE=/nowhere/f"}, "", []string{"-from", "pbs"}, cli.ExitFailed, "PBS_NODEFILE: /nowhere/f: no such file or directory (batch systems have it on the first host of a job only)"},
		{[]string{"MIGBSP_SETS=X=a[1"}, "a\n", []string{"-"}, cli.ExitFailed, "MIGBSP_SETS:1:4: bracket that nothing closes, expected ] after the numbers"},
		{nil, "a\nb\n", []string{"-sets", "X=a;Y=a", "-"}, cli.ExitFailed, "-sets:1:7: host a in Set Y, which line 1 puts into Set X, expected each host in one Set"},
		{nil, "a\nb\n", []string{"-sets", "X=a", "-strict", "-"}, cli.ExitFailed, "standard input:2:1: host b in no Set, expected it in -sets"},
		{[]string{"MIGBSP_SETS=X=a"}, "a\nb\n", []string{"-strict", "-"}, cli.ExitFailed, "standard input:2:1: host b in no Set, expected it in MIGBSP_SETS"},
		{nil, "a,b\n", []string{"-from", "ompi", "-"}, cli.ExitFailed, "standard input:1:2: ',' in the name of a host, expected letters, digits, - _ . or numbers in brackets"},
		{nil, "", []string{"-from", "nqs", "-"}, cli.ExitUsage, `invalid value "nqs" for flag -from: there is no "nqs"; there are auto, ompi, hydra, slurm, pbs, lsf, sge, topology, env (see migbsp hosts -help)`},
	} {
		inJob(t, c.variables...)
		if code, out, err := call(t, c.in, append([]string{"hosts"}, c.args...)...); code != c.code || out != "" || err != "migbsp hosts: "+c.want+"\n" {
			t.Errorf("%v: code %d, %q\n got %s\nwant migbsp hosts: %s", c.args, code, out, err, c.want)
		}
	}
}
