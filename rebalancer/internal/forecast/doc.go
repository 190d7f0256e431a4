// Package forecast predicts what processes will have to do from what they did. It knows
// nothing of ranks.
//
// A Series has the work w(i,c) of process i in column c, one of the last 4 to 32 supersteps.
// The first superstep of a stage, the second ... are classes, which are never mixed. Learn
// makes the columns stand for the supersteps to come, by the first of these that applies:
//
//	told    the program has told its loads, and they would have foretold the columns better
//	        than the past (told.go): work = load times what work per load was
//	wave    who works is who worked in the superstep before, some pids further (wave.go):
//	        the columns are then samples of the wave as it goes on and ends
//	window  the last n columns, n as would have foretold best (window.go), of which
//	        differences between processes are kept as far as they lasted (habit.go)
//
// and in the last case weighs the columns by the trend of the total work of each class
// (trend.go). What remains of a difference d between a process and the mean is d times the
// correlation of consecutive columns: the best linear predictor under noise, as James and
// Stein (1961) shrink means.
package forecast
