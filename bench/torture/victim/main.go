//go:build unix

// Victim is the program that bench/torture disturbs: a random program that compares its memory and
// messages with a model in every superstep. In some supersteps it reports to the torturer and waits
// for an answer.
package main

import (
	"flag"
	"fmt"
	"net"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/internal/randprog"
)

var (
	seed  = flag.Uint64("seed", 1, "of the random program")
	steps = flag.Int("steps", 60, "its least `number` of supersteps")
)

// program generates the program, once for all ranks of this process.
var program = sync.OnceValues(func() (*randprog.Program, [][]uint64) {
	p := randprog.Generate(*seed, randprog.Small, *steps)
	pause, _ := time.ParseDuration(os.Getenv("TORTURE_PAUSE"))
	moments := readMoments(os.Getenv("TORTURE_MOMENTS"))
	p.Before = func(b *bsplib.Proc, step int) {
		time.Sleep(pause)
		if b.Pid() == 0 {
			began.Do(func() { tell("began %d", b.Superstep()) })
		}
		for i, m := range moments {
			if m.step == step && m.pid == b.Pid() {
				tell("moment %d %d", i, os.Getpid())
			}
		}
	}
	return p, p.Predict()
})

// began is done once process 0 has told its first superstep in this process.
var began sync.Once

func main() {
	signal.Ignore(syscall.SIGXFSZ) // a limit on the size of files then is an error of writing
	bsplib.Main(func(b *bsplib.Proc, s *randprog.State) error {
		p, want := program()
		if b.NProcs() != p.Procs {
			return fmt.Errorf("%d processes, expected -procs %d", b.NProcs(), p.Procs)
		}
		if err := p.Run(b, s, want); err != nil {
			return err
		}
		if b.Sync(); b.Pid() == 0 {
			fmt.Println("right")
		}
		return nil
	})
}

// A moment is a superstep in which a process reports to the torturer.
type moment struct{ step, pid int }

// readMoments reads moments in the form step:pid,step:pid.
func readMoments(text string) (all []moment) {
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' }) {
		step, pid, _ := strings.Cut(part, ":")
		var m moment
		m.step, _ = strconv.Atoi(step)
		m.pid, _ = strconv.Atoi(pid)
		all = append(all, m)
	}
	return all
}

// tell tells the torturer a line, and waits for its answer. Without a torturer it returns at once.
func tell(format string, args ...any) {
	c, err := net.Dial("unix", os.Getenv("TORTURE_SOCKET"))
	if err != nil {
		return
	}
	defer c.Close()
	fmt.Fprintf(c, format+"\n", args...)
	c.Read(make([]byte, 1))
}
