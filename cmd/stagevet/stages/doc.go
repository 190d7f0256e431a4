// Package stages is an analyzer that finds values that programs of migbsp lose when a
// process moves between two stages.
//
// # Concepts
//
// The analyzer runs a program as a process does, from its root, with memory that stores, for each
// location, its possible values and the instructions that set them (memory.go, walk.go). It follows
// calls within the package, each as a separate frame, so stages may run in a method of a solver or in
// a helper that is given a callback. Functions of other packages are recognised by their names
// (calls.go). In the naive SSA form, which it uses, all variables keep their memory; the body of a
// stage loop is its yield function. A few paths are kept separate, so that a flag stays associated
// with values set along with it.
//
// A program is run twice. The process entered has moved: Fresh is false, finished loops yield no
// stages, and it enters a stage with the values that each entry makes. The process that stayed goes
// through all stages; at the end of each, the values in memory become old. Its reads of old values
// are checked (findings.go).
//
// # Lost values
//
// An old value that a stage has set is lost if the process entered may find another value
// at this read, such as the initial zero; or if the process entered always sets it itself
// and the value depends on the stage or the state. A value set under Fresh only is lost if
// the process entered does not find it. The state moves, with all memory that it leads to,
// and so do areas and queues.
//
// These are right: values that each entry makes again if they are missing (sync.Once, nil tables,
// flags, keys of a map), if the test has no other effect; constants that each entry begins with;
// values that are written back to the part of the state from which each entry takes them; memory that
// is used for its capacity only.
//
// # Assumptions
//
// Loops make at least one pass. An element stands for all, if it is set in a loop or at an
// index that is not the stage's. Functions given to other packages are run at the call. The
// analyzer does not search for misuse that the library itself refuses: stages within
// stages, and fields of the state that cannot move.
//
// # Known limits
//
// Of the programs in testdata it finds 56 of 66 wrong ones in lost and limits, and blames 2 of 63
// right ones in kept and limits. It does not find values that other packages keep (files, pulled
// iterators), elements if others are set after them, package variables set by element, select,
// recursion, copies of parts of the state, and values that the first entry sets and reads before a
// stage has ended. Shake mode (-shake) finds these when a program is run.
package stages
