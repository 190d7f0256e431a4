// Package randprog generates random programs of bsplib. It runs a program on the library, and on a
// model that shares only the rules with the library, and compares all memory and all messages of all
// processes at the start of each superstep.
package randprog
