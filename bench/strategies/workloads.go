package main

import "github.com/migbsp/migbsp/bench/internal/emulated"

// workloads are all programs of the tree, some in several shapes, with more
// processes than the largest example platform has ranks.
var workloads = []emulated.Workload{
	emulated.Of("lu", "./apps/lu", "-n 1200 -procs 48 -block 32"),
	emulated.Of("lu textbook", "./apps/lu", "-n 400 -procs 48 -block 1 -pivot none"),
	emulated.Of("prefixsum", "./apps/prefixsum", "-procs 48"),
	emulated.Of("load even", "./bench/load", "-procs 48 -pattern even"),
	emulated.Of("load uneven", "./bench/load", "-procs 48 -pattern uneven"),
	emulated.Of("load rotate", "./bench/load", "-procs 48 -pattern rotate"),
	emulated.Of("load wave", "./bench/load", "-procs 48 -pattern wave"),
	emulated.Of("load grow", "./bench/load", "-procs 48 -pattern grow"),
	emulated.Of("load messages", "./bench/load", "-procs 48 -pattern even -grain 20 -size 20000 -halo 10000"),
}
