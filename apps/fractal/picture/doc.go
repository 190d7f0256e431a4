// Package picture reads and writes PNG files, makes a picture to try things on, and
// takes pictures apart into planes of luminance and chrominance.
package picture
