// Package search searches for the mapping of processes to ranks with the least time.
//
// # Objective
//
// Let x be a mapping, h the present one, T(x) the predicted mean time of the coming supersteps
// (package cost), M(h,x) the time of the moves between them and of the call, and V the value of
// one second saved per superstep: the number of remaining supersteps times the trust in
// forecasts. The search minimizes
//
//	F(x) = V T(x) + p M(h,x)
//
// subject to the memory of ranks, to processes that cannot move and to ranks that accept none
// (processes on drained ranks have been moved before). p is 1 if the budget covers M; otherwise
// it doubles until the budget does (Lagrangian relaxation). Supersteps are kept apart: T sums
// over phases f, which are columns in which the same processes do the same part of the work,
//
//	T(x) = sum over f of weight(f) max over r of W(r,f)/v(r)  +  communication  +  barrier
//
// With one phase, no messages and no moves this is the scheduling of independent jobs on
// uniform machines for the least makespan, which is NP-hard (Garey and Johnson 1978); with
// several it is a vector scheduling problem (Chekuri and Khanna 2004).
//
// # Construction
//
// Several mappings are built, by list schedules: longest processing time first (Graham 1969),
// to the rank where an item costs least, for uniform machines as in Gonzalez, Ibarra and Sahni
// (1977). The price of a rank is the rise of the fourth power of its load, a potential that
// keeps all phases low at once (Azar et al. 1998), plus the cost of messages and of the transfer.
//
//	stay       h itself
//	relieved   h with overloaded ranks relieved down to 1 to 1.25 times the lower bound, by
//	           the processes that relieve most for their bytes; to multiples of that up to
//	           the load of h if such a mapping is better than all found before
//	clustered  partners joined by their traffic, heaviest edge first, up to a part of a rank's
//	           fair load (the coarsening of multilevel partitioning, Karypis and Kumar 1998)
//	gathered   all on a few Sets or on one host, where barriers are shorter
//	scratch    all processes placed from scratch
//
// With a small budget, and for LargeRun or more processes, few mappings are built and only the
// best is improved. A large instance uses the mappings that move few processes, and the clustered
// ones if messages take a considerable part of the time; only then does it improve traffic.
//
// # Neighbourhoods
//
// Local search descends from each of these. A neighbour of x differs by
//
//	move       one process on another rank
//	swap       two processes that exchange ranks
//
// The search considers neighbours that take work off the busiest rank of a phase, or move a
// process closer to its partners. Estimates by phase choose eight of them, which are tried in
// full. If none reduces F, as among equally busy ranks, one may relieve a rank by the value that
// it would have if that were the only busy rank. A change costs the number of phases times the
// logarithm of the number of ranks (cost.MaxTree). Small instances try all moves and swaps. Then
// the best plan is perturbed by two to four random changes and improved again, and kept if it is
// better: iterated local search (Lourenco, Martin, Stuetzle 2003). Finally each move is reverted
// unless it is worthwhile (prune).
//
// Karmarkar and Karp's differencing is not used: it is for equal ranks and one phase, and its
// result ignores the present mapping, so that nearly all processes would move.
//
// The effort is counted in evaluated changes, not in seconds: all managers find the same mapping.
package search
