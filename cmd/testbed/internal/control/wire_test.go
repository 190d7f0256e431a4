//go:build linux

package control

import (
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// pair is a connection's two ends.
func pair(t *testing.T) (a, b *net.UnixConn) {
	t.Helper()
	listener := must.Get(net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(t.TempDir(), "socket"), Net: "unix"}))(t)
	defer listener.Close()
	a = must.Get(net.DialUnix("unix", nil, listener.Addr().(*net.UnixAddr)))(t)
	b = must.Get(listener.AcceptUnix())(t)
	t.Cleanup(func() { a.Close(); b.Close() })
	return a, b
}

func TestFilesGoWithAReply(t *testing.T) {
	a, b := pair(t)
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	must.Do(t, Send(a, Reply{Job: 3}, []*os.File{writer, reader}))
	writer.Close()
	var reply Reply
	files, err := Receive(b, &reply)
	if err != nil || reply.Job != 3 || len(files) != 2 {
		t.Fatalf("%+v, %d files, %v", reply, len(files), err)
	}
	files[0].WriteString("through")
	files[0].Close()
	if text, err := io.ReadAll(reader); err != nil || string(text) != "through" {
		t.Errorf("%q, %v", text, err)
	}
}

func TestLargeMessage(t *testing.T) {
	a, b := pair(t)
	sent := Request{Do: Job, Command: []string{strings.Repeat("x", 300<<10)}}
	failed := make(chan error, 1)
	go func() { failed <- Send(a, sent, nil) }()
	var got Request
	if _, err := Receive(b, &got); err != nil || len(got.Command) != 1 || got.Command[0] != sent.Command[0] {
		t.Errorf("%d words, %v", len(got.Command), err)
	}
	must.Do(t, <-failed)
}

func TestBrokenMessages(t *testing.T) {
	for _, text := range []string{"", "{", "x\n", `{"Do":3}` + "\n"} {
		a, b := pair(t)
		io.WriteString(a, text)
		a.Close()
		if _, err := Receive(b, new(Request)); err == nil {
			t.Errorf("%q is received without an error", text)
		}
	}
}

func TestDown(t *testing.T) {
	saved := socket
	defer func() { socket = saved }()
	socket = filepath.Join(t.TempDir(), "none")
	if _, err := Ask(Request{Do: Status}); !errors.Is(err, ErrDown) {
		t.Errorf("got %v", err)
	}
}

func TestName(t *testing.T) {
	for given, want := range map[string]string{"": "migbsp-testbed", "a1": "migbsp-testbed-a1", "../x": "migbsp-testbed"} {
		if got := name(given); got != want {
			t.Errorf("%q is the testbed %s, want %s", given, got, want)
		}
	}
}
