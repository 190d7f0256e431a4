// Package ledger keeps the account of a run: the cost of each superstep, the rescheduling
// calls, their moves and the outcomes. To read recorded runs, begin with Read, which makes
// a History of a record.
//
// # Concepts and files
//
// An Entry is one line of a record: a Run, Step, Load, Call, Move, Outcome, Capacity, Saving,
// Progress, Drain, Warning or End (run.go, step.go, load.go, call.go, capacity.go, end.go; wire.go
// and decode.go define the format).
//
// An Account sums up the entries of a run in memory that does not grow with their number (account.go,
// calls.go). Efficiencies and the time budget follow from it (efficiency.go), and so do g and l
// (fitting.go, by package fit). check.go holds the identities between its figures. Package tell
// describes an account in figures and sentences, so that a program's final report equals the tool's
// later report of its record.
//
// A Recorder appends entries to a file as JSON lines (recorder.go, recorder_window.go;
// load_window.go adds up Loads). A Decoder reads such a file again, and a History is a
// whole file in memory (history.go).
//
// # Record
//
// A record has one JSON object per line, whose "type" is one of:
//
//	run        the first line: schema, program, ranks, Sets, links, settings
//	superstep  consecutive supersteps that end at one source position: times by rank
//	workload   the same supersteps by process: work, messages, state
//	balance    a rescheduling call: pace, potentials, verdicts, forecast
//	migration  one process's move
//	outcome    the guard's verdict on a call's moves
//	capacity   the processor time that each rank was granted so far
//	saving     the run so far compared with the same run without moves
//	progress   the position in the program's loop of stages
//	warning    a caveat on the figures
//	end        the last line: exit code, elapsed time, g and l, result
//
// Times are seconds, sizes bytes, moments RFC 3339 in UTC; times within a run count from its start.
// Ranks, processes and Sets count from 0, supersteps from 1. Within schema migbsp.run/1 fields and
// types are only added: a reader skips unknown ones.
package ledger
