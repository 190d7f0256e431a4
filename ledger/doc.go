// Package ledger keeps the account of a run: what each superstep cost, what
// was decided, what moved, and what that brought.
//
// An Account sums up the entries of a run in memory that does not grow with their
// number, a Recorder appends them to a file as JSON lines, a Decoder reads such
// a file again, and a History is a whole file in memory. Tables, efficiencies,
// the time budget and the end-of-run block are made from an Account, so that a
// program prints at its end what the tool prints of the record later.
//
// # Record
//
// A record has one JSON object per line, told apart by its "type":
//
//	run        the first line: schema, program, ranks, Sets, links, settings
//	superstep  consecutive supersteps that end at one place: times by rank
//	workload   the same supersteps by process: work, messages, state
//	balance    a rescheduling call: pace, potentials, verdicts, forecast
//	migration  one process's move
//	outcome    what a call's moves have brought, once that is known
//	progress   how far the program's loop of stages is
//	warning    something the reader of the figures should know
//	end        the last line: exit code, elapsed time, g and l, result
//
// Times are seconds, sizes bytes, moments RFC 3339 in UTC; times within a run
// count from its start. Ranks, processes and Sets count from 0, supersteps
// from 1. Within schema migbsp.run/1 fields and types are only added: a reader
// skips those it does not know.
package ledger
