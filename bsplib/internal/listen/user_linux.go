package listen

import (
	"net"
	"os"
	"syscall"
)

// sameUser reports whether the caller at a Unix socket is a process of this process's user. The
// name of an abstract socket has no owner and no mode, so any user can connect to it. Callers from
// other hosts have no user: the token alone admits them.
func sameUser(conn net.Conn) bool {
	c, local := conn.(*net.UnixConn)
	if !local {
		return true
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return false
	}
	var peer *syscall.Ucred
	var failed error
	err = raw.Control(func(fd uintptr) {
		peer, failed = syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	})
	return err == nil && failed == nil && int(peer.Uid) == os.Geteuid()
}
