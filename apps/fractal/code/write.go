package code

import (
	"encoding/binary"
	"hash/crc32"
	"math/bits"
)

const (
	magic      = "MFIC"
	version    = 1
	headBytes  = 24
	crcBytes   = 4
	shortBits  = 5 + 7 // of a code without a domain
	isometries = 3     // bits
)

// Write returns a picture's file. planes must contain matches for all ranges of all planes.
func Write(h Header, planes [][]Match) []byte {
	b := append([]byte(magic), version, byte(h.Planes), byte(h.Chroma), byte(h.Block))
	for _, x := range []int{h.Width, h.Height, h.Domains, 0} {
		b = binary.BigEndian.AppendUint32(b, uint32(x))
	}
	w := bitWriter{bytes: b}
	for i, matches := range planes {
		domain := h.Plane(i).domainBits()
		for _, m := range matches {
			w.put(uint32(m.Contrast+16), 5)
			w.put(uint32(m.Mean), 7)
			if m.Contrast != 0 {
				w.put(uint32(m.Isometry), isometries)
				w.put(uint32(m.Domain), domain)
			}
		}
	}
	b = w.bytes
	binary.BigEndian.PutUint32(b[headBytes-4:], uint32(len(b)-headBytes))
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
}

// domainBits returns the number of bits of a domain's number.
func (p Plane) domainBits() int { return bits.Len(uint(p.Domains - 1)) }
