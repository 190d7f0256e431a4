//go:build linux

package control

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// A message has at most maxMessage bytes and maxFiles open files. The core sends ten or so.
const (
	maxMessage = 1 << 20
	maxFiles   = 64
)

// Send sends a value with open files, which stay the caller's.
func Send(conn *net.UnixConn, value any, files []*os.File) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	var rights []byte
	if len(files) > 0 {
		var numbers []int
		for _, file := range files {
			numbers = append(numbers, int(file.Fd()))
		}
		rights = unix.UnixRights(numbers...)
	}
	text = append(text, '\n')
	n, _, err := conn.WriteMsgUnix(text, rights, nil)
	if err == nil && n < len(text) {
		_, err = conn.Write(text[n:])
	}
	return err
}

// Receive receives a message of Send. After an error no received file stays open.
func Receive(conn *net.UnixConn, value any) (files []*os.File, err error) {
	defer func() {
		if err != nil {
			for _, file := range files {
				file.Close()
			}
			files = nil
		}
	}()
	var text []byte
	part, rights := make([]byte, 64<<10), make([]byte, 1024)
	for len(text) == 0 || text[len(text)-1] != '\n' {
		n, r, _, _, err := conn.ReadMsgUnix(part, rights)
		files = append(files, filesOf(rights[:r])...)
		if err != nil {
			return files, err
		}
		switch {
		case n == 0:
			return files, io.ErrUnexpectedEOF
		case len(text)+n > maxMessage || len(files) > maxFiles:
			return files, fmt.Errorf("a message of more than %d bytes or %d files", maxMessage, maxFiles)
		}
		text = append(text, part[:n]...)
	}
	return files, json.Unmarshal(text, value)
}

func filesOf(rights []byte) []*os.File {
	var files []*os.File
	messages, err := unix.ParseSocketControlMessage(rights)
	if err != nil {
		return nil
	}
	for i := range messages {
		numbers, err := unix.ParseUnixRights(&messages[i])
		if err != nil {
			continue
		}
		for _, number := range numbers {
			unix.CloseOnExec(number)
			files = append(files, os.NewFile(uintptr(number), "received"))
		}
	}
	return files
}
