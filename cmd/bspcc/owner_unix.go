//go:build unix

package main

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// ownedAlone returns an error if another user owns a directory or can write it. Root's directories
// will do, except for the last one. In a container root may have another number: the owner of the
// directory /.
func ownedAlone(path string, info fs.FileInfo, last bool) error {
	self, owner := uint32(os.Geteuid()), info.Sys().(*syscall.Stat_t).Uid
	root := uint32(0)
	if top, err := os.Stat("/"); err == nil {
		root = top.Sys().(*syscall.Stat_t).Uid
	}
	switch {
	case owner != self && (last || owner != 0 && owner != root):
		return fmt.Errorf("%s belongs to user %d, and this is user %d", path, owner, self)
	case info.Mode()&0o022 != 0 && (last || info.Mode()&fs.ModeSticky == 0):
		return fmt.Errorf("other users can write %s (mode %04o)", path, info.Mode().Perm())
	}
	return nil
}
