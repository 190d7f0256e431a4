package probe

import (
	"math"
	"runtime"
	"slices"
	"time"
)

// Speed is the number of steps of a core in a second of its own time, by three small loops.
type Speed struct {
	Dependent   Rate `json:"dependent"`   // multiplications and additions, each waiting for the last
	Independent Rate `json:"independent"` // the same, several at a time
	Copy        Rate `json:"copy"`        // bytes copied, from and to memory beyond most caches
}

// Computing is one figure for both loops that compute, their geometric mean.
func (s *Speed) Computing() float64 {
	return math.Sqrt(s.Dependent.PerSecond * s.Independent.PerSecond)
}

// Rate is a number of steps in a second: the median of several rounds, and the relative
// width of their middle half.
type Rate struct {
	PerSecond float64 `json:"per_second"`
	Spread    float64 `json:"spread"`
}

const (
	// speedRounds are odd and enough for quartiles; all of a loop take some ms.
	speedRounds = 15
	// chain is the number of steps of a round: 20 to 250 us on current cores, long compared with
	// the 0.3 us of reading the thread's clock, and short compared with a scheduler's slice of some
	// ms.
	chain = 100_000
	// strands of independent steps fill the pipelines of a core that does two
	// operations at a time, each with a latency of four cycles.
	strands = 8
	// copied bytes, from and to, exceed the second level of caches.
	copied = 8 << 20
)

// MeasureSpeed takes the time of the calling thread, so that other programs on the machine
// matter little; MeasureAvailable shows them.
func MeasureSpeed() Speed {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	from, to := make([]byte, copied), make([]byte, copied)
	for i := range from {
		from[i] = byte(i)
	}
	copy(to, from)
	var kept float64
	s := Speed{
		Dependent:   rate(2*chain, func() { kept += dependent(kept) }),
		Independent: rate(2*chain, func() { kept += independent(kept) }),
		Copy:        rate(copied, func() { copy(to, from) }),
	}
	runtime.KeepAlive(kept)
	return s
}

// QuickSpeed returns the number of independent steps of a core in a second of its own time.
// It takes less than a millisecond: the best of several rounds, because other programs can
// only make a round slower.
func QuickSpeed() float64 {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var kept float64
	all := rounds(2*chain, func() { kept += independent(kept) })
	runtime.KeepAlive(kept)
	return slices.Max(all)
}

// rate measures do, which has a number of steps, in several rounds.
func rate(parts int, do func()) Rate { return rateOf(rounds(parts, do)) }

// rounds returns the rates of several rounds, in parts per second, after a first round that does
// not count.
func rounds(parts int, do func()) []float64 {
	do()
	rates := make([]float64, 0, speedRounds)
	for range speedRounds {
		begin, wall := own(), time.Now()
		do()
		took := own() - begin
		if took <= 0 {
			took = time.Since(wall)
		}
		rates = append(rates, float64(parts)/max(took, 1).Seconds())
	}
	return rates
}

// rateOf sums up one round or more.
func rateOf(rounds []float64) Rate {
	slices.Sort(rounds)
	n := len(rounds)
	median := rounds[n/2]
	return Rate{PerSecond: median, Spread: (rounds[n-1-n/4] - rounds[n/4]) / median}
}

// The numbers that follow go to a fixed point, so that none gets slow to compute
// with.
const factor, summand = 0.999, 0.001

func dependent(x float64) float64 {
	x = 1 / (1 + x*x)
	for range chain {
		x = x*factor + summand
	}
	return x
}

func independent(x float64) float64 {
	var strand [strands]float64
	for i := range strand {
		strand[i] = 1 / (float64(i+1) + x*x)
	}
	a, b, c, d := strand[0], strand[1], strand[2], strand[3]
	e, f, g, h := strand[4], strand[5], strand[6], strand[7]
	for range chain / strands {
		a, b, c, d = a*factor+summand, b*factor+summand, c*factor+summand, d*factor+summand
		e, f, g, h = e*factor+summand, f*factor+summand, g*factor+summand, h*factor+summand
	}
	return a + b + c + d + e + f + g + h
}
