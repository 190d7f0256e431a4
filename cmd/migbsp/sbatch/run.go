package sbatch

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/migbsp/migbsp/internal/shell"
)

// again is the number of times that Slurm has restarted the job, if it has: each start has
// its own record.
const again = "${SLURM_RESTART_COUNT:+-$SLURM_RESTART_COUNT}"

// run starts the program, prints its result, and runs the job again if the program asks for
// it.
func (j *Job) run(s *script) {
	if j.RunDir != "" && j.Comment {
		s.line("record=", j.RunDir.word(again))
	}
	if j.Checkpoint != "" {
		fmt.Fprintf(s, `# %d s before the end of its time all ranks get USR1, write a checkpoint and end with
# 75. Those that end first must not have the others killed, hence --wait.
`, j.Warning)
	}
	if j.Checkpoint == "" && !j.Comment {
		j.launch(s, "")
		return
	}
	s.line("code=0")
	j.launch(s, " || code=$?")
	if j.Comment {
		s.line("# For  scontrol show job  and  sacct -o comment.")
		s.line(`if verdict=$(migbsp report -verdict "$record"); then`)
		s.line(`	scontrol update jobid="$SLURM_JOB_ID" comment="$verdict" || echo "$verdict" >&2`)
		s.line("fi")
	}
	if j.Checkpoint != "" {
		s.line(`if [ "$code" -eq 75 ]; then`)
		s.line("	echo ", shell.Quote(j.name()+": there is a checkpoint; the job is queued again"), " >&2")
		s.line(`	scontrol requeue "$SLURM_JOB_ID" || fail "the job cannot be queued again; submit it anew to go on"`)
		s.line("	exit 0")
		s.line("fi")
	}
	s.line(`exit "$code"`)
}

// launch writes the command that starts all ranks.
func (j *Job) launch(s *script, behind string) {
	if n := len(j.Parts); n > 1 {
		s.line("# Without --het-group srun starts component 0 only.")
	}
	if j.Survive > 0 {
		s.line(`"$tool" run -survive `, strconv.Itoa(j.Survive), ` -- \`)
	}
	s.line("srun ", strings.Join(j.launcher(), " "), ` \`)
	command := []string{shell.Quote(j.Command[0])}
	if !strings.Contains(j.Command[0], "/") {
		command[0] = `"$program"`
	}
	if len(j.Command) > 1 {
		command = append(command, shell.QuoteAll(j.Command[1:]))
	}
	if len(j.Cases) > 0 {
		command = append(command, `"$@"`)
	}
	if j.RunDir != "" {
		dir := j.RunDir.word(again)
		if j.Comment {
			dir = `"$record"`
		}
		command = append(command, "-run-dir "+dir)
	}
	if j.Checkpoint != "" {
		command = append(command, "-checkpoint "+j.Checkpoint.word(""))
		if j.CheckpointEvery != "" {
			command = append(command, "-checkpoint-every "+shell.Quote(j.CheckpointEvery))
		}
		command = append(command, "-restart auto")
	}
	s.line("	", strings.Join(command, " "), behind)
}

// othersEnd is the number of seconds that the other ranks have after one has ended. They end within
// a second, or within three after a loss. A larger value only makes srun wait longer for a host
// that has crashed: its ranks do not end until Slurm declares the node down.
const othersEnd = 20

// launcher are srun's options.
func (j *Job) launcher() []string {
	options := []string{"--mpi=" + shell.Quote(j.MPI)}
	if n := len(j.Parts); n > 1 {
		groups := make([]string, n)
		for i := range groups {
			groups[i] = fmt.Sprint(i)
		}
		options = append(options, "--het-group="+strings.Join(groups, ","))
	}
	options = append(options, "--cpu-bind=cores", "--export=ALL")
	if j.Checkpoint != "" {
		return append(options, "--kill-on-bad-exit=0", fmt.Sprint("--wait=", othersEnd))
	}
	return append(options, "--kill-on-bad-exit=1")
}
