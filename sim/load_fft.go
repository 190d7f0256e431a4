package sim

import (
	"fmt"
	"math"
	"math/bits"
)

// FFT is Fourier transforms, forward and back, of a vector that is distributed cyclically,
// as [github.com/migbsp/migbsp/apps/fft] computes them. Process i has the numbers i, i+p,
// i+2p and so on, local in all. It transforms these, and then gives number k to where
// all numbers k of a group of processes are transformed: at first the group is all, and
// each redistribution makes groups smaller, local times. A superstep that computes and
// one that redistributes take turns; the first and last of a transform compute.
type FFT struct {
	Size       int     // numbers, a power of two
	Procs      int     // the largest power of two of them that gives each two numbers computes
	Iterations int     // forward and back
	Flops      float64 // operations for each number, and each doubling of the length
	Element    float64 // bytes of a number
}

// Processes implements Workload, as do the other exported methods.
func (f *FFT) Processes() int { return f.Procs }
func (f *FFT) Steps() int     { return f.Iterations * f.period() }

// State returns the bytes of a process's part of the vector.
func (f *FFT) State(pid int) float64 {
	if pid >= f.parts() {
		return 0
	}
	return float64(f.local()) * f.Element
}

// parts returns the number of processes that compute, local the numbers of each.
func (f *FFT) parts() int { return 1 << (bits.Len(uint(max(1, min(f.Procs, f.Size/2)))) - 1) }
func (f *FFT) local() int { return f.Size / f.parts() }

// group returns the number of processes that share a transform after some redistributions.
func (f *FFT) group(redistributions int) int {
	size := f.parts()
	for range redistributions {
		size = max(1, size/f.local())
	}
	return size
}

// redistributions returns their number in a transform, period the supersteps of an
// iteration.
func (f *FFT) redistributions() (n int) {
	for f.group(n) > 1 {
		n++
	}
	return n
}

func (f *FFT) period() int { return 4*f.redistributions() + 1 }

func (f *FFT) Fill(step int, s *Step) error {
	step %= f.period()
	n := f.redistributions()
	if step%2 == 1 {
		s.Site = "redistribute"
		f.redistribute(step/2%n, s)
		return nil
	}
	s.Site = "transform"
	work := 0.0
	if round := step / 2; round <= n {
		work += f.round(round)
	}
	if round := step/2 - n; round >= 0 {
		work += f.round(round)
	}
	for pid := range f.parts() {
		s.Work[pid] = work
	}
	return nil
}

// rotation is the operations for a number that is multiplied by a root of unity and scaled.
const rotation = 8

// round fills in the work between two redistributions.
func (f *FFT) round(round int) float64 {
	length := f.local()
	if round > 0 {
		length = min(length, f.group(round-1))
	}
	work := f.Flops * math.Log2(float64(length))
	if round < f.redistributions() {
		work += rotation
	}
	return work * float64(f.local())
}

// redistribute sends numbers within groups. Processes of a group are stride apart.
func (f *FFT) redistribute(round int, s *Step) {
	local, group, stride := f.local(), f.group(round), 1
	for range round {
		stride *= local
	}
	next := f.group(round + 1)
	bytes := f.Element * float64(max(1, local/group))
	for from := range f.parts() {
		member, first := from/stride, from%stride
		for k := range min(group, local) {
			if to := first + stride*(k+local*(member%next)); to != from {
				s.Messages = append(s.Messages, Message{From: int32(from), To: int32(to), Bytes: bytes})
			}
		}
	}
}

// fftKind makes FFT of its figures.
var fftKind = kind{
	name: "fft", about: "Fourier transforms, forward and back, group-cyclic",
	parameters: []parameter{
		{name: "n", value: 1 << 20, least: 1, whole: true, about: "numbers, a power of two"},
		{name: "p", value: 16, least: 1, whole: true, about: "processes"},
		{name: "iterations", value: 10, least: 1, whole: true, about: "transforms forward and back"},
		{name: "flops", value: 5, least: 0, about: "operations for a number and each doubling of the length"},
		{name: "element", value: 16, least: 0, about: "bytes of a number"},
	},
	make: func(v map[string]float64) (Workload, error) {
		f := &FFT{Size: int(v["n"]), Procs: int(v["p"]), Iterations: int(v["iterations"]), Flops: v["flops"], Element: v["element"]}
		if f.Size&(f.Size-1) != 0 {
			return nil, fmt.Errorf("n=%d: expected a power of two", f.Size)
		}
		return f, nil
	},
}
