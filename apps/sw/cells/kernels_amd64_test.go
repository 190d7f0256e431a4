//go:build !purego && !noasm

package cells

import "testing"

func onEachKernel(t *testing.T, f func(t *testing.T)) {
	was := hasVectors
	defer func() { hasVectors = was }()
	for _, on := range []bool{false, true} {
		if hasVectors = on && was; hasVectors == on {
			t.Run(Kernel(), f)
		}
	}
}
