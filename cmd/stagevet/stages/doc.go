// Package stages is an analyzer that finds what programs of migbsp lose when
// a process moves between two stages.
//
// # Concepts
//
// A stage loop is a range over what Proc.Stages gives. In SSA form its body is a
// function of its own, the yield function, and what stages share is what this
// function captures. At the end of each pass the process may move. It then
// enters the root, which is the program, again: Fresh is false, finished loops
// yield nothing, and the current loop goes on at its stage.
//
// A frame is a function in the context of one call. From the root, calls are
// followed within the package, through methods, interfaces, closures, callbacks,
// iterators and generic functions; so stages may run in a method of a solver or
// in a helper. The SSA form is the naive one, in which all variables keep their
// memory: a load is a read in the source, and a store an assignment. (The pass
// buildssa lifts variables into registers, and what is captured late, such as a
// clock read before the stages and used after them, would have no place.)
//
// An object is a piece of memory, by the instruction that makes it in a frame: a
// variable, a slice, a map, a channel, a struct. A place is a part of one: a
// field, or its elements. What references may lead to is found out first,
// without regard to order. Memory of the state, of areas and of callers moves
// along; what the program makes by itself is made anew on each entry.
//
// # What counts as carried
//
// The frames become one graph, which is gone through in two worlds. In the world
// entered are the definitions that a later entry has when it comes to a stage
// loop; in the world stayed those of a process that did not move. A definition
// that reaches the end of a stage in stayed is lost if entered does not have it,
// or has it with another value, and it is a finding if it reaches a read, in a
// later stage or behind the loop, before the place is set again. Findings are
//
//   - places that a stage sets, directly or through a pointer, slice, map,
//     channel, interface or closure, or a known function such as sort.Ints;
//   - places that are set on the first entry only (under Fresh), and what is
//     computed from them;
//   - a clock or a random number taken before stages and read after them;
//   - a copy of a part of the state that the stages change;
//   - package variables set in stages, between them, or on the first entry only;
//   - stages within a stage, and stages that only the first entry comes to;
//   - parts of the state that cannot move.
//
// # What is taken to be right
//
// A value carries nothing that each entry makes again: what is made when it is
// missing (nil, too short, not in the map, a flag not set, sync.Once), as far as
// it depends neither on the stage nor on what stages change; what a stage leaves
// empty or with the constant that each entry gives it; what is written back to
// the part of the state that each entry takes it from; an error known to be nil.
// Memory that is read for its capacity only (x[:0], cap) carries nothing either.
//
// A comment //stagevet:ok with a reason, on the line of a finding or above it,
// silences it.
//
// # What is assumed
//
// Loops make at least one pass. One element stands for all, but for that of the
// stage's own index and for constant indices of arrays. Functions given to other
// packages are run where they are given. Conditions written alike come out
// alike within a stage. Functions of other packages read what they are given;
// those that set it are known by name. A pointer that a method of a root is
// called on is the state's, unless its type cannot move.
//
// # Known limits
//
// Not found is what other packages do: values that their functions keep (a file's
// position, an iterator that is pulled), or write into slices given to them, but
// for those known by name; stages that they run; objects that they make of the
// state. Not found either are values carried by one element while the stage sets
// another at a variable index, by conditions that tell a first entry from others
// by the state instead of Fresh, by the order of messages, and what lies behind
// recursion or more than ten calls deep.
//
// Blamed wrongly are memory that a stage fills in part and reads as far as it has
// filled it, memory that is one of several by an index, and values that are set
// before they are read under conditions that differ in form but not in truth.
// The programs in testdata/src/limits show both. Shake mode (-shake) finds what
// is missed when a program is run.
package stages
