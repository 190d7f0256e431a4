package checkpoint

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strconv"
)

// Hex is a number that manifests have in 16 hexadecimal digits.
type Hex uint64

// ID tells checkpoints apart, also those of the same name.
type ID = Hex

// NewID is one that no other checkpoint has.
func NewID() ID {
	var b [8]byte
	rand.Read(b[:])
	return ID(binary.LittleEndian.Uint64(b[:]))
}

// NewRun is a name for a run that no other one has.
func NewRun() string {
	var b [4]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// MarshalText writes the digits.
func (h Hex) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%016x", uint64(h)), nil }

// UnmarshalText reads the digits.
func (h *Hex) UnmarshalText(text []byte) error {
	x, err := strconv.ParseUint(string(text), 16, 64)
	if err != nil || len(text) != 16 {
		return fmt.Errorf("%q, expected 16 hexadecimal digits", text)
	}
	*h = Hex(x)
	return nil
}
