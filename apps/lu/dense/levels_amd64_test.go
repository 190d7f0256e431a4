//go:build !purego && !noasm

package dense

import "testing"

// eachLevel runs a test with every set of kernels this machine has.
func eachLevel(t *testing.T, test func(t *testing.T)) {
	defer func(was simdLevel) { level = was }(level)
	for l := detect(); l >= levelGeneric; l-- {
		level = l
		t.Run(builtinKernel(), test)
	}
}
