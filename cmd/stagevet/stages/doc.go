// Package stages is an analyzer that finds what programs of migbsp lose when a
// process moves between two stages.
//
// # Concepts
//
// The analyzer runs a program as a process does, from its root, with memory that
// says for each place which values may stand there and which instruction set
// them (memory.go, walk.go). Calls are gone into within the package, each as a
// frame of its own, so stages may run in a method of a solver or in a helper that
// is given a callback. Functions of other packages are known by their names
// (calls.go). The SSA form is the naive one, in which all variables keep their
// memory; the body of a stage loop is its yield function. On a few paths values
// are kept apart, so that a flag and what is set along with it go together.
//
// A program is run twice. The process entered has moved: Fresh is false, finished
// loops yield nothing, and it comes to a stage with what each entry makes. The
// process that stayed goes through all stages; at the end of each, the values in
// memory become old. What it reads and is old is judged (findings.go).
//
// # What counts as carried
//
// An old value that a stage has set is lost if the process entered may find
// another at this read, such as the zero it begins with; or if it always sets it
// itself and the value depends on the stage or the state. A value set under Fresh
// only is lost if the process entered does not find it. The state moves along,
// with what it leads to, and so do areas and queues.
//
// Right are: what each entry makes again when it is missing (sync.Once, nil
// tables, flags, keys of a map), if the test decides over nothing but that;
// constants that each entry begins with; what is written back to the part of the
// state that each entry takes it from; memory that is used for its capacity only.
//
// # What is assumed
//
// Loops make at least one pass. An element stands for all, if it is set in a loop or
// at an index that is not of the stage. Functions given to other packages are run
// where they are given. What the library refuses itself is not looked for: stages
// within stages, and fields of the state that cannot move.
//
// # Known limits
//
// Of the programs in testdata, 56 of 66 wrong ones are found in lost and limits,
// and 2 of 63 right ones are blamed in kept and limits. Not found are values that
// other packages keep (files, pulled iterators), elements if others are set after
// them, package variables set by element, select, recursion, copies of parts of the
// state, and what the first entry sets and reads before a stage has ended. Shake
// mode (-shake) finds what is missed when a program is run.
package stages
