package cbsp

import "embed"

// Files are what C, C++ and Fortran programs are compiled with: headers in include, and in
// library the sources of level 1 and of the names that Fortran programs call.
//
//go:embed include library
var Files embed.FS
