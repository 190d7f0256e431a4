// Package bsplib runs programs written in supersteps, as BSPlib does, on goroutines or on
// MPI ranks. It moves their processes between stages to ranks where they finish sooner. The
// result has the same bits on every mapping.
//
// # A program
//
//	func main() { bsplib.Main(ring) }
//
//	type state struct { // all that a process keeps between two stages; moves with it
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
// mpirun on a cluster; -help lists the other flags. Run is Main without flags, output and
// exit codes.
//
// # Six concepts
//
// A process (Proc) runs the program. The user chooses the number of processes (-procs);
// NProcs returns it, and Pid numbers the processes from 0. They run on ranks, which are
// goroutines or MPI processes and usually fewer. Programs need not depend on the rank.
//
// A superstep is the part of a run between two Syncs of all processes. Its puts and
// messages take effect at its end, in an order that depends on pids alone.
//
// An Area is memory of each process that all others can write to (Put, HPPut) and read
// (Get, HPGet). All processes register theirs in the same order.
//
// A Queue carries messages (Send, Next), each with a tag.
//
// A collective is a call of all processes together: Broadcast, Reduce, Sum, Gather, Scan
// and their kin.
//
// A stage is a pass of a loop over Proc.Stages. Between two stages a process consists of its
// state alone, the second argument of the program: it may then move to another rank or be
// written to disk, and it continues by entering the function again. So no other variable may
// carry a value from one stage to the next.
//
// # Where to go on
//
// The examples of Run, Area.Put, Queue, Allreduce and Proc.Stages are whole programs. Package
// bsptest runs a program in tests on all available engines and numbers of ranks, and moves all
// its processes after every stage, which must not change the result. The command stagevet
// names variables that carry a value outside the state. docs/guide/tutorial.md begins with a
// first program, docs/reference/model.md has a table from C's BSPlib. The engine is described
// in package internal/driver.
package bsplib
