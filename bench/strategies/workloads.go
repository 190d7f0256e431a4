package main

// workload is a program of the tree with its command line.
type workload struct {
	name    string
	program string // its package
	args    []string
}

// workloads are all programs of the tree, some in several shapes, with more
// processes than the largest example platform has ranks.
var workloads = []workload{
	{"lu", "./apps/lu", []string{"-n", "1200", "-procs", "48", "-block", "32"}},
	{"lu textbook", "./apps/lu", []string{"-n", "400", "-procs", "48", "-block", "1", "-pivot", "none"}},
	{"prefixsum", "./apps/prefixsum", []string{"-procs", "48"}},
	{"load even", "./bench/load", []string{"-procs", "48", "-pattern", "even"}},
	{"load uneven", "./bench/load", []string{"-procs", "48", "-pattern", "uneven"}},
	{"load rotate", "./bench/load", []string{"-procs", "48", "-pattern", "rotate"}},
	{"load wave", "./bench/load", []string{"-procs", "48", "-pattern", "wave"}},
	{"load grow", "./bench/load", []string{"-procs", "48", "-pattern", "grow"}},
	{"load messages", "./bench/load", []string{"-procs", "48", "-pattern", "even", "-grain", "20", "-size", "20000", "-halo", "10000"}},
}
