// Bot distributes a bag of independent tasks, its own or commands, to ranks that are
// unequal, busy or fail.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/internal/wire"
	"github.com/migbsp/migbsp/rebalancer/bag"
)

const about = `
Bot computes a bag of tasks that do not depend on each other. Rank 0 gives them out a chunk at a
time, as many as the policy says (-policy); the others compute, and so does rank 0 (-master).

Tasks are functions of this program, or a command is run for each line of its input:

    bot -tasks 10000 -policy all -hosts examples/two-sets.hosts
    bot -mandelbrot 1920x1080 -png set.png
    seq 1000 | bot -- sh -c 'sleep 0.01; echo {}'
    bot -- lu -quiet -n {} ::: 100 200 300

In a command {} stands for the line and {#} for its number; without {} the line is one more
word. No shell sees the words. What commands write comes out in the order of the lines, as soon
as all before it is complete. A command that ends with a code other than 0, is killed, takes
too long or writes too much has failed, and is tried again; what fails at last is listed, and
the exit code is 1.

With -journal what is done is kept as it comes, and -resume goes on with it after whatever has
ended the program, on other ranks and with another policy too.`

func main() {
	bsplib.Main(share, bsplib.Options{
		Description: about, CheckFlags: check, DefaultTable: "none",
		TakesArguments: true, RanksWait: true, OnSignal: interrupted,
	})
}

func check(int) error {
	if *policies == help {
		bag.Help(os.Stdout)
		os.Exit(bsplib.ExitOK)
	}
	if _, err := readOptions(); err != nil {
		return err
	}
	_, err := readJob(flag.Args())
	return err
}

// state is empty: between the supersteps of a bag a process has no data to migrate.
type state struct{}

// bagOf is rank 0's message to all about the run.
type bagOf struct {
	Job     job
	Manager bool
	Policy  []string
	Problem string
}

// share is a process of the program. One of each rank takes part.
func share(b *bsplib.Proc, _ *state) error {
	var m *master
	var about bagOf
	if b.Pid() == 0 {
		m, about = begin(b)
	}
	if err := broadcast(b, &about); err != nil {
		return err
	}
	if about.Problem != "" {
		return fmt.Errorf("%s", about.Problem)
	}
	ranks := bsplib.Allgather(b, []int{b.Rank()})
	var with []int // ranks that have a process, by their first one's pid
	mine := false
	for pid, at := range ranks {
		if pid == 0 || at[0] != ranks[pid-1][0] {
			with = append(with, at[0])
			mine = mine || pid == b.Pid()
		}
	}
	all := places(with, b.Runtime().Set, about.Manager)
	for number, text := range about.Policy {
		spec, err := bag.Parse(text)
		if err != nil {
			return err
		}
		f := &farm{b: b, post: &mail{b: b, parts: make(map[int][]byte)}, number: number, spec: spec, begun: b.Time(), job: &about.Job}
		f.tally = tally{Rank: b.Rank(), Set: b.Runtime().Set(b.Rank()), Host: b.Runtime().Host(b.Rank())}
		if mine && about.Job.Tasks > 0 {
			f.runner = about.Job.runner()
			f.take(all, m, &about)
		}
		b.Sync()
		tallies := gather(b, mine, &f.tally)
		if m != nil {
			m.ended(text, tallies)
		}
	}
	failed := 0
	if m != nil {
		failed = m.report()
	}
	if len(about.Job.Command) > 0 {
		if failed > 0 { // the output of the commands is the only result
			return fmt.Errorf("%d of %d tasks have failed", failed, about.Job.Tasks)
		}
		return nil
	}
	if failed = bsplib.Max(b, failed); failed > 0 {
		return bsplib.ErrNotVerified
	}
	return nil
}

// take is the rank's part in the farm.
func (f *farm) take(all []place, m *master, about *bagOf) {
	for _, p := range all {
		switch {
		case p.rank != f.tally.Rank:
		case p.boss < 0:
			m.give(f, p.gets)
		case len(p.gets) > 0:
			f.manage(p.boss, p.gets)
		default:
			(&worker{farm: f, batch: batch{farm: f, boss: p.boss}}).run()
		}
	}
}

// broadcast copies process 0's v to all.
func broadcast[T any](b *bsplib.Proc, v *T) error {
	var data []byte
	if b.Pid() == 0 {
		var err error
		if data, err = wire.Append(nil, v); err != nil {
			b.Abort("%v", err)
		}
	}
	n := []int{len(data)}
	bsplib.Broadcast(b, 0, n)
	if b.Pid() != 0 {
		data = make([]byte, n[0])
	}
	bsplib.Broadcast(b, 0, data)
	return wire.Read(data, v)
}

// gather sends the ranks' tallies to process 0.
func gather(b *bsplib.Proc, mine bool, t *tally) (all []tally) {
	var data []byte
	if mine {
		var err error
		if data, err = wire.Append(nil, t); err != nil {
			b.Abort("%v", err)
		}
	}
	for _, data := range bsplib.Gather(b, 0, data) {
		var t tally
		if len(data) > 0 && wire.Read(data, &t) == nil {
			all = append(all, t)
		}
	}
	return all
}
