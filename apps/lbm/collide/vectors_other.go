//go:build !amd64 || purego || noasm

package collide

// Kernel names the kernel in use: "AVX2" or "generic".
func Kernel() string { return "generic" }

func (c *Collision) vectors(_, _ [][]float64, _ *Moments, from, _ int) int { return from }
