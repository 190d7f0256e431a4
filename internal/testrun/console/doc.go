// Package console runs the commands in Markdown pages, and compares the text below them
// with their output.
//
// A block of commands is one between fences that are marked console. A line that begins
// with "$ " is a command, with the lines after it if it ends in a backslash; its output
// follows, up to the next command. Words after console say how the block is run and
// compared:
//
//	```console                   to the letter
//	```console measured CLAIM... only figures may differ, and each claim holds: see below
//	```console excerpt           the lines that are shown, in this order, among others
//	```console code=2            the last command ends with this code, all others with 0
//	```console needs=mpi,jq      only with MPI and the program jq
//	```console shown WHY         it is not run, for the reason that the rest of the line gives
//
// A command without output below it has to succeed; its output is ignored. Three dots stand for any
// text within a line and, alone in a line, for any number of lines.
//
// A block of any language with a word file=NAME is written to that file before the page's first
// command. The commands of a page run one after the other in one directory, a copy of the tree, each
// in its own shell. `go run ./apps/lu` runs the program as it was built once for all pages; programs
// and the tool are in PATH.
//
// # Figures that are measured
//
// In a block that is measured a free-standing number may differ, together with its unit of time,
// bytes or rates. So may a moment, the kernels of a processor, the names of processes and ranks (p3,
// r0), a list of moves, whether a share of the time was saved or lost, all but the name in the lines
// that conclude a run (time, efficiency, rescheduling; next and note may be missing), and the lengths
// of blanks and rules between columns. Lines that are then alike and follow one another count as one,
// because the number of calls with moves depends on the machine. All other text must match: words,
// labels, the order of lines, the number of columns, and numbers that are part of a word: main.go:52,
// two-sets.hosts, 2^18.
//
// # Claims
//
// A measured block names at least one condition that its output must meet, such as
//
//	```console measured moves>=1 saved>=25%
//
// A claim is a quantity, >= or ==, and a number, without blanks; readers of a rendered page do
// not see it. It applies to the output of all commands of the block, including lines that the page
// leaves out, and to the last figure. The quantities are
//
//	moves       moves in the line rescheduling, below MIGRATIONS or in the column moves
//	saved       part of the time that moves saved, in the same line, in a sentence such as
//	            "34.8% saved" or in the column saved; negative if it was lost
//	supersteps  supersteps of the run
//	processes   processes of the run
//	checks      lines that begin with check and end in PASSED
//	lines       lines that are not blank
//
// The claims have to hold in each run of the block, for the page's text, and for the text of an
// update. Bench.Hold runs the blocks five times on a busy machine: there, claims with == have to hold
// five times, and others at least four.
//
// Two lines differ by the machine in any block: the time of a program that prints its result
// only, and, on other processors than amd64, which may round once for two operations,
// checksums. Progress lines of commands that take half a minute are left out.
package console
