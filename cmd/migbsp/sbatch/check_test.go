package sbatch

import (
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

func TestCheck(t *testing.T) {
	limit := func(text string) Limit {
		l := must.Get(ParseLimit(text))(t)
		return l
	}
	for _, c := range []struct {
		change func(j *Job)
		want   string // "" is no error, else what begins it
	}{
		{func(*Job) {}, ""},
		{func(j *Job) { j.Command = nil }, "PROGRAM is missing"},
		{func(j *Job) { j.Command = []string{""} }, "PROGRAM is missing"},
		{func(j *Job) { j.Command = []string{"-n"} }, "PROGRAM -n begins with -"},
		{func(j *Job) { j.Command = []string{"lu", ":"} }, "argument :, which srun takes for"},
		{func(j *Job) { j.Command = []string{"lu", "a\x00"} }, `argument "a\x00": no program`},
		{func(j *Job) { j.Parts = []Component{{}} }, "how many ranks?"},
		{func(j *Job) { j.Parts = []Component{{Tasks: 1}, {Partition: "b"}} }, "how many ranks in partition b?"},
		{func(j *Job) { j.Parts = []Component{{Tasks: 1, TasksPerNode: 1}} }, "-ntasks 1 and -tasks-per-node 1"},
		{func(j *Job) { j.Parts = []Component{{TasksPerNode: 4}} }, "-tasks-per-node 4: on how many nodes?"},
		{func(j *Job) { j.Parts = []Component{{Nodes: 4, Tasks: 3, Partition: "a"}} }, "3 tasks on 4 nodes in partition a"},
		{func(j *Job) { j.Comment = true }, "-comment: there is no record"},
		{func(j *Job) { j.Comment, j.RunDir = true, "runs/%p" }, "-run-dir runs/%p: with -comment only %j"},
		{func(j *Job) { j.RunDir = "runs/%a" }, "runs/%a: %a and %A are of arrays"},
		{func(j *Job) { j.Cases = [][]string{nil}; j.RunDir = "runs" }, "-run-dir runs is the same for all tasks"},
		{func(j *Job) { j.Array = Array{"0-3", 3}; j.RunDir = "runs/%A" }, "-run-dir runs/%A is the same for all tasks"},
		{func(j *Job) { j.Array = Array{"0-3", 3}; j.RunDir = "runs/%j"; j.Checkpoint = "c/%a" }, ""},
		{func(j *Job) { j.Array = Array{"0-3", 3}; j.Checkpoint = "c" }, "-checkpoint c is the same for all tasks"},
		{func(j *Job) { j.Array = Array{"0-3", 3}; j.Parts = make2() }, "an array of jobs in several partitions"},
		{func(j *Job) { j.Array = Array{"0-3", 3}; j.Cases = make([][]string, 3) }, "-array 0-3 has a task 3, but the last of 3 -case is that of task 2"},
		{func(j *Job) { j.Array = Array{"0-2", 2}; j.Cases = make([][]string, 3) }, ""},
		{func(j *Job) { j.CheckpointEvery = "10m" }, "-checkpoint-every 10m: where to?"},
		{func(j *Job) { j.Checkpoint = "c/%p" }, "-checkpoint c/%p: only %j"},
		{func(j *Job) { j.Checkpoint = "c"; j.Warning = 180; j.Time = limit("4:00") }, "-time 4:00 is no longer than the warning"},
		{func(j *Job) { j.Checkpoint = "c"; j.Warning = 180; j.Time = limit("4:01") }, ""},
		{func(j *Job) { j.Checkpoint = "c"; j.Warning = 180; j.Time = limit("UNLIMITED") }, ""},
		{func(j *Job) { j.RunDir = "r"; j.Command = []string{"lu", "--run-dir=x"} }, "--run-dir=x is among the program's arguments too"},
		{func(j *Job) { j.Command = []string{"lu", "-run-dir", "x"} }, ""},
		{func(j *Job) { j.Checkpoint = "c"; j.Cases = [][]string{{"-restart", "auto"}}; j.Checkpoint = "%j" }, "-restart is among"},
	} {
		j := &Job{Parts: []Component{{Tasks: 4}}, MPI: "pmix", Command: []string{"lu", "-n", "1000"}}
		c.change(j)
		switch err := j.Check(); {
		case err == nil && c.want != "":
			t.Errorf("%+v: no error, want %s", j, c.want)
		case err != nil && (c.want == "" || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "\n")):
			t.Errorf("%+v: %v, want %q", j, err, c.want)
		}
	}
}

func make2() []Component { return []Component{{Tasks: 1}, {Tasks: 1}} }

// The name of a job is its program's, with other signs for what Slurm refuses.
func TestJobName(t *testing.T) {
	for program, want := range map[string]string{"lu": "lu", "../bin/lu": "lu", "./a b": "a b", `./a"b%\`: "a_b__", "./a\nb": "a_b"} {
		j := &Job{Command: []string{program}}
		if got := j.name(); got != want || CheckName(got) != nil {
			t.Errorf("%q: %q, want %q", program, got, want)
		}
	}
}
