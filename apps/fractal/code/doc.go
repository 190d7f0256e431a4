// Package code encodes the pictures of fractal as a domain for each range, reads and writes them as
// files, and renders them.
//
// A file is, with numbers of several bytes in big-endian order:
//
//	"MFIC"      magic
//	1           version
//	planes      1: grey, 3: luminance and two of chrominance
//	chroma      1: chrominance has all pixels, 2: one for 2 x 2; 1 for grey pictures
//	block       side of the range blocks: 4, 8, 16 or 32
//	width       4 bytes, and height, of the picture
//	domains     4 bytes: of the first plane
//	length      4 bytes: of the codes
//	codes       of all ranges, plane by plane, row by row, as bits from the highest of each byte on
//	crc         4 bytes: CRC-32 (IEEE) of all before
//
// The code of a range is 5 bits contrast + 16, 7 bits half its mean and, unless the
// contrast is 0, 3 bits isometry and the bits that the number of the plane's domains needs.
// Bits after the last code are 0.
package code
