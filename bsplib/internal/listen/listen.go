// Package listen opens the ports of a run and admits the run's own processes only.
//
// # Protocol
//
// A service listens for callers on the same machine at an abstract Unix socket, which only
// processes of the same user may use, and for callers on other machines at TCP ports. A caller
// sends the service's token, the service answers with one byte, and the connection then belongs
// to the two of them. The token is random, each service has its own, and the ranks pass it on by
// MPI.
//
// Until the token has arrived a connection is a stranger: the service reads no more bytes than the
// token has, closes the connection after Patience, and closes the oldest stranger if their number
// exceeds a limit.
package listen

import (
	"crypto/rand"
	"encoding"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// MaxDoors is the maximum number of listeners of a service.
const MaxDoors = 4

// Address is the address of a service. Its text contains no space.
type Address struct {
	Network uint64   // of the service's host: see Host
	Doors   []string // "@name" is a Unix socket for callers in the same network, others are TCP ports
	Token   string
}

var _ encoding.TextMarshaler = Address{}

// String returns the text that ParseAddress reads.
func (a Address) String() string {
	return strings.Join(append([]string{strconv.FormatUint(a.Network, 36), a.Token}, a.Doors...), ",")
}

// MarshalText implements encoding.TextMarshaler.
func (a Address) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (a *Address) UnmarshalText(text []byte) (err error) {
	*a, err = ParseAddress(string(text))
	return err
}

// ParseAddress reads the text of an Address.
func ParseAddress(text string) (Address, error) {
	words := strings.Split(text, ",")
	if len(words) < 2 {
		return Address{}, fmt.Errorf("address %q of a service: expected a network, a token and places", text)
	}
	network, err := strconv.ParseUint(words[0], 36, 64)
	if err != nil {
		return Address{}, fmt.Errorf("address %q of a service: network: %w", text, err)
	}
	return Address{Network: network, Token: words[1], Doors: words[2:]}, nil
}

// Service is a set of listeners with one token.
type Service struct {
	Address   Address
	listeners []net.Listener
}

// Open creates a service on this host, own, that each of the peers can reach, and listens at no other
// address. The service is usable even if err is not nil; err contains the reason why a peer cannot
// reach it.
func Open(own Host, peers []Host) (*Service, error) {
	s := &Service{Address: Address{Network: own.Network, Token: rand.Text()}}
	interfaces := interfaceAddresses()
	listening := make(map[netip.Addr]bool) // the zero Addr is the Unix socket
	seen := make(map[uint64]bool)
	var failed error
	for _, peer := range peers {
		if seen[peer.Network] {
			continue
		}
		seen[peer.Network] = true
		var at netip.Addr
		if peer.Network != own.Network {
			if at = reachedBy(interfaces, peer.Addresses, routedBy); !at.IsValid() {
				failed = errors.Join(failed, fmt.Errorf("a host with the addresses %v cannot reach any of this host's, %v", peer.Addresses, interfaces))
				continue
			}
		}
		if listening[at] {
			continue
		}
		if err := s.listen(at); err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		listening[at] = true
	}
	return s, failed
}

// listen adds a listener at an address of this host, or at a Unix socket.
func (s *Service) listen(at netip.Addr) error {
	if len(s.listeners) == MaxDoors {
		return fmt.Errorf("the other hosts reach this one by more than %d addresses", MaxDoors)
	}
	network, place := "unix", ""
	if at.IsValid() {
		network, place = "tcp", netip.AddrPortFrom(at, 0).String()
	}
	l, err := net.Listen(network, place)
	if err != nil {
		return err
	}
	s.listeners = append(s.listeners, l)
	s.Address.Doors = append(s.Address.Doors, l.Addr().String())
	return nil
}

// Accept admits callers until the service is closed. See the function Accept.
func (s *Service) Accept(callers int, admitted func(net.Conn)) {
	for _, l := range s.listeners {
		go Accept(l, s.Address.Token, callers, admitted)
	}
}

// Close closes the listeners. Connections that were admitted stay open.
func (s *Service) Close() {
	for _, l := range s.listeners {
		l.Close()
	}
}

// Files returns files of the listeners, for another process that calls net.FileListener and
// Accept, and closes the listeners here.
func (s *Service) Files() (files []*os.File, err error) {
	defer s.Close()
	for _, l := range s.listeners {
		f, err := l.(interface{ File() (*os.File, error) }).File()
		if err != nil {
			return files, err
		}
		files = append(files, f)
	}
	return files, nil
}

// retryPause is the time between two attempts to be admitted.
const retryPause = 20 * time.Millisecond

// Dial connects to a service and returns once it has accepted the token. If a service accepts a
// connection and drops it, as it does while strangers crowd it, Dial tries again until the timeout.
func (a Address) Dial(timeout time.Duration) (net.Conn, error) {
	if len(a.Doors) == 0 {
		return nil, errors.New("the service cannot be reached from other hosts")
	}
	for end := time.Now().Add(timeout); ; time.Sleep(retryPause) {
		conn, err := a.dialOnce(timeout)
		if err == nil || !dropped(err) || time.Now().After(end) {
			return conn, err
		}
	}
}

func (a Address) dialOnce(timeout time.Duration) (net.Conn, error) {
	near := a.Network == Network()
	var failed error
	for _, door := range a.Doors {
		kind, local := "tcp", strings.HasPrefix(door, "@")
		if local {
			kind = "unix"
		}
		if local && !near {
			continue
		}
		conn, err := net.DialTimeout(kind, door, timeout)
		if err == nil {
			if err = greet(conn, a.Token, timeout); err == nil {
				return conn, nil
			}
			conn.Close()
			err = fmt.Errorf("%s %s: the connection was closed before the token was accepted: %w", kind, door, err)
		}
		failed = errors.Join(failed, err)
	}
	if failed == nil {
		failed = errors.New("the service cannot be reached from other hosts")
	}
	return nil, failed
}

// greet shows the token and waits for the service's answer.
func greet(conn net.Conn, token string, timeout time.Duration) error {
	conn.SetDeadline(time.Now().Add(timeout))
	if _, err := io.WriteString(conn, token); err != nil {
		return err
	}
	if _, err := io.ReadFull(conn, make([]byte, len(welcome))); err != nil {
		return err
	}
	return conn.SetDeadline(time.Time{})
}

// dropped reports whether the service was there and may admit a later connection.
func dropped(err error) bool {
	return slices.ContainsFunc([]error{io.EOF, syscall.ECONNRESET, syscall.EPIPE, syscall.EAGAIN}, func(is error) bool { return errors.Is(err, is) })
}
