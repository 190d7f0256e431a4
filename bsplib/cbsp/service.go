//go:build cgo && linux && (amd64 || arm64)

package cbsp

import (
	"net"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/listen"
)

// dialPatience is the maximum time for a connection with a service of another rank.
const dialPatience = 30 * time.Second

// dial connects to a service of another rank.
func dial(address string) (net.Conn, error) {
	a, err := listen.ParseAddress(address)
	if err != nil {
		return nil, err
	}
	return a.Dial(dialPatience)
}
