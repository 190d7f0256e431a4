package main

import (
	"bufio"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/migbsp/migbsp/apps/internal/lines"
	"github.com/migbsp/migbsp/apps/internal/numbers"
	"github.com/migbsp/migbsp/bsplib"
)

// state is one process's part of the vector: numbers Pid, Pid+Parts, Pid+2*Parts ...
type state struct {
	X     bsplib.Area[complex128]
	File  []complex128 // initial numbers of X, if they were read from a file
	Parts int          // processes that have a part
	Began time.Duration
}

// setUp makes the vector, which can be used after the next Sync.
func (s *state) setUp(b *bsplib.Proc, p parameters) error {
	s.Parts = sharers(b.NProcs(), p.n)
	local := p.n / s.Parts
	if b.Pid() >= s.Parts {
		local = 0
	}
	s.X = bsplib.Alloc[complex128](b, local)
	if p.in != "" {
		if err := s.deal(b, p); err != nil {
			return err
		}
	}
	s.fill(b, p)
	return nil
}

// fill sets the vector's initial numbers.
func (s *state) fill(b *bsplib.Proc, p parameters) {
	for i := range s.X.Slice() {
		s.X.Slice()[i] = s.original(b, p, i)
	}
}

// original returns the initial value of this process's number i.
func (s *state) original(b *bsplib.Proc, p parameters, i int) complex128 {
	if s.File != nil {
		return s.File[i]
	}
	j := uint64(b.Pid() + i*s.Parts)
	if p.wave {
		return wave(j*p.frequency(), uint64(p.n))
	}
	return complex(uniform(p.seed, 2*j), uniform(p.seed, 2*j+1))
}

// frequency returns the frequency of the wave.
func (p parameters) frequency() uint64 { return numbers.Mix(p.seed) % uint64(p.n) }

// wave is exp(2 pi i j / n), for n a power of two.
func wave(j, n uint64) complex128 {
	sin, cos := math.Sincos(2 * math.Pi * float64(j%n) / float64(n))
	return complex(cos, sin)
}

// counted caches the numbers of values in files.
var counted = lines.Counted{Count: count}

// count returns the number of values in a file, which must be a power of two.
func count(name string) (n int, err error) {
	err = readNumbers(name, func(complex128) { n++ })
	if err == nil && (n == 0 || n&(n-1) != 0) {
		err = fmt.Errorf("%s has %d numbers; expected a power of two", name, n)
	}
	return n, err
}

// readNumbers calls each with the numbers of a file.
func readNumbers(name string, each func(complex128)) error {
	return lines.Open(name, func(l *lines.Line) error {
		if l.Comment('#') {
			return nil
		}
		re, err := l.Float()
		if err != nil {
			return err
		}
		im := 0.0
		if !l.Done() {
			if im, err = l.Float(); err != nil {
				return err
			}
		}
		each(complex(re, im))
		return l.End()
	})
}

// deal sends all processes their numbers of a file, which process 0 reads.
func (s *state) deal(b *bsplib.Proc, p parameters) error {
	whole := make([][]complex128, b.NProcs())
	if b.Pid() == 0 {
		j := 0
		err := readNumbers(p.in, func(x complex128) {
			whole[j%s.Parts] = append(whole[j%s.Parts], x)
			j++
		})
		if err != nil {
			return err
		}
		if j != p.n {
			return fmt.Errorf("%s has %d numbers now, and had %d", p.in, j, p.n)
		}
	}
	s.File = append([]complex128{}, bsplib.AllToAll(b, whole)[0]...)
	return nil
}

// write writes the vector to a file, if one was asked for.
func (s *state) write(b *bsplib.Proc, p parameters) error {
	if p.out == "" {
		return nil
	}
	parts := bsplib.Gather(b, 0, s.X.Slice())
	if b.Pid() != 0 {
		return nil
	}
	return lines.Write(p.out, func(w *bufio.Writer) error {
		var line []byte
		for j := range p.n {
			x := parts[j%s.Parts][j/s.Parts]
			line = strconv.AppendFloat(line[:0], real(x), 'g', -1, 64)
			line = strconv.AppendFloat(append(line, ' '), imag(x), 'g', -1, 64)
			if _, err := w.Write(append(line, '\n')); err != nil {
				return err
			}
		}
		return nil
	})
}

// uniform is a number in [-0.5, 0.5) that depends on both arguments.
func uniform(seed, i uint64) float64 {
	return float64(numbers.Mix(numbers.Mix(seed)+i)>>11)/(1<<53) - 0.5
}
