// Package probe measures the resources of the ranks of a run: the speed of cores, the share of a
// core that a rank gets, the cost of a barrier, the links between Sets of hosts, and memory. It
// also names ranks that do not answer. Programs link it through bsplib; package survey below has
// the measurements of `migbsp probe` and `migbsp doctor`.
//
// # Concepts
//
//   - Speed: the steps of a core in a second of its own time, by three small loops.
//     QuickSpeed runs one of them. It is a property of the processor: other programs on
//     the core do not matter.
//   - CoreShare: the part of its core that a rank gets. It is a property of the moment:
//     other programs, quotas and the host of a virtual machine lower it. The speed
//     of a rank is the product of both.
//   - Quota: the limit of the control groups (cgroups) of a process, in cores.
//     RankQuota divides it among the ranks of a node.
//   - Way: latency and time per byte of messages from one Set to another. LinkMeter
//     measures it by messages between the managers of Sets, in rounds of pairs.
//   - Calibration: all ranks of a run measure together, before it and during it.
//   - Watchdog: it ends a run whose ranks wait for one that does not answer.
//
// # Times and costs of measurements
//
// Before an MPI run, Calibrate: twice 15 rounds of a loop for the speed (less than a millisecond
// each), two to five empty supersteps for the barrier, and with several nodes 50 ms for all links,
// unless a few short messages take longer.
//
// During the run, at rescheduling calls: the CoreShare from the times of past work, which costs
// nothing, or, on a rank without work, from a burst of 0.5 to 5 ms; the quota, from a dozen small
// files; free memory, at most once a second; the links, when the share of the run's time that
// Plan.Share grants has added up to the least cost of a measurement, or when ten times as much is
// at stake.
//
// # Invariants
//
//   - Work is timed by the clock of the thread that does it, so the thread is locked
//     to its goroutine meanwhile: another thread's clock has another zero.
//   - A CoreShare never exceeds the quota. A burst ends before the kernel enforces a quota,
//     which it does in periods of 100 ms, and a rank that waits saves up some of it.
//   - All ranks make the same calls with the same figures, and so come to the same
//     results: Combine merges the figures, and none depends on a rank's own clock
//     alone. Budgets are therefore credited from the interval that a rescheduling call
//     has agreed on, the longest of all ranks.
//   - In a round of links each rank has one partner at most. A new measurement replaces
//     the last one only if they differ by more than the error of a short measurement.
//   - A rank that waits for a single rank reports it before ranks that wait for several: its
//     error names the late rank.
//
// Rejected: links measured within a node, because a message there shows which programs have the
// cores; the load average as a measure of a rank's share, because it is a mean of minutes and
// counts the run itself; a time limit on each receive, because MPI has none: so the watchdog is
// another goroutine, and the waiting one may never come back.
package probe
