package hostfile

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// maxComponents is more than Slurm allows a heterogeneous job to have.
const maxComponents = 4096

// hetOrigin is the origin of Sets that are a job's components.
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

// hetSet returns the name of the Set of a component: its partition, or het and its number if
// the partition is unknown, has several components, or has the name of another Set.
func hetSet(getenv func(string) string, component int) string {
	number := "het" + strconv.Itoa(component)
	name := hetPartition(getenv, component)
	if name == "" || name == DefaultSet || strings.HasPrefix(name, "het") {
		return number
	}
	for other := range hetSize(getenv) {
		if other != component && hetPartition(getenv, other) == name {
			return number
		}
	}
	return name
}

// hetPartition returns the partition of a component as the name of a Set, "" if it is not
// known, or if the component may be in one of several.
func hetPartition(getenv func(string) string, component int) string {
	_, partition := hetVariable(getenv, "SLURM_JOB_PARTITION", component)
	if partition == "" || strings.Contains(partition, ",") {
		return ""
	}
	return setName(partition)
}

// ComponentsVariable names the components of a heterogeneous Slurm job in which a run has
// ranks: all, which are required if the variable is not set, or some.
const ComponentsVariable = "MIGBSP_COMPONENTS"

// Components returns, for each component of a heterogeneous Slurm job, whether a rank on a
// host of these names may belong to it, by the component's nodes. A host that no component
// has may belong to any: it has another name in the job. It returns nil outside of such
// jobs.
func Components(getenv func(string) string, host ...string) []bool {
	size := hetSize(getenv)
	if size == 0 {
		return nil
	}
	has, known := make([]bool, size), false
	for component := range has {
		name, list := hetVariable(getenv, "SLURM_JOB_NODELIST", component)
		hosts, err := ParseSlurmList(name, list)
		if err != nil || len(hosts) == 0 {
			has[component] = true // its nodes are not known
			continue
		}
		p := newParser(name, Rules{Form: SlurmHosts})
		for _, one := range hosts {
			p.enterHost(one, token{text: one, line: 1, col: 1})
		}
		for _, name := range host {
			if found, _ := p.names.lookUp(name); found >= 0 {
				has[component], known = true, true
			}
		}
	}
	for component := range has {
		has[component] = has[component] || !known
	}
	return has
}

// ComponentsStarted returns an error if a run of a number of ranks has none in some of the
// components of a heterogeneous Slurm job: srun starts only the first one without
// --het-group, and mpirun sees no other. started is the result of Components for the hosts
// of all ranks together. If components share nodes, so that hosts do not show it, a run
// with as many ranks as the first component has tasks counts as a run of that one only. It
// returns nil outside of such jobs, and if ComponentsVariable is "some".
func ComponentsStarted(getenv func(string) string, started []bool, ranks int) error {
	switch setting := getenv(ComponentsVariable); setting {
	case "", "all":
	case "some":
		return nil
	default:
		return fmt.Errorf("%s is %q, expected all or some", ComponentsVariable, setting)
	}
	size := len(started)
	var with, groups []string
	tasks := 0
	for component, is := range started {
		groups = append(groups, strconv.Itoa(component))
		if is {
			with = append(with, groups[component])
		}
		if n := componentTasks(getenv, component); n < 0 || tasks < 0 {
			tasks = -1
		} else {
			tasks += n
		}
	}
	if len(with) == size && size > 0 && ranks < tasks && ranks == componentTasks(getenv, 0) && !nodesApart(getenv, size) {
		with = with[:1]
	}
	if len(with) == size {
		return nil
	}
	what := "no component"
	switch len(with) {
	case 0:
	case 1:
		what = "only component " + with[0]
	default:
		what = "only components " + strings.Join(with[:len(with)-1], ", ") + " and " + with[len(with)-1]
	}
	of := fmt.Sprintf("%d %s", ranks, plural(ranks, "rank"))
	if tasks > 0 {
		of += fmt.Sprintf(" for %d tasks", tasks)
	}
	was := "was"
	if len(with) > 1 {
		was = "were"
	}
	return fmt.Errorf("%s of %d %s started (%s); use srun --het-group=%s, or set %s=some if this is meant",
		what, size, was, of, strings.Join(groups, ","), ComponentsVariable)
}

// nodesApart reports whether the components are known to share no node.
func nodesApart(getenv func(string) string, size int) bool {
	of := make(map[string]bool)
	for component := range size {
		hosts, err := ParseSlurmList(hetVariable(getenv, "SLURM_JOB_NODELIST", component))
		if err != nil || len(hosts) == 0 {
			return false
		}
		slices.Sort(hosts)
		for _, one := range slices.Compact(hosts) {
			if of[one] {
				return false
			}
			of[one] = true
		}
	}
	return true
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
