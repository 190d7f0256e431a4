// Package rebalancer decides which process of a BSP run should run on which
// rank, and when it is worth asking.
//
// It is a state machine without clock, files, network or randomness of its
// own: what it answers follows from what it was told. A live run and a
// simulator drive the same Controller and Trigger; they differ in who measures.
//
//	every superstep      Controller.Observe   what the processes did
//	end of a stage       Trigger              is it time to ask?
//	a rescheduling call  Controller.Report    what this rank knows, for its Set's manager
//	                     Merge                on each manager, of all reports: a Snapshot
//	                     Controller.Decide    on each manager, from the same Snapshot: the same Decision
//	                     Controller.Adopt     on all ranks
//
// Times are seconds; work is in reference seconds: what a rank of speed 1 that
// has nothing else to do needs for it. Which processes run where is counted in
// ranks; ranks form Sets (sites, clusters), each with a manager.
//
// Where to look:
//
//	due.go, slowdown.go, pace.go     when to ask: votes, slow stages, sampling; the pace, and what a call takes
//	history.go, potential.go         what is observed of a process, and what moving it promises
//	report.go, collect.go            what managers are told, and how it is put together; wire.go has it in bytes, with
//	                                 what ranks are told that do not decide
//	changes.go                       what they are not told, as they expect it
//	decision.go, decide.go           what moves, and why: at a process's own wish, off drained ranks (forced.go),
//	                                 as the strategy has it
//	viability.go, candidates.go      where to, and which processes, in the papers' strategies
//	bank.go, balance.go, spend.go    what the run has gained over its beginning, and may lose: the rules, the
//	                                 account at a call, and what may be spent of it; audit.go measures
//	guard.go, speeds.go              whether moves paid, and what that says about ranks and predictions
//	platform                         the machine: ranks, Sets and links (platform.go names it here)
//	strategy.go, spec.go             the interface of strategies, and their names and parameters
//	auto.go, model.go                this library's own strategy, which has three rooms of its own:
//	internal/forecast                what processes will have to do
//	internal/cost                    what that takes on a mapping, and what it takes to change it
//	internal/search                  the mapping that takes least
//	internal/params                  constants that matter, with unit and reason; spec.go lets measurements change them
//	predict.go                       how sure forecasts are, and what moves save
//
// A strategy is a [Definition] in a file of its own, such as pwor.go, and a name in
// spec.go: see [Strategy].
//
// The model is MigBSP's: R. da Rosa Righi, L. Pilla, A. Carissimi, P. Navaux,
// H.-U. Heiss, "MigBSP: A Novel Migration Model for Bulk-Synchronous Parallel
// Processes Rescheduling" (2009) and the works that followed it.
package rebalancer
