//go:build linux

package control

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// Call is a request that has been answered.
type Call struct {
	Reply
	Files []*os.File
	conn  *net.UnixConn
}

// Ask sends a request and waits for the reply. Its error is ErrDown, or the core's.
func Ask(request Request) (*Call, error) {
	conn, err := dial()
	if err != nil {
		return nil, err
	}
	call := &Call{conn: conn}
	if err := call.exchange(request); err != nil {
		conn.Close()
		return nil, err
	}
	return call, nil
}

func (c *Call) exchange(request Request) error {
	if err := Send(c.conn, request, nil); err != nil {
		return err
	}
	files, err := Receive(c.conn, &c.Reply)
	if err != nil {
		return fmt.Errorf("the testbed does not answer: %w", err)
	}
	c.Files = files
	if c.Error != "" {
		return errors.New(c.Error)
	}
	return nil
}

// Finish informs the core that a job has ended and waits until none of its processes is left.
func (c *Call) Finish() {
	c.conn.CloseWrite()
	io.Copy(io.Discard, c.conn)
	c.conn.Close()
}

// Close ends the connection.
func (c *Call) Close() { c.conn.Close() }

func dial() (*net.UnixConn, error) {
	conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: socket, Net: "unix"})
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, unix.ECONNREFUSED) {
		return nil, ErrDown
	}
	return conn, err
}

// Core is the process of the core as the caller sees it, or ErrDown.
func Core() (pid int, err error) {
	conn, err := dial()
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	raw, err := conn.SyscallConn()
	if err != nil {
		return 0, err
	}
	var peer *unix.Ucred
	var failed error
	err = raw.Control(func(fd uintptr) { peer, failed = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED) })
	if err := errors.Join(err, failed); err != nil {
		return 0, err
	}
	return int(peer.Pid), nil
}

// Listen opens the control socket, for the core. It is created so that only root can ever connect to
// it.
func Listen() (*net.UnixListener, error) {
	defer unix.Umask(unix.Umask(0o177))
	return net.ListenUnix("unix", &net.UnixAddr{Name: socket, Net: "unix"})
}
