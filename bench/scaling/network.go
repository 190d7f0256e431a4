package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// network is what hosts are connected by.
type network struct{ rate, latency string }

// write writes a file with so many equal hosts into a directory, and returns its name.
func (n network) write(dir string, hosts int) (string, error) {
	name := filepath.Join(dir, fmt.Sprintf("%d.hosts", hosts))
	text := fmt.Sprintf("#@set cluster manager=node1 speed=1 rate=%s latency=%s\n", n.rate, n.latency)
	for i := range hosts {
		text += fmt.Sprintf("node%d slots=1\n", i+1)
	}
	return name, os.WriteFile(name, []byte(text), 0o644)
}
