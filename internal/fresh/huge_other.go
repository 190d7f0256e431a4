//go:build !linux

package fresh

func adviseHuge(mem []byte) {}
