//go:build !linux

package listen

import "net"

// sameUser refuses all callers at Unix sockets: runs have services on Linux only.
func sameUser(conn net.Conn) bool {
	_, local := conn.(*net.UnixConn)
	return !local
}
