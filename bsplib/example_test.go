//go:build !mpi

// Examples cannot be skipped, and those here start the ranks that they need within this
// process: a test program for MPI ranks, which a launcher starts several times, leaves
// them out.

package bsplib_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/hostfile"
	"github.com/migbsp/migbsp/rebalancer"
)

// Each process writes its number into the memory of its right neighbour, which sees it
// after the Sync.
func ExampleArea_Put() {
	err := bsplib.Run(bsplib.Config{Procs: 3}, func(b *bsplib.Proc, _ *struct{}) error {
		left := bsplib.Register(b, make([]int, 1))
		b.Sync()
		left.Put((b.Pid()+1)%b.NProcs(), 0, b.Pid())
		b.Sync()
		fmt.Printf("process %d is right of process %d\n", b.Pid(), left.Slice()[0])
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Unordered output:
	// process 0 is right of process 2
	// process 1 is right of process 0
	// process 2 is right of process 1
}

// Process 0 reads part of an area of process 2.
func ExampleArea_Get() {
	err := bsplib.Run(bsplib.Config{Procs: 3}, func(b *bsplib.Proc, _ *struct{}) error {
		squares := bsplib.Alloc[int](b, 5)
		for i := range squares.Slice() {
			squares.Slice()[i] = (10*b.Pid() + i) * (10*b.Pid() + i)
		}
		b.Sync()
		part := make([]int, 2)
		if b.Pid() == 0 {
			squares.Get(2, 3, part)
		}
		b.Sync()
		if b.Pid() == 0 {
			fmt.Println("elements 3 and 4 of process 2:", part)
		}
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// elements 3 and 4 of process 2: [529 576]
}

// Areas may have different lengths. A Put outside of the area ends the run with an error
// that names the process, the superstep and the line of the program.
func ExampleError() {
	err := bsplib.Run(bsplib.Config{Procs: 2}, func(b *bsplib.Proc, _ *struct{}) error {
		row := bsplib.Register(b, make([]float64, 4+b.Pid()))
		b.Sync()
		row.Put(b.Pid(), 4, 0.5)
		b.Sync()
		return nil
	})
	if e, ok := errors.AsType[*bsplib.Error](err); ok {
		fmt.Println("process", e.Pid, "in superstep", e.Superstep, "out of bounds:", e.Kind == bsplib.KindOutOfBounds)
	}
	// Output:
	// process 0 in superstep 2 out of bounds: true
}

// Each word is sent to the process that its length selects, with the length as its tag. Messages
// arrive by sender, and from one sender in the order sent.
func ExampleQueue() {
	words := strings.Fields("put get hpput hpget send move sync stage")
	err := bsplib.Run(bsplib.Config{Procs: 2}, func(b *bsplib.Proc, _ *struct{}) error {
		queue := bsplib.NewQueue[int, byte](b)
		for i := b.Pid(); i < len(words); i += b.NProcs() {
			queue.Send(len(words[i])%b.NProcs(), len(words[i]), []byte(words[i])...)
		}
		b.Sync()
		got := fmt.Sprintf("process %d has %d messages:", b.Pid(), queue.Len())
		for length, word := range queue.All() {
			got += fmt.Sprintf(" %s(%d)", word, length)
		}
		fmt.Println(got)
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Unordered output:
	// process 0 has 3 messages: send(4) sync(4) move(4)
	// process 1 has 5 messages: put(3) hpput(5) get(3) hpget(5) stage(5)
}

// All processes learn the largest of their numbers.
func ExampleAllreduce() {
	err := bsplib.Run(bsplib.Config{Procs: 4}, func(b *bsplib.Proc, _ *struct{}) error {
		residual := 1 / float64(1+b.Pid())
		largest := bsplib.Allreduce(b, residual, func(x, y float64) float64 { return max(x, y) })
		if b.Pid() == 3 {
			fmt.Println("here", residual, "on all processes", largest)
		}
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// here 0.25 on all processes 1
}

// Each process has some elements. Scan returns the number of elements up to and including the
// process's own, and thus their position among all; Gather collects them on process 0.
func ExampleScan() {
	err := bsplib.Run(bsplib.Config{Procs: 4}, func(b *bsplib.Proc, _ *struct{}) error {
		mine := make([]int, 1+b.Pid())
		end := bsplib.Scan(b, len(mine), func(x, y int) int { return x + y })
		for i := range mine {
			mine[i] = end - len(mine) + i
		}
		if all := bsplib.Gather(b, 0, mine); b.Pid() == 0 {
			fmt.Println(all)
		}
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// [[0] [1 2] [3 4 5] [6 7 8 9]]
}

// Row i of a matrix is on process i. After AllToAll, process i has column i.
func ExampleAllToAll() {
	err := bsplib.Run(bsplib.Config{Procs: 3}, func(b *bsplib.Proc, _ *struct{}) error {
		row := make([][]int, b.NProcs())
		for j := range row {
			row[j] = []int{10*b.Pid() + j}
		}
		column := bsplib.AllToAll(b, row)
		if b.Pid() == 1 {
			fmt.Println("column 1:", column)
		}
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// column 1: [[1] [11] [21]]
}

// counter is the state that a process carries from stage to stage. It moves with the process,
// including its areas.
type counter struct {
	Stages int
	In     bsplib.Area[int]
}

// A stage is a pass of a loop over Stages, and ends with a barrier. Setup is done under Fresh;
// data that lasts longer than a stage is in the state.
func ExampleProc_Stages() {
	err := bsplib.Run(bsplib.Config{Procs: 3}, func(b *bsplib.Proc, s *counter) error {
		if b.Fresh() {
			s.In = bsplib.Register(b, make([]int, 1))
			b.Sync()
		}
		for k := range b.Stages(4) {
			s.In.Put((b.Pid()+1)%b.NProcs(), 0, 10*k+b.Pid())
			s.Stages++
		}
		if b.Pid() == 0 {
			fmt.Println(s.Stages, "stages, the last one's number from the left:", s.In.Slice()[0])
		}
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// 4 stages, the last one's number from the left: 32
}

// grid is a part of a grid that is refined and coarsened during the run.
type grid struct{ Cells []float64 }

// A process that can foresee a change of its load declares it with Load, in a unit of its own,
// before it can be measured. Work done once goes into Aside, because it does not predict later
// stages.
func ExampleProc_Load() {
	err := bsplib.Run(bsplib.Config{Procs: 2}, func(b *bsplib.Proc, s *grid) error {
		if b.Fresh() {
			s.Cells = make([]float64, 100)
			b.Load(float64(len(s.Cells)))
		}
		for k := range b.Stages(4) {
			for i := range s.Cells {
				s.Cells[i]++
			}
			if b.Pid() == 1 && k == 1 { // it is refined, and takes four times as long from now on
				s.Cells = append(s.Cells, make([]float64, 300)...)
				b.Load(float64(len(s.Cells)))
			}
			if k == 2 {
				b.Runtime().Aside(func() { fmt.Printf("process %d has %d cells\n", b.Pid(), len(s.Cells)) })
			}
		}
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Unordered output:
	// process 0 has 100 cells
	// process 1 has 400 cells
}

// Process 0 goes from rank to rank. It moves at the end of a stage, with its state; on the new
// rank its program is entered again, Fresh is false, and the loop goes on.
func ExampleProc_Migrate() {
	err := bsplib.Run(bsplib.Config{Procs: 3, Ranks: 3}, func(b *bsplib.Proc, s *counter) error {
		if b.Fresh() {
			s.In = bsplib.Register(b, []int{b.Pid()})
			b.Sync()
		}
		for k := range b.Stages(4) {
			if b.Pid() != 0 {
				continue
			}
			fmt.Printf("stage %d on rank %d, fresh: %t, area: %v\n", k, b.Rank(), b.Fresh(), s.In.Slice())
			s.In.Slice()[0] += 10
			b.Migrate(bsplib.OnRank((b.Rank() + 1) % b.NRanks()))
		}
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// stage 0 on rank 0, fresh: true, area: [0]
	// stage 1 on rank 1, fresh: false, area: [10]
	// stage 2 on rank 2, fresh: false, area: [20]
	// stage 3 on rank 0, fresh: false, area: [30]
}

// A run is asked for a checkpoint and ends with it. Another run restarts from it on another number
// of ranks.
func ExampleCheckpoint() {
	dir, err := os.MkdirTemp("", "checkpoints")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)

	trigger := new(bsplib.CheckpointTrigger) // any goroutine may fire it, for example on a signal
	program := func(b *bsplib.Proc, s *counter) error {
		for k := range b.Stages(10) {
			s.Stages++
			if k == 6 && b.Pid() == 0 {
				trigger.Fire()
			}
		}
		if all := bsplib.Allreduce(b, s.Stages, func(x, y int) int { return x + y }); b.Pid() == 0 {
			fmt.Println(all, "stages of", b.NProcs(), "processes on", b.NRanks(), "ranks")
		}
		return nil
	}
	err = bsplib.Run(bsplib.Config{Procs: 4, Ranks: 2,
		Checkpoint: &bsplib.Checkpoint{Dir: dir, Trigger: trigger},
	}, program)
	fmt.Println("checkpointed:", errors.Is(err, bsplib.ErrCheckpointed))

	err = bsplib.Run(bsplib.Config{Ranks: 3, Checkpoint: &bsplib.Checkpoint{Restart: dir}}, program)
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// checkpointed: true
	// 40 stages of 4 processes on 3 ranks
}

// Shake moves every process after every stage, so that tests detect data that a program keeps
// outside its state: here a count in a local variable, which a move loses.
func ExampleConfig_shake() {
	wrong := func(b *bsplib.Proc, s *counter) error {
		stages := 0
		for range b.Stages(5) {
			stages++
			s.Stages++
		}
		if b.Pid() == 0 {
			fmt.Println(stages, "stages in the variable,", s.Stages, "in the state")
		}
		return nil
	}
	for _, shake := range []bool{false, true} {
		if err := bsplib.Run(bsplib.Config{Procs: 4, Ranks: 2, Shake: shake}, wrong); err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// 5 stages in the variable, 5 in the state
	// 0 stages in the variable, 5 in the state
}

// A hosts file that gives speeds is a platform to emulate: each slot is a rank, and the run's
// time is the platform's. The mapping is decided as on a real platform.
func ExampleConfig_platform() {
	platform, err := hostfile.Parse("two.hosts", strings.NewReader(`
#@platform barrier=20ms
#@set fast speed=1 rate=1Gb/s latency=50us
alpha slots=2
#@set slow speed=0.1 rate=1Gb/s latency=50us
beta slots=1
#@link fast slow rate=100Mb/s latency=1ms
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	balance, err := rebalancer.Parse("auto")
	if err != nil {
		fmt.Println(err)
		return
	}
	cfg := bsplib.Config{Procs: 6, Platform: platform, Balance: &balance}
	err = bsplib.Run(cfg, func(b *bsplib.Proc, _ *struct{}) error {
		for range b.Stages(50) {
			b.Sync()
		}
		if b.Pid() == 0 {
			fmt.Println(b.NRanks(), "ranks, emulated:", b.Runtime().Emulated())
			fmt.Println("100 barriers of 20 ms each took 2 s or more:", b.Time() >= 2*time.Second)
		}
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// 3 ranks, emulated: true
	// 100 barriers of 20 ms each took 2 s or more: true
}

// integrate is a part of another program, whose processes run only during the call.
func integrate(f func(float64) float64, strips int) (float64, error) {
	area := 0.0
	err := bsplib.Run(bsplib.Config{Procs: 4}, func(b *bsplib.Proc, _ *struct{}) error {
		if strips < b.NProcs() {
			return fmt.Errorf("%d strips are too few for %d processes", strips, b.NProcs())
		}
		sum, width := 0.0, 1/float64(strips)
		for i := b.Pid(); i < strips; i += b.NProcs() {
			sum += width * f((float64(i)+0.5)*width)
		}
		sum = bsplib.Reduce(b, 0, sum, func(x, y float64) float64 { return x + y })
		if b.Pid() == 0 {
			area = sum // written by one process, and read only when Run has returned
		}
		return nil
	})
	return area, err
}

// Run neither prints nor exits. A result is returned in a variable, and a failure as an error,
// which wraps the error of the process.
func ExampleRun() {
	area, err := integrate(func(x float64) float64 { return 3 * x * x }, 1000)
	fmt.Printf("%.4f %v\n", area, err)

	_, err = integrate(func(x float64) float64 { return x }, 3)
	if failed, ok := errors.AsType[*bsplib.Error](err); ok {
		fmt.Println(failed.Unwrap())
	}
	// Output:
	// 1.0000 <nil>
	// 3 strips are too few for 4 processes
}

// A result that a program reports, for Main to print, is returned in Config.Result.
func ExampleProc_Report() {
	var result bsplib.Result
	err := bsplib.Run(bsplib.Config{Procs: 4, Result: &result}, func(b *bsplib.Proc, _ *struct{}) error {
		sum := bsplib.Allreduce(b, b.Pid(), func(x, y int) int { return x + y })
		b.Report(bsplib.Result{Title: "Sum of pids", Size: fmt.Sprint(b.NProcs()), Checksum: fmt.Sprintf("%016x", sum)})
		return nil
	})
	fmt.Println(result.Title, result.Checksum, err)
	// Output:
	// Sum of pids 0000000000000006 <nil>
}
