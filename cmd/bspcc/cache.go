package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// cacheDir returns the directory in which libraries are kept for the next compilation. It need not
// exist. It is an error if another user can change its contents: programs are linked with them.
func cacheDir() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir = filepath.Join(dir, "migbsp")
	return dir, isOwn(dir)
}

// isOwn returns an error unless only this process's user and root can change the target of a path.
// Of the existing directories on the path, the last must belong to the user, so that root leaves no
// files in the home directory of another user, and the others to the user or to root. No other user
// can write them, except for directories such as /tmp, in which users can rename only files of
// their own.
func isOwn(path string) error {
	last := true
	for {
		info, err := os.Stat(path)
		switch {
		case err == nil && !info.IsDir():
			return fmt.Errorf("%s is not a directory", path)
		case err == nil:
			if err := ownedAlone(path, info, last); err != nil {
				return err
			}
			if real, err := filepath.EvalSymlinks(path); err != nil {
				return err
			} else if real != path {
				if err := isOwn(real); err != nil {
					return err
				}
			}
			last = false
		case !os.IsNotExist(err):
			return err
		}
		parent := filepath.Dir(path)
		if parent == path {
			return nil
		}
		path = parent
	}
}
