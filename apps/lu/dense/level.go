package dense

// simdLevel is a set of kernels.
type simdLevel int

const (
	levelGeneric simdLevel = iota
	levelAVX2
	levelAVX512
)

func (l simdLevel) String() string {
	return [...]string{
		levelGeneric: "generic",
		levelAVX2:    "AVX2",
		levelAVX512:  "AVX-512",
	}[l]
}

// levels are the instruction sets of this build that this machine supports, the fastest first.
var levels = append(assemblyLevels(), levelGeneric)

// level is the set in use.
var level = levels[0]
