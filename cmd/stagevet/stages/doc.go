// Package stages is an analyzer that finds what programs of migbsp lose when
// a process moves between two stages.
//
// # The model
//
// A stage loop is a range over what the method Stages of *bsplib.Proc gives. At
// the end of each of its passes the process may move. It then enters the
// function again, with Fresh false and no values but those of the state, comes
// to the loop without a pass of the loops before, and goes on. A function that
// calls one with stages may lose its variables at the call in the same way;
// calls are followed within the package.
//
// The analyzer goes through a function on three ways: the first entry, a later
// entry up to the stages, and on across moves. A value is lost if it reaches
// the end of a stage but is not there on a later entry. It is reported if it
// may be read then before it is set again. Variables are followed each for
// itself, of structs the fields, of slices and maps the elements apart from the
// length.
//
// # What is found
//
//   - a variable that a stage sets, also by ++, op=, append, an element, &x given
//     to a call, a method that changes it, a literal that is called, and that is
//     read in a later stage or after the loop;
//   - a variable that is set on the first entry only (under Fresh) and read in
//     stages, after them or to begin them, and what is computed from it;
//   - a clock (Time, Superstep, time.Now) or a random number that is taken before
//     stages and read after them;
//   - a copy of a field of the state that the stage loop itself sets;
//   - a package variable that is set in stages, between them, or on the first
//     entry only, also in functions that are called there;
//   - stages within a stage, and stages that only the first entry comes to;
//   - fields of a program's state that the library cannot move.
//
// # What is taken to be right
//
// Memory of the state and of areas moves along: writing to it through a local
// slice or pointer is no finding, and neither is memory of a caller. So is a
// variable that each stage writes back to the field of the state that each
// entry takes it from, one that a stage leaves as each entry makes it (empty,
// or the same constant), and one that is made when it is nil or too short.
// An error that is known to be nil carries nothing.
//
// A variable counts as set if a statement above, in the same stage and under no
// more conditions, sets it; loops are taken to make a pass, one element to be
// all (except that of the stage's own index), and literals to be run where they
// are passed on.
//
// # What is not found
//
// Values that travel through memory a caller owns, through interfaces, channels
// and pointers to local variables kept in others; what functions of other
// packages write into slices given to them (but for copy, clear, Get, HPGet and
// Move); deferred calls; messages and Syncs between stages that are not repeated
// on a later entry; conditions that a first and a later entry decide
// differently without Fresh. Shake mode finds those when they are run.
package stages
