package dense

import "testing"

// eachLevel runs a test with every set of kernels that this build and this machine have.
func eachLevel(t *testing.T, test func(t *testing.T)) {
	defer func(was simdLevel) { level = was }(level)
	for _, level = range levels {
		t.Run(level.String(), test)
	}
}
