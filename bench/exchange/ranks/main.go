// Ranks measures, under mpirun, supersteps of package mpi and the same by hand, in turns,
// and on two ranks what a message costs. It prints a report as JSON, for bench/exchange.
//
//	go build -tags mpi ./bench/exchange/ranks
//	MIGBSP_SHM=off mpirun --oversubscribe -np 4 ./ranks
package main

import (
	"flag"
	"fmt"
	"os"
	"time"
)

// settings are what the command line says.
type settings struct {
	halo, all int // bytes of a piece
	rounds    int
	each      time.Duration
}

func main() {
	s := &settings{}
	flag.IntVar(&s.halo, "halo", 8192, "`bytes` for each neighbour in a halo")
	flag.IntVar(&s.all, "all", 8, "`bytes` for each rank in an exchange of all with all")
	flag.IntVar(&s.rounds, "rounds", 25, "`times` that each is measured, in turns")
	flag.DurationVar(&s.each, "each", 5*time.Millisecond, "`time` for which each is measured at once")
	flag.Parse()
	if s.halo < 1 || s.all < 1 || s.rounds < 1 || s.each <= 0 || flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "ranks: -halo %d -all %d -rounds %d -each %v %v: expected numbers from 1 on\n", s.halo, s.all, s.rounds, s.each, flag.Args())
		os.Exit(2)
	}
	if err := s.run(); err != nil {
		fmt.Fprintf(os.Stderr, "ranks: %v\n", err)
		os.Exit(1)
	}
}
