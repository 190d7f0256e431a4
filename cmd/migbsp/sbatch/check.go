package sbatch

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// slack is the maximum number of seconds that Slurm may send a signal early.
const slack = 60

// Check refuses contradictory jobs. Its errors name the flags of migbsp sbatch.
func (j *Job) Check() error {
	switch {
	case len(j.Command) == 0 || j.Command[0] == "":
		return errors.New("PROGRAM is missing: give it behind the flags and --")
	case j.Command[0][0] == '-':
		return fmt.Errorf("PROGRAM %s begins with -, as options of srun do: give it with its directory", j.Command[0])
	}
	if j.Comment && j.RunDir == "" {
		return errors.New("-comment: there is no record that could say what came of the run; give -run-dir")
	}
	if j.Comment && j.RunDir.has("pt%") {
		return fmt.Errorf("-run-dir %s: with -comment only %%j, %%x, %%A and %%a stand for something else", j.RunDir)
	}
	for _, check := range []func() error{j.checkParts, j.checkArray, j.checkCheckpoint, j.checkTwice, j.checkTexts} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (j *Job) checkParts() error {
	for _, p := range j.Parts {
		of := ""
		if p.Partition != "" {
			of = " in partition " + p.Partition
		}
		switch {
		case p.Tasks > 0 && p.TasksPerNode > 0:
			return fmt.Errorf("-ntasks %d and -tasks-per-node %d: one of them says how many ranks there are", p.Tasks, p.TasksPerNode)
		case p.Tasks == 0 && p.TasksPerNode == 0:
			return fmt.Errorf("how many ranks%s? give -ntasks or -tasks-per-node, or -partition PARTITION:NODES:TASKS", of)
		case p.TasksPerNode > 0 && p.Nodes == 0:
			return fmt.Errorf("-tasks-per-node %d: on how many nodes%s? give -nodes", p.TasksPerNode, of)
		case p.Tasks > 0 && p.Tasks < p.Nodes:
			return fmt.Errorf("%d tasks on %d nodes%s: each node needs one", p.Tasks, p.Nodes, of)
		}
	}
	return nil
}

func (j *Job) checkArray() error {
	shared := "-%s %s is the same for all tasks of the array: put %%a, its number, or %%j, its job, into it"
	switch {
	case !j.isArray():
		for _, p := range []Pattern{j.RunDir, j.Checkpoint} {
			if p.has("aA") {
				return fmt.Errorf("%s: %%a and %%A are of arrays; give -array or -case", p)
			}
		}
	case len(j.Parts) > 1:
		return errors.New("an array of jobs in several partitions at once: Slurm has none; give one partition")
	case j.RunDir != "" && !j.RunDir.has("aj"):
		return fmt.Errorf(shared, "run-dir", j.RunDir)
	case j.Checkpoint != "" && !j.Checkpoint.has("aj"):
		return fmt.Errorf(shared, "checkpoint", j.Checkpoint)
	case len(j.Cases) > 0 && j.Array.Spec != "" && j.Array.Last >= len(j.Cases):
		return fmt.Errorf("-array %s has a task %d, but the last of %d -case is that of task %d", j.Array.Spec, j.Array.Last, len(j.Cases), len(j.Cases)-1)
	}
	return nil
}

func (j *Job) checkCheckpoint() error {
	switch {
	case j.Survive > 0 && len(j.Parts) > 1:
		return fmt.Errorf("-survive %d: expected one partition, not %d: Slurm starts no step on a part of several components", j.Survive, len(j.Parts))
	case j.Checkpoint == "" && j.CheckpointEvery != "":
		return fmt.Errorf("-checkpoint-every %s: where to? give -checkpoint", j.CheckpointEvery)
	case j.Checkpoint == "":
		return nil
	case j.Checkpoint.has("pt%"):
		return fmt.Errorf("-checkpoint %s: only %%j, %%x, %%A and %%a stand for something else here", j.Checkpoint)
	case j.Time.Seconds > 0 && j.Time.Seconds <= j.Warning+slack:
		return fmt.Errorf("-time %s is no longer than the warning before its end: %d s, and Slurm may be %d s early; give more time or a smaller -warning", j.Time, j.Warning, slack)
	}
	return nil
}

// checkTwice finds program arguments that the script sets by itself.
func (j *Job) checkTwice() error {
	ours := []string{"checkpoint", "checkpoint-every", "restart"}
	if j.Checkpoint == "" {
		ours = nil
	}
	if j.RunDir != "" {
		ours = append(ours, "run-dir")
	}
	for _, word := range slices.Concat(slices.Concat(j.Cases...), j.Command[1:]) {
		flag, dashed := strings.CutPrefix(word, "-")
		name, _, _ := strings.Cut(strings.TrimPrefix(flag, "-"), "=")
		if dashed && slices.Contains(ours, name) {
			return fmt.Errorf("%s is among the program's arguments too: leave it out there", word)
		}
	}
	return nil
}

// checkTexts finds texts that cannot reach the program.
func (j *Job) checkTexts() error {
	for _, word := range slices.Concat(slices.Concat(j.Cases...), j.Command) {
		switch {
		case strings.Contains(word, "\x00"):
			return fmt.Errorf("argument %q: no program can be given a zero byte", word)
		case word == ":":
			return errors.New("argument :, which srun takes for the beginning of another program")
		}
	}
	return nil
}
