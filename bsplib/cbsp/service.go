package cbsp

import (
	"crypto/rand"
	"io"
	"net"
	"strings"
)

// service is what a rank does for others of the run, to which it is one connection after the other or
// several at once.
type service struct {
	listener net.Listener
	address  string // network, place and token
	token    string // without which nobody is served
}

// serve makes a service, which listens on the network if it is for ranks on other hosts.
func serve(host string, everywhere bool) (*service, error) {
	s := &service{token: rand.Text()}
	network, at := "tcp", ":0"
	if !everywhere {
		network, at = "unix", ""
	}
	var err error
	if s.listener, err = net.Listen(network, at); err != nil {
		return nil, err
	}
	place := s.listener.Addr().String()
	if everywhere {
		_, port, _ := net.SplitHostPort(place)
		place = net.JoinHostPort(host, port)
	}
	s.address = network + " " + place + " " + s.token
	return s, nil
}

// each answers one caller after the other.
func (s *service) each(answer func(net.Conn)) {
	for c := range s.callers() {
		if s.admits(c) {
			answer(c)
		}
		c.Close()
	}
}

// all answers callers at the same time.
func (s *service) all(answer func(net.Conn)) {
	for c := range s.callers() {
		go func() {
			defer c.Close()
			if s.admits(c) {
				answer(c)
			}
		}()
	}
}

// callers are those that call.
func (s *service) callers() func(yield func(net.Conn) bool) {
	return func(yield func(net.Conn) bool) {
		for {
			c, err := s.listener.Accept()
			if err != nil || !yield(c) {
				return
			}
		}
	}
}

func (s *service) admits(c net.Conn) bool {
	token := make([]byte, len(s.token))
	_, err := io.ReadFull(c, token)
	return err == nil && string(token) == s.token
}

// call connects with a service.
func call(address string) (net.Conn, error) {
	words := strings.SplitN(address, " ", 3)
	c, err := net.Dial(words[0], words[1])
	if err != nil {
		return nil, err
	}
	if _, err := io.WriteString(c, words[2]); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}
