//go:build !linux

package main

import (
	"os"
	"os/exec"
)

func tied(*exec.Cmd) (untie func()) { return func() {} }

func killGroup(pid int) {
	if p, err := os.FindProcess(pid); err == nil {
		p.Kill()
	}
}
