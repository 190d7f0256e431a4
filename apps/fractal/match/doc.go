// Package match finds for blocks of a picture, the ranges, which of larger blocks,
// the domains, resemble them most: the search of fractal image compression.
//
// A domain is given shrunk to the size of a range, as sums of four pixels. It stands
// for a range as mean + contrast/64 * (domain - its mean), in one of eight
// isometries. All arithmetic that decides is on whole numbers, so that the result
// does not depend on the order of comparisons nor on the machine.
package match
