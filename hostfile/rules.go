package hostfile

// Form is a form of files that list hosts. All have comments from # to the end of a line,
// and lines #@ for Sets and figures.
type Form int

const (
	// Launchers is the form that Open MPI and hydra read, and the names one by one that
	// PBS and LSF write.
	Launchers Form = iota
	// SlurmHosts is a file of SLURM_HOSTFILE, which has a name for each task, or a
	// list of hosts as ParseSlurmList reads it; name*n stands for n times the name.
	SlurmHosts
	// GridEngine is a file of PE_HOSTFILE: host, slots, and columns that are not read.
	GridEngine
)

// Rules are the choices of a reader. Parse and Read go by the zero value.
type Rules struct {
	Strict    bool // a host in no Set is an error
	FullNames bool // a name without a domain is another host than one with it
	SetsOnly  bool // hosts in nodes= need no line of their own
	Form      Form // of the lines with hosts
}

const (
	maxFile     = 16 << 20 // bytes
	maxMentions = 1 << 22  // of hosts, brackets expanded
	maxSlots    = 1 << 16  // of a host
)
