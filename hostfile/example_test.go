package hostfile_test

import (
	"fmt"
	"os"
	"strings"

	"github.com/migbsp/migbsp/hostfile"
)

func Example() {
	f, err := hostfile.Parse("my.hosts", strings.NewReader(`
#@set siteA manager=alpha1 speed=0.10 rate=1Gb/s latency=50us
alpha[1-2] slots=2
#@set siteB speed=0.04
beta1
#@link siteA siteB rate=100Mb/s latency=2ms
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for rank := range f.Ranks() {
		h := f.Hosts[f.Place(rank)]
		fmt.Printf("rank %d on %s, Set %s, speed %g\n", rank, h.Name, f.Sets[h.Set].Name, h.Speed)
	}
	fmt.Println("1 MB from A to B takes", 1e6/f.Between(0, 1).Rate, "s and", f.Between(0, 1).Latency)
	f.WriteTo(os.Stdout)
	// Output:
	// rank 0 on alpha1, Set siteA, speed 0.1
	// rank 1 on alpha1, Set siteA, speed 0.1
	// rank 2 on alpha2, Set siteA, speed 0.1
	// rank 3 on alpha2, Set siteA, speed 0.1
	// rank 4 on beta1, Set siteB, speed 0.04
	// 1 MB from A to B takes 0.08 s and 2ms
	// #@set siteA manager=alpha1 speed=0.1 rate=1Gb/s latency=50us
	// alpha1 slots=2
	// alpha2 slots=2
	// #@set siteB speed=0.04
	// beta1 slots=1
	// #@link siteA siteB rate=100Mb/s latency=2ms
}

func ExampleProblems() {
	_, err := hostfile.Parse("my.hosts", strings.NewReader("#@set a speed=fast\nn[1-4 slots=2\n"))
	fmt.Println(err)
	// Output:
	// my.hosts:1:15: speed "fast", expected a number from 1e-06 to 1e+06, 1 being a core of this machine
	// my.hosts:2:2: bracket that nothing closes, expected ] after the numbers
}

func ExampleClues_Group() {
	sets, err := hostfile.ParseSets("-sets", "siteA=alpha[1-2];siteB=beta1")
	if err != nil {
		fmt.Println(err)
		return
	}
	run := []hostfile.Task{{Host: "alpha1"}, {Host: "beta1.cluster"}, {Host: "alpha1"}, {Host: "gamma"}}
	g, err := hostfile.Clues{Sets: sets}.Group(run)
	if err != nil {
		fmt.Println(err)
		return
	}
	for set, s := range g.File.Sets {
		fmt.Printf("%s, managed by rank %d\n", s.Name, g.Managers[set])
	}
	fmt.Println(g.Warnings[0])
	// Output:
	// siteA, managed by rank 0
	// siteB, managed by rank 1
	// default, managed by rank 3
	// -sets: no Set has host gamma (rank 3); in Set default
}
