// Package checkpoint writes the processes of a run to disk and reads them again, so that the same
// program can resume from there in another run: on other ranks, on another engine, after the machine
// was switched off.
//
// The main concepts are:
//
// An Image is a process between two stages, as bytes. Only the engine can convert it back to a
// process.
//
// A checkpoint is the images of all processes at the end of one stage, in a directory of its own that
// is named program-run-number. The directories of a run have a common parent directory that all hosts
// share. The newest two of them are kept: if the newest is damaged, a run can resume from the one
// before.
//
// Each rank that has processes writes a part, a file of their images (part.go). Rank 0 writes the
// manifest (manifest.go): a description of the run, and the file, offset and digest of each image.
//
// A Keeper is a rank's side of the checkpoints of a run: with the other ranks it decides when one is
// due, takes it in three exchanges, removes old ones and reports the outcome (keeper.go).
//
// A Source is a checkpoint that a run resumes from (source.go).
//
// A Lock keeps other runs from writing to the directory (lock.go).
//
// # Invariants
//
// A checkpoint is complete or absent. It is complete when its manifest exists. The manifest appears
// at once, by rename, after all parts are on disk and rank 0 has seen each of them. Until then no
// reader takes the directory for a checkpoint, and older checkpoints stay. To remove a checkpoint the
// manifest is removed first.
//
// All ranks have the same information. Only rank 0 makes directories, commits and looks for a Source,
// and each rank receives the outcome in the same exchange. A failure on one rank is a failure on all:
// the run continues without the checkpoint, and does not begin at all without its Source.
//
// A reader gets the bytes that were written, or an error. A part names its checkpoint, so that files
// of two checkpoints do not mix, and every byte of an image counts in its digest.
//
// # Rejected designs
//
// One file for all ranks: ranks would have to agree on offsets before the first byte is written, or
// all images would pass through one rank. Ranks write parts at the same time without communicating,
// and readers with any number of ranks find a process by the manifest.
//
// Writing while the processes compute: they change the memory that is being written, so all of it
// would have to be copied before, and a run that fills its nodes has no room for the copy.
//
// Overwriting the checkpoint before: the write that fails is often the last of its run, and would
// leave no checkpoint.
//
// Silently resuming from an older checkpoint than the user has named: the user should be told that a
// disk loses bytes, and that hours would be computed again. The error names the file, and Before
// returns the checkpoint to use instead. A user who asks for the newest checkpoint gets the newest
// good one, with a warning.
package checkpoint

// Caller describes the caller of the engine, for manifests and messages.
type Caller struct {
	// Program is the program's name. A run resumes only from checkpoints of the same program.
	Program string
	// Args are the words that the program was started with, and Job is the resource
	// manager's name for the run; both may be empty.
	Args []string
	Job  string
	// Procs names the caller's setting for the number of processes. Parameter is the prefix that
	// makes the name of a parameter a setting of the caller.
	Procs, Parameter string
	// NoDirectory is the message for a checkpoint request without a directory.
	NoDirectory string
}

// Image is a process between two stages.
type Image struct {
	Pid      int
	Skeleton []byte   // contains the lengths of the spans
	Spans    [][]byte // the process's large memory, not copied
}
