//go:build linux

package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/migbsp/migbsp/cmd/testbed/internal/slurm"
)

func slurmCommand(arguments []string) error {
	if len(arguments) > 0 && arguments[0] == "node" {
		return slurmNode(arguments[1:])
	}
	if err := take(arguments, "up|down|node"); err != nil {
		return err
	}
	if arguments[0] != "up" && arguments[0] != "down" {
		return usage("%q, expected up, down or node", arguments[0])
	}
	s, err := current()
	if err != nil {
		return err
	}
	locked, err := lock()
	if err != nil {
		return err
	}
	defer locked.Close()
	if arguments[0] == "down" {
		return slurm.Down()
	}
	begin := time.Now()
	if err := slurm.Up(s); err != nil {
		return err
	}
	fmt.Printf("Slurm is up on %d hosts in %.1f s; use it by: testbed exec %s sbatch|srun|squeue ...\n",
		len(s.Hosts()), time.Since(begin).Seconds(), s.Clusters[0].Hosts[0].Name)
	return nil
}

// slurmNode lists nodes, or changes the state of one in Slurm.
func slurmNode(arguments []string) error {
	list := len(arguments) == 0
	if !list {
		if err := take(arguments, "NODE", strings.Join(slurm.NodeStates, "|")); err != nil {
			return err
		}
		if !slices.Contains(slurm.NodeStates, arguments[1]) {
			return usage("%q, expected %s", arguments[1], strings.Join(slurm.NodeStates, ", "))
		}
	}
	s, err := current()
	if err != nil {
		return err
	}
	if !list {
		return slurm.SetNode(s, arguments[0], arguments[1])
	}
	text, err := slurm.Nodes(s)
	if err == nil {
		fmt.Println(text)
	}
	return err
}
