//go:build !linux

package survey

import (
	"errors"
	"net"
)

var errNoNetlink = errors.New("netlink: this system has none")

// byNetlink is for Linux.
func byNetlink() ([]Interface, error) { return nil, errNoNetlink }

// routeByNetlink is for Linux.
func routeByNetlink(net.IP) (Route, error) { return Route{}, errNoNetlink }
