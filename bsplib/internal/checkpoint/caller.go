package checkpoint

// Caller is who runs a program: what checkpoints and the messages about them say
// of it, in its own words.
type Caller struct {
	// Program is the program's name: a run goes on from its own checkpoints only.
	Program string
	// Args are the words that the program was started with, and Job is the resource
	// manager's name for the run; both may be empty.
	Args []string
	Job  string
	// Procs names the caller's setting for the number of processes. With Parameter
	// before it the name of a parameter is one that the caller knows.
	Procs, Parameter string
	// NoDirectory answers a request for a checkpoint that has no directory to go to.
	NoDirectory string
}
