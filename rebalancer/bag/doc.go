// Package bag distributes the tasks of a bag: tasks that do not depend on each
// other, on workers that are unequal, busy or may fail.
//
// Workers ask for tasks, and get a chunk of them at a time: the tasks First to
// First+Count-1. A policy, chosen by name (Parse), determines the size of chunks.
//
//	b := bag.New(tasks, workers, spec, bag.Options{})
//	chunk, answer := b.Give(worker, bag.Report{Now: now})           // the worker's first request
//	chunk, answer = b.Give(worker, bag.Report{Now: now, Chunk: chunk.Number, Computed: 1.5})
//
// A Bag is a state machine without clock, files, network or randomness: its answers
// follow from the calls and the times in them. A live run and a simulator drive the same
// Bag; they differ in the source of the times.
//
//	Give      a worker asks, and reports the chunk that it has computed: Work, Wait or Done
//	Wanted    reports whether a result still counts: the first one of a task does
//	Overdue   workers that have been silent for too long; Heard records a sign of life
//	Lose      a worker is given up: its tasks go back to the front of the bag
//	Wake      when an answer may change although no worker has reported
//	Add       more tasks: for a manager that draws chunks from another bag; Close: no more
//
// The driver answers requests in the order of arrival, simultaneous ones by the
// number of the worker. After the answer Wait a worker's request stays open: the
// driver asks again for it, with a Report that has only Now, after each other report or
// loss and at Wake.
//
// # Concepts and files
//
// A task is left, given, done or failed, and each is done or failed in the end (bag.go). A
// task that failed goes back to the front of the bag until it has failed Options.Retries
// times more.
//
// A policy determines the number of tasks for a worker (policy.go): workqueue, static, gss and
// factoring there, lds in lds.go and auto in auto*.go. The names and parameters of policies
// are in spec.go.
//
// In lds the worker has a Model of its own speed (model.go) and asks for the size of its
// next chunk: a driver keeps a Model for each worker on the worker's host, and sends its
// results along with the report. Drivers do that for all policies; the Model of a Spec
// without one returns zeros.
//
// Over Sets, the manager of each Set is a worker of the bag of rank 0, and has a bag for
// its Set with the same policy, which it fills with the chunks that it draws (manager.go).
//
// The policies follow T. Ferreto, C. De Rose, C. Northfleet, "Scheduling BoT Applications
// in Grids using a Slave Oriented Adaptive Algorithm" (2005), and the works that it cites.
package bag
