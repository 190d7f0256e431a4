// Package checkpoint writes the processes of a run to disk and reads them again,
// so that the same program can go on from there in another run: on other ranks,
// on another engine, after the machine was switched off.
//
// The main concepts are:
//
// An Image is a process as the engine hands it over between two stages: bytes
// that only the engine can make into a process again.
//
// A checkpoint is the images of all processes at the end of one stage, in a
// directory of its own that is named program-run-number. The directories of a run
// lie side by side in one that all hosts share. The newest two of them are kept:
// a reader who finds the newest damaged can go back.
//
// Each rank that has processes writes a part, a file of their images (part.go).
// Rank 0 writes the manifest (manifest.go): what the run was, where each image
// is, and each image's digest.
//
// A Keeper is a rank's part in the checkpoints of a run: it decides with the
// others when one is due, takes it in three exchanges, removes the old ones and
// says what became of it (keeper.go).
//
// A Source is a checkpoint from which a run goes on (source.go).
//
// # Invariants
//
// A checkpoint is complete or absent. Its manifest is what makes it complete, and
// comes into being at once, by rename, after all parts are on disk and rank 0 has
// seen each of them. Until then the directory is no checkpoint to any reader, and
// the older ones stay; when it is removed the manifest goes first.
//
// All ranks know the same. Rank 0 alone makes directories, commits and looks for a
// Source, and each rank learns the outcome in the same exchange. What fails on one
// rank has failed on all: the run goes on without the checkpoint, and does not
// begin at all without its Source.
//
// What is read is what was written. A part names its checkpoint, so that files of
// two checkpoints do not mix, and every byte of an image counts in its digest.
//
// # Ways that were rejected
//
// One file for all ranks: offsets have to be agreed on before the first byte is
// written, or all images pass through one rank. Parts are written at the same
// time without a word, and a process is found by the manifest whichever ranks
// there are.
//
// Writing while the processes compute: they change the memory that is being
// written, so that all of it has to be copied before, and a run that fills its
// nodes has no room for the copy.
//
// Writing over the checkpoint before: the write that fails is often the last one
// of its run, and would leave nothing.
//
// Going back by itself from a checkpoint that the user has named: a disk that
// loses bytes, and hours that would be computed again, are for the user to know of.
// The error names the file, and Before the checkpoint to take instead. Who asks for
// the newest, whichever it is, gets the newest good one and a warning.
package checkpoint

// Caller is who runs a program: what checkpoints and the messages about them say
// of it, in its own words.
type Caller struct {
	// Program is the program's name: a run goes on from its own checkpoints only.
	Program string
	// Args are the words that the program was started with, and Job is the resource
	// manager's name for the run; both may be empty.
	Args []string
	Job  string
	// Procs names the caller's setting for the number of processes. With Parameter
	// before it the name of a parameter is one that the caller knows.
	Procs, Parameter string
	// NoDirectory answers a request for a checkpoint that has no directory to go to.
	NoDirectory string
}

// Image is a process between two stages.
type Image struct {
	Pid      int
	Skeleton []byte   // says how long the spans are
	Spans    [][]byte // the process's large memory, where it lies
}
