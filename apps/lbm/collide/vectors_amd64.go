//go:build !purego && !noasm

package collide

import "golang.org/x/sys/cpu"

// hasVectors reports whether the processor has AVX2. Tests change it.
var hasVectors = cpu.X86.HasAVX2

// lanes is the number of cells in a vector.
const lanes = 4

// Kernel names the kernel in use: "AVX2" or "generic".
func Kernel() string {
	if hasVectors {
		return "AVX2"
	}
	return "generic"
}

// vectors computes cells of a piece in vector instructions, if the processor supports them, and
// returns the index of the first remaining cell. Its operations and results equal generic's.
func (c *Collision) vectors(out, in [][]float64, m *Moments, from, to int) int {
	n := to - from
	if !hasVectors || n < lanes {
		return from
	}
	if len(in) == 9 {
		find9AVX2(m, &in[0], from, n, c.half)
	} else {
		find19AVX2(m, &in[0], from, n, c.half)
	}
	for k := range c.pairs {
		p := &c.pairs[k]
		relaxAVX2(&out[p.a][from], &out[p.b][from], &in[p.a][from], &in[p.b][from], m, &m.speed[k], &p.rates, n)
	}
	return to
}

// find9AVX2 and find19AVX2 are find9 and find19 for n cells from the given one on, and relaxAVX2 is
// relax for n cells, where lanes <= n <= piece. They may compute a cell twice.
//
//go:noescape
func find9AVX2(m *Moments, in *[]float64, from, n int, half float64)

//go:noescape
func find19AVX2(m *Moments, in *[]float64, from, n int, half float64)

//go:noescape
func relaxAVX2(outA, outB, inA, inB *float64, m *Moments, speed *[piece]float64, r *rates, n int)
