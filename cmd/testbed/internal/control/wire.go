//go:build linux

package control

import (
	"encoding/json"
	"io"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

const maxMessage = 1 << 20

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

// Receive receives a message of Send.
func Receive(conn *net.UnixConn, value any) ([]*os.File, error) {
	var text []byte
	var files []*os.File
	part, rights := make([]byte, 64<<10), make([]byte, 1024)
	for len(text) == 0 || text[len(text)-1] != '\n' {
		n, r, _, _, err := conn.ReadMsgUnix(part, rights)
		if err != nil {
			return nil, err
		}
		if n == 0 || len(text)+n > maxMessage {
			return nil, io.ErrUnexpectedEOF
		}
		text = append(text, part[:n]...)
		files = append(files, filesOf(rights[:r])...)
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
