package dense

import "slices"

// simdLevel is a set of kernels.
type simdLevel int

const (
	levelGeneric simdLevel = iota
	levelArchsimdAVX2
	levelArchsimdAVX512
	levelAVX2
	levelAVX512
)

func (l simdLevel) String() string {
	return [...]string{
		levelGeneric:        "generic",
		levelArchsimdAVX2:   "archsimd AVX2",
		levelArchsimdAVX512: "archsimd AVX-512",
		levelAVX2:           "AVX2",
		levelAVX512:         "AVX-512",
	}[l]
}

// levels are the sets that this build has and this machine can run, the fastest first.
var levels = slices.Concat(assemblyLevels(), archsimdLevels(), []simdLevel{levelGeneric})

// level is the set in use.
var level = levels[0]
