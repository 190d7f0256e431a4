//go:build linux

package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// helperVariable selects a helper that the test program runs on hosts:
//
//	serve       sends back all received bytes
//	echo HOST N prints the time until N bytes have come back from HOST
const helperVariable = "TESTBED_TEST_HELPER"

const port = ":7777"

func helper(arguments []string) error {
	if arguments[0] == "serve" {
		return serve()
	}
	n, err := strconv.Atoi(arguments[2])
	if err != nil {
		return err
	}
	conn, err := net.Dial("tcp", arguments[1]+port)
	if err != nil {
		return err
	}
	defer conn.Close()
	begin := time.Now()
	failed := make(chan error, 1)
	go func() {
		_, err := conn.Write(make([]byte, n))
		failed <- err
	}()
	if _, err := io.ReadFull(conn, make([]byte, n)); err != nil {
		return err
	}
	fmt.Println(time.Since(begin))
	return <-failed
}

func serve() error {
	listener, err := net.Listen("tcp", port)
	if err != nil {
		return err
	}
	fmt.Println("ready")
	for {
		conn, err := listener.Accept()
		if err != nil {
			return err
		}
		go io.Copy(conn, conn)
	}
}

// onHost is a command that runs the helper on a host.
func onHost(t *testing.T, host string, arguments ...string) *exec.Cmd {
	t.Helper()
	self := must.Get(os.Executable())(t)
	command := exec.Command(program, append([]string{"exec", host, self}, arguments...)...)
	command.Env = append(os.Environ(), helperVariable+"=1")
	command.Stderr = os.Stderr
	return command
}

// serveOn runs an echo server on a host until the test ends.
func serveOn(t *testing.T, host string) {
	t.Helper()
	command := onHost(t, host, "serve")
	out := must.Get(command.StdoutPipe())(t)
	must.Do(t, command.Start())
	t.Cleanup(func() {
		command.Process.Kill()
		command.Wait()
	})
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		t.Fatalf("%q, %v", line, err)
	}
}

// echo is how long bytes take from one host to another and back.
func echo(t *testing.T, from, to string, n int) time.Duration {
	t.Helper()
	text := must.Get(onHost(t, from, "echo", to, strconv.Itoa(n)).Output())(t)
	d := must.Get(time.ParseDuration(strings.TrimSpace(string(text))))(t)
	return d
}
