//go:build !amd64 || purego || noasm

package cells

// lanes is the number of cells in a vector.
const lanes = 16

// Kernel names the kernel in use: "AVX2" or "generic".
func Kernel() string { return "generic" }

func (t *tile) compute() Peak { return t.generic() }
