//go:build !amd64 || purego || noasm

package match

import "testing"

func onEachKernel(t *testing.T, name string, f func(t *testing.T)) { t.Run(name, f) }
