package code

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
)

// Read reads a picture's file. It accepts only the output of Write, to the last bit.
//
// Errors describe the mistake, without the name of the file. Allocations are limited by the file's
// length.
func Read(b []byte) (Header, [][]Match, error) {
	h, codes, err := readHead(b)
	if err != nil {
		return h, nil, err
	}
	ranges := 0
	for i := range h.Planes {
		ranges += h.Plane(i).Ranges()
	}
	if len(codes) < (ranges*shortBits+7)/8 {
		return h, nil, fmt.Errorf("%d bytes of codes are too few for %d blocks", len(codes), ranges)
	}
	r := bitReader{bytes: codes}
	planes := make([][]Match, h.Planes)
	for i := range planes {
		p := h.Plane(i)
		planes[i] = make([]Match, p.Ranges())
		for at := range planes[i] {
			m, err := p.readMatch(&r)
			if err != nil {
				return h, nil, fmt.Errorf("plane %d, block %d: %w", i, at, err)
			}
			planes[i][at] = m
		}
	}
	return h, planes, r.finish()
}

// readHead checks the whole and returns the bytes of the codes.
func readHead(b []byte) (Header, []byte, error) {
	var h Header
	switch {
	case len(b) < len(magic) || string(b[:len(magic)]) != magic:
		return h, nil, errors.New("it is no compressed picture of fractal: it does not begin with " + magic)
	case len(b) < headBytes+crcBytes:
		return h, nil, fmt.Errorf("it has only %d bytes; a head alone has %d", len(b), headBytes+crcBytes)
	case b[4] != version:
		return h, nil, fmt.Errorf("it has version %d; this program reads version %d", b[4], version)
	}
	word := func(at int) int { return int(binary.BigEndian.Uint32(b[at:])) }
	if have, want := len(b)-headBytes-crcBytes, word(headBytes-4); have != want {
		return h, nil, fmt.Errorf("it has %d bytes of codes, but should have %d: it is cut off or has grown", have, want)
	}
	end := len(b) - crcBytes
	if sum := crc32.ChecksumIEEE(b[:end]); sum != binary.BigEndian.Uint32(b[end:]) {
		return h, nil, fmt.Errorf("it is damaged: its bytes have the CRC %08x, but %08x is written", sum, b[end:])
	}
	h = Header{Planes: int(b[5]), Chroma: int(b[6]), Block: int(b[7]), Width: word(8), Height: word(12), Domains: word(16)}
	return h, b[headBytes:end], h.Check()
}

func (p Plane) readMatch(r *bitReader) (Match, error) {
	contrast, err := r.get(5)
	if err != nil {
		return Match{}, err
	}
	mean, err := r.get(7)
	if err != nil {
		return Match{}, err
	}
	m := Match{Contrast: int8(contrast) - 16, Mean: uint8(mean)}
	switch {
	case contrast == 0:
		return m, errors.New("its contrast is -16; expected -15 to 15")
	case m.Contrast == 0:
		return m, nil
	}
	isometry, err := r.get(isometries)
	if err != nil {
		return m, err
	}
	domain, err := r.get(p.domainBits())
	if err != nil {
		return m, err
	}
	m.Isometry, m.Domain = uint8(isometry), int32(domain)
	if int(domain) >= p.Domains {
		return m, fmt.Errorf("its domain is %d, but there are %d", domain, p.Domains)
	}
	return m, nil
}
