//go:build linux

package main

import (
	"fmt"
	"time"

	"github.com/migbsp/migbsp/cmd/testbed/internal/slurm"
)

func slurmCommand(arguments []string) error {
	if err := take(arguments, "up|down"); err != nil {
		return err
	}
	if arguments[0] != "up" && arguments[0] != "down" {
		return usage("%q, expected up or down", arguments[0])
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
