// Package forecast predicts what processes will have to do from what they did. It knows
// nothing of ranks.
//
// A Series has the work w(i,c) of process i in column c, one of the last 4 to 32 supersteps.
// The first superstep of a stage, the second ... are classes, which are never mixed. A
// Predictor makes of it a series whose columns stand for the supersteps to come:
//
//	told    the loads that the program tells, times what work per load was (told.go)
//	wave    who works is who worked in the superstep before, some pids further; the wave
//	        goes on and ends (wave.go)
//	drift   the profile of the work over the pids wanders around and goes on so (drift.go)
//	window  the last n columns: n = 1 of each class is the last superstep, all are the mean,
//	        and n is chosen (window.go)
//
// Coming takes the one that is right. What was told and a wave are believed by tests of their
// own; the others by the error that they would have made on this run so far: the columns are
// cut in two, and the later part is foretold from the earlier one (Error). This is the choice
// among experts by their past loss (Herbster and Warmuth 1998). A drift must be better by a
// margin, for it has more ways to fit by chance. Where mappings last for a few supersteps only, some of
// a window's columns are of all that was seen.
//
// Of a window, differences between processes are kept as far as they last (habit.go): what
// remains of a difference d from the mean is d times the correlation of consecutive columns,
// the best linear predictor under noise, as James and Stein (1961) shrink means.
//
// Four more were built and measured, and dropped because runs were no better for them:
// the last superstep of each class alone (0.4 points worse, 7 of 126 cases against none), a
// line for each process or for all together (0.2 points worse, 14 cases against 2), and the columns of whole
// periods (no change in any case: what a mapping costs over a period does not depend on
// where in it the run is).
package forecast
