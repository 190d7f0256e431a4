// Package sbatch writes job scripts for Slurm. A Job has the requests of the user; its
// script requests the nodes, checks its needs on the first node, starts the program once
// for all ranks, and, if the user wants it, runs it again from a checkpoint.
//
// Scripts are for bash. All texts of a job (programs, arguments, directories) reach the
// program byte for byte; the shell never runs any part of them.
package sbatch
