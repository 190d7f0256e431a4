//go:build linux

package control

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

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

// Messages are bounded, and files that came with a broken one are closed.
func TestMessagesAreBounded(t *testing.T) {
	open := func() int { return len(must.Get(os.ReadDir("/proc/self/fd"))(t)) }
	a, b := pair(t)
	null := must.Get(os.Open(os.DevNull))(t)
	defer null.Close()
	sending := make(chan error, 1)
	receive := func(name string, send func() error) {
		go func() { sending <- send() }()
		before := open()
		if files, err := Receive(b, new(Request)); err == nil || files != nil {
			t.Errorf("%s: %d files, %v", name, len(files), err)
		}
		<-sending
		if after := open(); after > before {
			t.Errorf("%s: %d files are open, were %d", name, after, before)
		}
	}
	receive("a request that is none", func() error { return Send(a, 3, []*os.File{null, null}) })
	receive("many files", func() error {
		var all []int
		for range maxFiles + 1 {
			all = append(all, int(null.Fd()))
		}
		_, _, err := a.WriteMsgUnix([]byte("{"), unix.UnixRights(all...), nil)
		return err
	})
	receive("a long message", func() error {
		a.SetWriteDeadline(time.Now().Add(time.Minute))
		defer a.Close()
		_, err := a.Write(bytes.Repeat([]byte(" "), maxMessage+1))
		return err
	})
}

// FuzzReceive receives messages of any content, in two pieces.
func FuzzReceive(f *testing.F) {
	f.Add([]byte(`{"Do":"set-speed","Host":"a1",`), []byte(`"Speed":0.5}`+"\n"))
	f.Add([]byte(`{"Status":{"Hosts":[{"Name":"a1","Speed":-1}]}}`+"\n"), []byte("more"))
	f.Fuzz(func(t *testing.T, one, two []byte) {
		for _, value := range []any{new(Request), new(Reply)} {
			fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
			if err != nil {
				t.Fatal(err)
			}
			var ends [2]*net.UnixConn
			for i, fd := range fds {
				file := os.NewFile(uintptr(fd), "socket")
				ends[i] = must.Get(net.FileConn(file))(t).(*net.UnixConn)
				file.Close()
			}
			go func() {
				ends[0].Write(one)
				ends[0].Write(two)
				ends[0].Close()
			}()
			if _, err := Receive(ends[1], value); err == nil && !bytes.Contains(slices.Concat(one, two), []byte("\n")) {
				t.Errorf("%q and %q are a message", one, two)
			}
			ends[1].Close()
		}
	})
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
