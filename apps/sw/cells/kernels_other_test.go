//go:build !amd64 || purego || noasm

package cells

import "testing"

func onEachKernel(t *testing.T, f func(t *testing.T)) { t.Run(Kernel(), f) }
