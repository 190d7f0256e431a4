// Package forecast predicts the work of processes from their past. It does not
// depend on ranks.
//
// A Series has the work w(i,c) of process i in column c, one of the last 4 to 32 supersteps.
// Supersteps at the same position in their stages form a class; classes are never mixed. A
// Predictor derives a series whose columns represent the coming supersteps:
//
//	told    the loads declared by the program, times the past work per load (told.go)
//	wave    the active processes are those of the superstep before, shifted by some pids; the wave
//	        continues and ends (wave.go)
//	drift   the profile of the work over the pids moves at a constant speed (drift.go)
//	window  the last n columns: n = 1 of each class is the last superstep, all are the mean,
//	        and n is chosen (window.go)
//
// Coming selects a predictor. Declared loads and waves have tests of their own; the others are
// compared by their error on this run so far: the columns are split, and the later part is
// predicted from the earlier one (Error). This is the choice among experts by their past loss
// (Herbster and Warmuth 1998). A drift must be better by a margin, because it has more parameters
// to fit to noise. If mappings last for a few supersteps only, some columns of a window represent
// all observed supersteps.
//
// In a window, differences between processes are kept to the extent that they persist (habit.go): a
// difference d from the mean is expected to be d times the correlation of consecutive columns,
// the best linear predictor under noise, as James and Stein (1961) shrink means.
//
// Four more were built and measured, and dropped because they did not improve runs: the last
// superstep of each class alone (0.4 points worse, 7 of 126 cases against none), a line for each
// process or for all together (0.2 points worse, 14 cases against 2), and the columns of whole
// periods (no change in any case: the cost of a mapping over a period does not depend on the
// phase).
package forecast
