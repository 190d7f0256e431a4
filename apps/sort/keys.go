package main

import (
	"bufio"
	"fmt"
	"math"
	"strconv"

	"github.com/migbsp/migbsp/apps/internal/lines"
	"github.com/migbsp/migbsp/apps/internal/numbers"
	"github.com/migbsp/migbsp/bsplib"
)

// A key is a number in a form that sorts like one: comparing keys compares numbers.
func key(x float64) uint64 {
	if bits := math.Float64bits(x); bits>>63 == 0 {
		return bits | 1<<63
	} else {
		return ^bits
	}
}

func number(key uint64) float64 {
	if key>>63 == 0 {
		return math.Float64frombits(^key)
	}
	return math.Float64frombits(key &^ (1 << 63))
}

var distributions = []string{"uniform", "gauss", "zipf", "sorted", "equal"}

// random is number i of a list.
func (p parameters) random(list, i int) float64 {
	seed := numbers.Mix(numbers.Mix(p.seed) + uint64(list))
	u, v := uniform(seed+2*uint64(i)), uniform(seed+2*uint64(i)+1)
	switch p.dist {
	case "gauss":
		return math.Sqrt(-2*math.Log(1-u)) * math.Cos(2*math.Pi*v)
	case "zipf": // k with a probability of about 1/k, up to a million
		return math.Floor(math.Exp(u * math.Log(1e6)))
	case "sorted":
		return float64(i)
	case "equal":
		return 1
	}
	return u
}

// first is the index of the first number of a process's block; the block ends before the
// next process's first.
func (p parameters) first(pid, procs int) int { return pid * p.n / procs }

// make makes this process's block of a list, or gets it from process 0, which reads it.
func (s *state) make(b *bsplib.Proc, p parameters, list int) error {
	first, end := p.first(b.Pid(), b.NProcs()), p.first(b.Pid()+1, b.NProcs())
	s.Keys = s.Keys[:0]
	if p.in == "" {
		for i := first; i < end; i++ {
			s.Keys = append(s.Keys, key(p.random(list, i)))
		}
	} else {
		blocks := make([][]uint64, b.NProcs())
		if b.Pid() == 0 {
			if err := p.readBlocks(blocks); err != nil {
				return err
			}
		}
		s.Keys = append(s.Keys, bsplib.AllToAll(b, blocks)[0]...)
	}
	s.Found.before(s.Keys)
	return nil
}

// readBlocks reads the blocks of all processes.
func (p parameters) readBlocks(blocks [][]uint64) error {
	i, pid := 0, 0
	err := readNumbers(p.in, func(x float64) {
		for i++; pid+1 < len(blocks) && i > p.first(pid+1, len(blocks)); pid++ {
		}
		blocks[pid] = append(blocks[pid], key(x))
	})
	if err == nil && i != p.n {
		err = fmt.Errorf("%s has %d numbers now, and had %d", p.in, i, p.n)
	}
	return err
}

// lengths caches the numbers of values in files.
var lengths = lines.Counted{Count: count}

func count(name string) (n int, err error) {
	err = readNumbers(name, func(float64) { n++ })
	return n, err
}

// readNumbers calls each with the numbers of a file, whose lines may have several.
func readNumbers(name string, each func(float64)) error {
	return lines.Open(name, func(l *lines.Line) error {
		for !l.Comment('#') {
			x, err := l.Float()
			if err != nil {
				return err
			}
			each(x)
		}
		return nil
	})
}

// write writes all numbers to a file, if one was asked for.
func (s *state) write(b *bsplib.Proc, p parameters) error {
	if p.out == "" {
		return nil
	}
	parts := bsplib.Gather(b, 0, s.Keys)
	if b.Pid() != 0 {
		return nil
	}
	return lines.Write(p.out, func(w *bufio.Writer) error {
		var line []byte
		for _, keys := range parts {
			for _, k := range keys {
				line = append(strconv.AppendFloat(line[:0], number(k), 'g', -1, 64), '\n')
				if _, err := w.Write(line); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// uniform is a number in [0, 1) that depends on i.
func uniform(i uint64) float64 { return float64(numbers.Mix(i)>>11) / (1 << 53) }
