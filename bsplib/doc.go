// Package bsplib runs programs written in supersteps, as BSPlib does, on goroutines or on
// MPI ranks. Their processes move between stages to where they finish sooner, and the
// result has the same bits wherever they have been.
//
// # A program
//
//	func main() { bsplib.Main(ring) }
//
//	type state struct { // what a process is between two stages, and takes along
//		Sum int
//		In  bsplib.Area[int] // memory that other processes may write
//	}
//
//	func ring(b *bsplib.Proc, s *state) error {
//		if b.Fresh() { // not after a move
//			s.In = bsplib.Register(b, make([]int, 1))
//			b.Sync()
//		}
//		for range b.Stages(10) { // between two stages the process may move
//			s.In.Put((b.Pid()+1)%b.NProcs(), 0, b.Pid())
//			b.Sync() // now all that was put has arrived
//			s.Sum += s.In.Slice()[0]
//		}
//		if total := bsplib.Sum(b, s.Sum); b.Pid() == 0 {
//			fmt.Println(total)
//		}
//		return nil
//	}
//
// It runs with "go run . -procs 16" on this machine, and with "go build -tags mpi" and
// mpirun on a cluster; -help lists what else it can be told. Run is Main without flags,
// output and exit codes.
//
// # Six concepts
//
// A process (Proc) runs the program. There are as many as the user asks for (-procs), and
// Pid and NProcs count them. They run on ranks, goroutines or MPI processes, of which there
// are fewer: programs need not know on which.
//
// A superstep is what happens between two Syncs of all processes. What is sent in it takes
// effect at its end, in an order that depends on pids alone.
//
// An Area is memory of each process that all others can write to (Put, HPPut) and read
// (Get, HPGet). All processes register theirs in the same order.
//
// A Queue carries messages (Send, Next), each with a tag.
//
// A collective is a call of all processes together: Broadcast, Reduce, Sum, Gather, Scan
// and their kin.
//
// A stage is a pass of a loop over Proc.Stages. Between two stages all that a process is
// stands in its state, the second argument of the program: there it may move to another
// rank or be written to disk, and it goes on with the function entered anew. So no other
// variable may carry a value from one stage to the next.
//
// # Where to go on
//
// The examples of Run, Area.Put, Queue, Allreduce and Proc.Stages are whole programs. Package bsptest
// runs a program in tests on all engines and numbers of ranks at hand, with all its
// processes moving after every stage, which must not change the result; the command
// stagevet names variables that carry a value outside the state. docs/guide/tutorial.md
// begins with a first program, docs/reference/model.md has a table from C's BSPlib. How the
// engine works stands in package internal/driver.
package bsplib
