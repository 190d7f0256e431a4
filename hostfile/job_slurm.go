package hostfile

import (
	"fmt"
	"strconv"
)

// slurm reads the hosts of a Slurm job or step.
func (j job) slurm() (f *File, from string, err error) {
	size := hetSize(j.getenv)
	if j.inStep() {
		return j.slurmList(j.first("SLURM_STEP_NODELIST"), j.first("SLURM_STEP_TASKS_PER_NODE"), size)
	}
	if size > 0 {
		if f, from, err = j.components(size); f != nil || err != nil {
			return f, from, err
		}
	}
	nodes := j.first("SLURM_JOB_NODELIST", "SLURM_NODELIST")
	return j.slurmList(nodes, j.first("SLURM_TASKS_PER_NODE", "SLURM_JOB_CPUS_PER_NODE"), 0)
}

// slurmList reads a list of hosts; nil if there is none. If the job has components
// they are its Sets.
func (j job) slurmList(nodes, counts variable, size int) (f *File, from string, err error) {
	if nodes.name == "" {
		return nil, "", nil
	}
	p := newParser(nodes.name, Rules{Form: SlurmHosts})
	if _, err := p.slurmNodes(nodes, counts, -1); err != nil {
		return nil, "", err
	}
	for component := range size {
		if err := p.assignComponent(j.getenv, component); err != nil {
			return nil, "", err
		}
	}
	f, err = p.finish()
	from = nodes.name
	if counts.name != "" {
		from += " and " + counts.name
	}
	return f, from, err
}

// assignComponent puts the hosts that are in a component, and in none before it, into its
// Set.
func (p *parser) assignComponent(getenv func(string) string, component int) error {
	name, list := hetVariable(getenv, "SLURM_JOB_NODELIST", component)
	members, err := ParseSlurmList(name, list)
	if err != nil {
		return err
	}
	set := -1
	for _, member := range members {
		host, _ := p.names.lookUp(member)
		if host < 0 || p.file.Hosts[host].Set >= 0 {
			continue
		}
		if set < 0 {
			set = p.newSet(token{text: hetSet(getenv, component), line: 1, col: 1}, nil)
			p.file.dividedBy = hetOrigin
		}
		p.assign(host, set, token{line: 1, col: 1})
	}
	return nil
}

// inStep reports whether the environment belongs to a task of a step which srun has
// started for the user. Batch scripts and the shell of salloc are steps too, of
// one task, with numbers of their own; and under Open MPI's mpirun the launcher is in a
// step, not the rank.
func (j job) inStep() bool {
	const special = 0xffff0000
	id, err := strconv.ParseUint(j.first("SLURM_STEP_ID", "SLURM_STEPID").value, 10, 64)
	return j.getenv("SLURM_STEP_NODELIST") != "" && (err != nil || id < special) && j.getenv("OMPI_COMM_WORLD_SIZE") == ""
}

// components reads the hosts of a heterogeneous job; nil if they are not in the
// environment.
func (j job) components(size int) (*File, string, error) {
	p := newParser("", Rules{Form: SlurmHosts})
	from, found := "", 0
	for component := range size {
		name, list := hetVariable(j.getenv, "SLURM_JOB_NODELIST", component)
		if list == "" {
			continue
		}
		found++
		from, p.name = name, name
		tasks, perNode := hetVariable(j.getenv, "SLURM_TASKS_PER_NODE", component)
		if perNode == "" {
			tasks, perNode = hetVariable(j.getenv, "SLURM_JOB_CPUS_PER_NODE", component)
		}
		set := p.newSet(token{text: hetSet(j.getenv, component), line: 1, col: 1}, nil)
		shared, err := p.slurmNodes(variable{name, list}, variable{tasks, perNode}, set)
		if err != nil {
			return nil, "", err
		}
		if shared > 0 {
			p.warn(token{line: 1, col: 1}.problem(0, fmt.Sprintf("%d %s of components before, counted to those", shared, plural(shared, "host")), ""))
		}
	}
	switch found {
	case 0:
		return nil, "", nil
	case 1:
		p.file.Name = from
	default:
		from = fmt.Sprintf("the %d components of the Slurm job, SLURM_JOB_NODELIST_HET_GROUP_0 and so on", found)
		p.file.Name = "components of the Slurm job"
	}
	p.file.dividedBy = hetOrigin
	f, err := p.finish()
	return f, from, err
}

// slurmNodes enters the hosts of a list with the slots of the counts, 1 each if there are
// no counts. Hosts without a Set go into the given one, if it is not -1; shared counts the
// hosts that are in another Set.
func (p *parser) slurmNodes(nodes, perNode variable, set int) (shared int, err error) {
	counts, err := ParseSlurmCounts(perNode.name, perNode.value)
	if err != nil {
		return 0, err
	}
	list := p.slurmList(nodes.value)
	next := 0
	for _, one := range list {
		p.each(one, func(name string) {
			host, ok := p.enterHost(name, one.from)
			if !ok {
				return
			}
			h, d := &p.file.Hosts[host], &p.details[host]
			switch {
			case len(counts) == 0:
				p.give(host)
			case next < len(counts):
				h.Slots += counts[next]
				d.counted = true
			}
			next++
			if set >= 0 && h.Set >= 0 && h.Set != set {
				shared++
			} else if set >= 0 {
				p.assign(host, set, one.from)
			}
		})
	}
	if err := p.err(); err != nil {
		return 0, err
	}
	if len(counts) > 0 && len(counts) != next {
		read, expected := fmt.Sprintf("counts for %d %s", len(counts), plural(len(counts), "host")), fmt.Sprintf("%d, as %s has", next, nodes.name)
		return 0, Problems{*token{line: 1, col: 1}.problemIn(perNode.name, read, expected)}
	}
	return shared, nil
}
