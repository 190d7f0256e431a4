package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/cli"
	"github.com/migbsp/migbsp/internal/testrun"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// noSettings hides the settings of the user that runs the tests.
func noSettings(t *testing.T) { t.Setenv("MIGBSP_CONFIG", os.DevNull) }

func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	must.Do(t, os.WriteFile(name, []byte(text), 0o755))
	return name
}

func TestSbatchErrors(t *testing.T) {
	noSettings(t)
	for _, c := range []struct{ args, want string }{
		{"", "PROGRAM is missing: give it behind the flags and --"},
		{"-ntasks 4 --", "PROGRAM is missing: give it behind the flags and --"},
		{"-- lu", "how many ranks? give -ntasks or -tasks-per-node, or -partition PARTITION:NODES:TASKS"},
		{"-ntasks -4 -- lu", `invalid value "-4" for flag -ntasks: expected a whole number from 1 to 65535`},
		{"-nodes 0 -- lu", `invalid value "0" for flag -nodes: expected a whole number from 1 to 65535`},
		{"-cpus-per-task 1.5 -- lu", `invalid value "1.5" for flag -cpus-per-task: expected a whole number from 1 to 65535`},
		{"-time 1:70 -- lu", `invalid value "1:70" for flag -time: expected minutes, minutes:seconds, hours:minutes:seconds, days-hours, days-hours:minutes, days-hours:minutes:seconds or UNLIMITED`},
		{"-partition a:2 -- lu", `invalid value "a:2" for flag -partition: "a:2", expected PARTITION or PARTITION:NODES:TASKS, several between commas`},
		{"-mpi none -- lu", `invalid value "none" for flag -mpi: expected pmix, pmi2 or another name of srun --mpi=list; tasks that are started with none do not know each other`},
		{"-array 3-1 -- lu", `invalid value "3-1" for flag -array: expected numbers and ranges such as 0-11, 0-30:10 or 1,3,5-7, and %4 behind it to run 4 at a time`},
		{"-case ' -- lu", `invalid value "'" for flag -case: expected a second '`},
		{"-checkpoint-every soon -- lu", `invalid value "soon" for flag -checkpoint-every: expected a duration such as 10m, a number of stages such as 100stages, or auto`},
		{"-checkpoint-every 0stages -- lu", `invalid value "0stages" for flag -checkpoint-every: expected a duration such as 10m, a number of stages such as 100stages, or auto`},
		{"-account a;b -- lu", `invalid value "a;b" for flag -account: expected a name of letters, digits and _ . @ + -`},
		{"-ntask 4 -- lu", "there is no flag -ntask; did you mean -ntasks?"},
		{"-ntasks 4 -checkpoint c -time 4:00 -- lu", "-time 4:00 is no longer than the warning before its end: 180 s, and Slurm may be 60 s early; give more time or a smaller -warning"},
		{"-site nowhere.toml -print-config", "-site nowhere.toml: stat nowhere.toml: no such file or directory"},
	} {
		refuses(t, "sbatch", []refusal{{c.args, cli.ExitUsage, "migbsp sbatch: " + c.want + " (see migbsp sbatch -help)\n"}})
	}
}

// Arguments that the program would refuse in the job are refused now, for all cases of an array.
// Settings that only the job has are no error. Programs that are not on this machine are not asked.
func TestSbatchChecksTheProgram(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	noSettings(t)
	root := t.TempDir()
	must.Do(t, os.Mkdir(filepath.Join(root, "libexec"), 0o777))
	must.Do(t, os.Rename(testrun.Build(t, "", "./apps/lu"), filepath.Join(root, "libexec/migbsp")))
	t.Setenv("MIGBSP_ROOT", root)
	for _, c := range []struct{ flags, program, refuses string }{
		{"", "lu -leave-drained 3s", "lu: -leave-drained 3s: expected how often to ask"},
		{"", "lu -n x", `lu: invalid value "x" for flag -n`},
		{"", "lu -nn 5", "lu: there is no flag -nn"},
		{"", "lu -balance auto,foo=1", "lu: -balance auto,foo=1: "},
		{"", "lu -n 0 -procs 8", "lu: -n 0: the matrix needs at least one row"},
		{"", filepath.Join(root, "libexec/migbsp/lu") + " 5", `lu: unexpected argument "5"`},
		{"-case -quiet -case -probe=2 ", "lu", "lu: -probe 2: expected a part"},
		{"-module m", "lu -probe 2", "lu: -probe 2: expected a part"},
		{"-checkpoint saved/%j -time 60 -run-dir runs/%j", "lu -n 500 -leave-drained 10s", ""},
		{"", "lu -checkpoint saved/%j -sets fast=a;slow=b -hosts none", ""},
		{"", "other -leave-drained 3s", ""},
		{"", "sh -c true", ""},
	} {
		args := append(append([]string{"sbatch", "-ntasks", "4"}, strings.Fields(c.flags)...), "--")
		code, out, err := call(t, "", append(args, strings.Fields(c.program)...)...)
		want := "migbsp sbatch: the job would fail:\n" + c.refuses
		if c.refuses == "" && (code != cli.ExitOK || err != "" || !strings.HasPrefix(out, "#!/bin/bash\n")) ||
			c.refuses != "" && (code != cli.ExitUsage || out != "" || !strings.HasPrefix(err, want)) {
			t.Errorf("%s -- %s: code %d\n%s%s", c.flags, c.program, code, out, err)
		}
	}
	// The job's program may be another one than the one here.
	t.Setenv("MIGBSP_ROOT", "")
	code, out, err := call(t, "", "sbatch", "-ntasks", "4", "-module", "m", "--", filepath.Join(root, "libexec/migbsp/lu"), "-probe", "2")
	if code != cli.ExitOK || out == "" || !strings.HasPrefix(err, "migbsp sbatch: warning: ") || !strings.Contains(err, "\nlu: -probe 2: ") {
		t.Errorf("of a module: code %d, %s%s", code, out, err)
	}
}

// Words after the program's name are its own, with -- and without it.
func TestSbatchFlagsEndAtTheProgram(t *testing.T) {
	noSettings(t)
	want := prints(t, "sbatch", "-ntasks", "4", "--", "lu", "-nodes", "7", "--", "-help")
	got := prints(t, "sbatch", "-ntasks", "4", "lu", "-nodes", "7", "--", "-help")
	if got != want || !strings.Contains(got, "\n\t\"$program\" -nodes 7 -- -help\n") || strings.Contains(got, "--nodes") {
		t.Error(got)
	}
}

// The script is printed, or written whole.
func TestSbatchOutput(t *testing.T) {
	noSettings(t)
	t.Chdir(t.TempDir())
	_, want, _ := call(t, "", "sbatch", "-ntasks", "4", "--", "lu")
	for _, args := range [][]string{{"-o", "-"}, {"-o", "job.sbatch"}} {
		out := prints(t, append(append([]string{"sbatch", "-ntasks", "4"}, args...), "--", "lu")...)
		if args[1] != "-" {
			text, _ := os.ReadFile("job.sbatch")
			out += string(text)
		}
		if out != want {
			t.Errorf("%v:\n%s", args, out)
		}
	}
	refuses(t, "sbatch", []refusal{{"-ntasks 4 -o no/where -- lu", cli.ExitFailed, "no such file"}})
}

// The directives of scripts, with the numbers of partitions or those of all.
func TestSbatchDirectives(t *testing.T) {
	noSettings(t)
	for _, c := range []struct{ args, want string }{
		{"-ntasks 4 -- ./a'b", `job-name="./a'b" output=%x-%j.out open-mode=append ntasks=4 cpus-per-task=1`},
		{"-nodes 2 -tasks-per-node 3 -cpus-per-task 2 -time 2-12 -account acc -qos low -exclusive -name n -- lu",
			"job-name=n output=%x-%j.out open-mode=append nodes=2 ntasks-per-node=3 cpus-per-task=2 time=2-12 account=acc qos=low exclusive"},
		{"-partition a:1:2,b -ntasks 5 -checkpoint c -warning 60 -- lu",
			"job-name=lu output=%x-%j.out open-mode=append requeue partition=a nodes=1 ntasks=2 cpus-per-task=1 signal=USR1@60 hetjob partition=b ntasks=5 cpus-per-task=1 signal=USR1@60"},
		{"-ntasks 1 -array 0-9%2 -- lu", "job-name=lu array=0-9%2 output=%x-%A_%a.out open-mode=append ntasks=1 cpus-per-task=1"},
		{"-ntasks 1 -case 1 -case 2 -options --mem=4G,-H -- lu", "job-name=lu array=0-1 output=%x-%A_%a.out open-mode=append ntasks=1 cpus-per-task=1 mem=4G,-H"},
	} {
		out := prints(t, strings.Fields("sbatch "+c.args)...)
		var got []string
		for line := range strings.Lines(out) {
			if option, is := strings.CutPrefix(strings.TrimSpace(line), "#SBATCH "); is {
				got = append(got, strings.TrimPrefix(option, "--"))
			}
		}
		want := strings.ReplaceAll(c.want, `job-name="./`, `"--job-name=`)
		if strings.Join(got, " ") != want {
			t.Errorf("%s:\n got %s\nwant %s", c.args, strings.Join(got, " "), want)
		}
	}
}

// A flag comes before a file, and a file before the default; the tool ignores other tables and
// lines above all tables.
func TestSbatchSite(t *testing.T) {
	dir := t.TempDir()
	site := writeFile(t, filepath.Join(dir, "site.toml"), "balance = 'off'\nnodes = 'many'\n[lu]\nn = 5\n[sbatch]\naccount = 'physics'\nntasks = 8\nmodule = \"a, b\"\nexclusive = true\n")
	args := []string{"sbatch", "-site", site, "-ntasks", "4"}
	got := strings.Join(strings.Fields(prints(t, append(args, "-print-config")...)), " ")
	must.Have(t, got, "account physics "+site+":6", "ntasks 4 flag", "module a, b "+site+":8", "exclusive true "+site+":9", "mpi pmix default", "nodes default")
	for _, env := range []string{"", site} {
		t.Setenv("MIGBSP_CONFIG", env)
		if env != "" {
			args = append(args[:1:1], args[3:]...)
		}
		must.Have(t, prints(t, append(args, "--", "lu")...), "#SBATCH --account=physics\n", "module load a b ||",
			"# migbsp sbatch -ntasks 4 -- lu\n# account = physics ("+site+":6)\n# exclusive = true ("+site+":9)\n# module = 'a, b' ("+site+":8)\n#\n")
	}
}

func TestSbatchSiteErrors(t *testing.T) {
	dir := t.TempDir()
	for text, want := range map[string]string{
		"[sbatch]\ntime = '1:70'\n": ":2:8: time = '1:70': expected minutes",
		"[sbatch]\nnode = 4\n":      `:2:1: "node", expected a setting; did you mean nodes?`,
		"[sbatch]\nsubmit = true\n": `:2:1: "submit", expected it on the command line only`,
		"[sbatch]\nnodes = 4 5\n":   `:2:11: "5", expected the end of the line or a comment`,
		"[sbatch]\nntasks = -2\n":   ":2:10: ntasks = -2: expected a whole number from 1 to 65535",
	} {
		site := writeFile(t, filepath.Join(dir, "site.toml"), text)
		refuses(t, "sbatch", []refusal{{"-site " + site + " -- lu", cli.ExitUsage, "migbsp sbatch: " + site + want}})
	}
}

// A job is submitted only with -submit: sbatch gets the script, and its output is shown.
func TestSbatchSubmit(t *testing.T) {
	noSettings(t)
	bin, got := t.TempDir(), filepath.Join(t.TempDir(), "got")
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	args := []string{"sbatch", "-ntasks", "4", "--", "lu", "-n", "a'b"}
	_, script, _ := call(t, "", args...)
	submit := append([]string{"sbatch", "-submit"}, args[1:]...)

	writeFile(t, filepath.Join(bin, "sbatch"), "#!/bin/sh\ncat >'"+got+"'\necho Submitted batch job 7\n")
	if call(t, "", args...); exists(got) {
		t.Fatal("submitted without -submit")
	}
	file := filepath.Join(t.TempDir(), "job.sbatch")
	for name, args := range map[string][]string{got: submit, file: append([]string{"sbatch", "-o", file}, submit[1:]...)} {
		out := prints(t, args...)
		if text, _ := os.ReadFile(name); out != "Submitted batch job 7\n" || string(text) != script {
			t.Errorf("%v: %q, and %s is\n%s", args, out, name, text)
		}
	}

	writeFile(t, filepath.Join(bin, "sbatch"), "#!/bin/sh\ncat >/dev/null\necho 'sbatch: error: no such partition' >&2\nexit 3\n")
	code, out, err := call(t, "", submit...)
	if want := "sbatch: error: no such partition\nmigbsp sbatch: sbatch has not taken the job: exit status 3\n"; code != cli.ExitFailed || out != "" || err != want {
		t.Errorf("code %d, %q, %q", code, out, err)
	}

	t.Setenv("PATH", t.TempDir())
	refuses(t, strings.Join(submit, " "), []refusal{{"", cli.ExitFailed, "migbsp sbatch: there is no sbatch in PATH: submit where Slurm is, or write the script with -o FILE\n"}})
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}
