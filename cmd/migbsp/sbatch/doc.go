// Package sbatch writes job scripts for Slurm. A Job says what is asked for; its
// script asks Slurm for it, checks on the first node what it needs, starts the
// program once for all ranks, and runs it again from a checkpoint where that is
// asked for.
//
// Scripts are for bash. Whatever a job names (programs, arguments, directories)
// reaches the program byte for byte; nothing of it is ever run by the shell.
package sbatch
