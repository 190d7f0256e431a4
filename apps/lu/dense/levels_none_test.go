//go:build !amd64 || purego || noasm

package dense

import "testing"

func eachLevel(t *testing.T, test func(t *testing.T)) { t.Run(builtinKernel(), test) }
