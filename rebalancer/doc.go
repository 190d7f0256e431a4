// Package rebalancer maps the processes of a BSP run to ranks, and decides when a rescheduling call is
// worth its cost.
//
// It is a deterministic state machine without clock, files or network: its results depend only on its
// inputs. A live run and a simulator drive the same Controller and Trigger; only the source of the
// measurements differs.
//
//	every superstep      Controller.Observe   measurements of the processes
//	end of a stage       Trigger              is a call due?
//	a rescheduling call  Controller.Report    this rank's report, for its Set's manager
//	                     Merge                on each manager, of all reports: a Snapshot
//	                     Controller.Decide    on each manager, from the same Snapshot: the same Decision
//	                     Controller.Adopt     on all ranks
//
// Times are in seconds. Work is in reference seconds: the time that it takes on an idle rank of speed
// 1. Processes are mapped to ranks; ranks form Sets (sites, clusters), each with a manager.
//
// Files and packages:
//
//	due.go, slowdown.go, pace.go     when to call: votes, slow stages, sampling; pace and cost of calls
//	history.go, potential.go         observations of a process, and its potential of migration
//	report.go, collect.go            reports to the managers, and merging them; wire.go encodes them, and
//	                                 the notices to ranks that do not decide
//	changes.go                       omission of unchanged processes from reports
//	decision.go, decide.go           moves and their reasons: requested by a process, off drained ranks
//	                                 (forced.go), or chosen by the strategy
//	viability.go, candidates.go      destinations and candidates in the published strategies
//	bank.go, balance.go, spend.go    the saving over the initial mapping and the loss limit: rules, account,
//	                                 and spending; audit.go measures
//	guard.go, speeds.go              whether moves paid, and the speeds and trust that follow from it
//	platform                         the machine: ranks, Sets and links (platform.go aliases it here)
//	strategy.go, spec.go             the interface of strategies, and their names and parameters
//	auto.go, model.go                the default strategy, which uses three internal packages:
//	internal/forecast                forecast of the processes' work
//	internal/cost                    time of a superstep under a mapping, and cost of changing the mapping
//	internal/search                  search for the mapping with the least time
//	internal/params                  tuning constants with units and reasons; spec.go can override them
//	predict.go                       confidence of forecasts, and expected savings
//
// A strategy is a [Definition] in its own file, such as pwor.go, and a name in spec.go: see [Strategy].
//
// The model is MigBSP's: R. da Rosa Righi, L. Pilla, A. Carissimi, P. Navaux, H.-U. Heiss, "MigBSP: A
// Novel Migration Model for Bulk-Synchronous Parallel Processes Rescheduling" (2009) and the works that
// followed it.
package rebalancer
