package cbsp

import "embed"

// Files has the sources for compiling C, C++ and Fortran programs: headers in include, and in
// library level 1 and the names that Fortran programs call.
//
//go:embed include library
var Files embed.FS
