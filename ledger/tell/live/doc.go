// Package live shows a run while it goes on, from the record that the program
// writes. The program's processes never draw anything.
//
// A Follower reads the record as it grows. A State sums up the entries that it reads,
// in memory that does not grow with their number.
// Frame lays a State out in lines for a size. A Terminal puts frames on a screen
// and takes keys, and leaves the screen as it was. Watch joins them.
package live
