package hostfile

import (
	"fmt"
	"strconv"
)

// maxComponents is more than Slurm allows a heterogeneous job to have.
const maxComponents = 4096

// hetOrigin says that the components of a job are its Sets.
const hetOrigin = "het groups of the Slurm job"

// hetSize returns the number of components of a heterogeneous Slurm job, and 0 outside
// of one. Old versions of Slurm call components packs.
func hetSize(getenv func(string) string) int {
	for _, name := range []string{"SLURM_HET_SIZE", "SLURM_PACK_SIZE"} {
		if n, err := strconv.Atoi(getenv(name)); err == nil && n > 1 && n <= maxComponents {
			return n
		}
	}
	return 0
}

// hetVariable returns the variable of a component, by its beginning, and its value.
func hetVariable(getenv func(string) string, begin string, component int) (name, value string) {
	suffix := "_GROUP_" + strconv.Itoa(component)
	name = begin + "_HET" + suffix
	if value = getenv(name); value == "" {
		if old := getenv(begin + "_PACK" + suffix); old != "" {
			return begin + "_PACK" + suffix, old
		}
	}
	return name, value
}

// hetSet returns the name of the Set of a component.
func hetSet(component int) string { return "het" + strconv.Itoa(component) }

// hetComponents divides the run by the components of its job, if it has any.
func (g *grouper) hetComponents() bool {
	size := hetSize(g.clues.Getenv)
	if size == 0 {
		return false
	}
	p := newParser("the Slurm job", Rules{Form: SlurmHosts})
	shared := 0
	for component := range size {
		name, list := hetVariable(g.clues.Getenv, "SLURM_JOB_NODELIST", component)
		if list == "" {
			g.warnf("the Slurm job has %d components, but %s is not set", size, name)
			continue
		}
		p.name = name
		set := p.newSet(token{text: hetSet(component), line: 1, col: 1}, nil)
		again, err := p.slurmNodes(variable{name, list}, variable{}, set)
		if err != nil {
			g.warnf("components of the Slurm job cannot be read: %v", err.(Problems)[0])
			return false
		}
		shared += again
	}
	if len(p.file.Hosts) == 0 {
		return false
	}
	p.hostFigures()
	if shared > 0 {
		g.warnf("%d %s of the Slurm job in several components, counted to the first", shared, plural(shared, "host"))
	}
	g.divided, g.what, g.Origin = p.file, "components of the Slurm job", hetOrigin
	return true
}

// ComponentsStarted returns an error if a run of worldSize ranks is only the first
// component of a heterogeneous Slurm job: srun starts no more without --het-group. It
// returns nil outside of such jobs, and where Slurm does not give the number of the
// component's tasks.
func ComponentsStarted(getenv func(string) string, worldSize int) error {
	size := hetSize(getenv)
	if size == 0 || componentTasks(getenv, 0) != worldSize {
		return nil
	}
	groups := "0"
	for component := 1; component < size; component++ {
		groups += "," + strconv.Itoa(component)
	}
	return fmt.Errorf("only component 0 of %d was started; use srun --het-group=%s", size, groups)
}

// componentTasks returns the number of tasks of a component, or -1 if it is not known.
func componentTasks(getenv func(string) string, component int) int {
	if _, value := hetVariable(getenv, "SLURM_NTASKS", component); value != "" {
		if n, err := strconv.Atoi(value); err == nil {
			return n
		}
	}
	name, value := hetVariable(getenv, "SLURM_TASKS_PER_NODE", component)
	counts, err := ParseSlurmCounts(name, value)
	if err != nil || len(counts) == 0 {
		return -1
	}
	total := 0
	for _, n := range counts {
		total += n
	}
	return total
}
