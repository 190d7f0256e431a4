//go:build !linux

package probe

import "errors"

// byNetlink is for Linux.
func byNetlink() ([]Interface, error) {
	return nil, errors.New("netlink: this system has none")
}
