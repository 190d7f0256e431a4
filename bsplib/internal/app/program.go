package app

// Exit codes of programs.
const (
	ExitOK           = 0
	ExitFailed       = 1
	ExitUsage        = 2
	ExitCheckpointed = 75
	// ExitLost is larger than what srun makes of any signal: of several codes it takes the
	// largest, and the rank that was lost may have one too.
	ExitLost   = 200
	exitSignal = 128 // + the signal's number
)

// Program is what a program says of itself.
type Program struct {
	About  string                // what it does, for -help
	Help   string                // the command that prints that; "": the program with -help
	Check  func(procs int) error // what it finds wrong with its flags; nil: nothing
	Memory func(procs int) int64 // bytes that all processes need together; nil: unknown
	Work   func(procs int) Work  // what all processes do together; nil: unknown
	Table  string                // the default of -table; "": sites

	Procs func(rank, procs int) (used, exit int) // how many it runs of those asked for; nil: all
	Code  func() int                             // the exit code of a rank whose run has ended well; nil: 0

	Stays     bool   // its processes never move, which nobody need hear who has not asked for it
	Arguments bool   // it has some after its flags
	RanksWait bool   // more ranks than cores may be meant
	OnSignal  func() // before a signal ends the Go program; nil: nothing
}

// Work is how much a program is going to do, as far as that is known before.
type Work struct {
	Amount    float64 // 0: unknown
	Unit      string  // such as flop, in the plural
	PerSecond float64 // what a usual core does of it, roughly
}
