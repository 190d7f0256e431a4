package profile

import (
	"encoding/json"
	"io"
	"math"
	"strconv"

	"github.com/migbsp/migbsp/internal/untrusted"
)

// mostHead bounds the bytes in which readKey looks for a key.
const mostHead = 64 << 10

// readKey returns the key of a profile without reading the rest of its file. It does not check the
// digest: the key only decides which file is read first.
func readKey(name string) (k Key) {
	file, err := untrusted.Open(name)
	if err != nil {
		return k
	}
	defer file.Close()
	in := json.NewDecoder(io.LimitReader(file, mostHead))
	for token, err := in.Token(); err == nil; token, err = in.Token() {
		if token == "key" {
			if in.Decode(&k) != nil {
				return Key{}
			}
			return k
		}
	}
	return k
}

// distance returns how far the parameters of a key are from k's, 0 if they are equal: the sum of
// the logarithms of the ratios of numbers, and 1 for each other difference. It is infinite for
// another program.
func (k Key) distance(other Key) float64 {
	if !k.related(other) {
		return math.Inf(1)
	}
	sum := math.Abs(float64(len(k.Parameters) - len(other.Parameters)))
	for i, p := range k.Parameters[:min(len(k.Parameters), len(other.Parameters))] {
		q := other.Parameters[i]
		if p.Name != q.Name {
			sum++
			continue
		}
		sum += farApart(p.Value, q.Value)
	}
	return sum
}

func farApart(a, b string) float64 {
	if a == b {
		return 0
	}
	x, err := strconv.ParseFloat(a, 64)
	y, failed := strconv.ParseFloat(b, 64)
	if ratio := math.Abs(math.Log(x / y)); err == nil && failed == nil && ratio < 1 {
		return ratio
	}
	return 1
}
