// Package search looks for a mapping of processes to ranks that takes least time.
//
// # Objective
//
// Let x be a mapping, h the one that is, T(x) the predicted time of a mean superstep to come
// (package cost), M(h,x) what the moves between them and the call take, and V what one second
// less per superstep is worth: the number of supersteps to come times the trust in
// forecasts. The search makes small
//
//	F(x) = V T(x) + p M(h,x)
//
// subject to the memory of ranks, to processes that cannot move and to ranks where none may go
// (what must leave one has left before). p is 1 unless what M takes may not be spent: then it doubles until it is (Lagrangian
// relaxation). Supersteps are kept apart: T sums over phases f, which are columns in which the
// same processes do the same part of the work,
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
// keeps all phases low at once (Azar et al. 1998), and what messages and the transfer add.
//
//	stay       h itself
//	relieved   h with overloaded ranks relieved down to 1 to 1.25 times the lower bound, by
//	           those processes that relieve most for their bytes; to multiples of that up to
//	           the load of h where such a mapping is better than all that was found before
//	clustered  partners joined by their traffic, heaviest edge first, up to a part of a rank's
//	           fair load (the coarsening of multilevel partitioning, Karypis and Kumar 1998)
//	gathered   all on a few Sets or on one host, where barriers are shorter there
//	scratch    all processes placed from nothing
//
// In haste, and of an instance of LargeRun processes and more, few mappings are made and only the best
// of them is improved. Of the large one these are those that move few, and those of partners where messages take a
// part of the time that counts; there partners are brought together only where messages count.
//
// # Neighbourhoods
//
// From each of these local search descends. A neighbour of x differs by
//
//	move       one process on another rank
//	swap       two processes that change places
//
// and those are looked at that take work off the rank which is busiest in a phase, or bring a
// process that talks much to the ranks of its partners. Estimates by phase choose eight of
// them, which are tried in full; where none makes F smaller, as among ranks that are equally busy, one may relieve a
// rank for less than that would be worth if it were the only busy one. A change costs the number of phases times the logarithm of
// the number of ranks (cost.MaxTree). Small instances try all moves and swaps. Then the best plan
// is perturbed by two to four random changes and improved again, and kept where it has become
// better: iterated local search (Lourenco, Martin, Stuetzle 2003). Last, every move is tried without, and taken back unless it is worth something (prune).
//
// Karmarkar and Karp's differencing was not used: it is for equal ranks and one phase, and its
// result has no relation to where processes are, so that nearly all would move.
//
// The effort is counted in changes looked at, not in seconds: all managers find the same.
package search
