//go:build cgo && linux && (amd64 || arm64) && !staticrank

package cbsp

import (
	"encoding/binary"
	"io"
	"net"
	"strings"
	"testing"
	"unsafe"
)

// pretend sets up this program as rank 0 of two, in superstep 3 of a section.
func pretend() (section string) {
	reading.Lock()
	defer reading.Unlock()
	reading.section, reading.steps, reading.places = "section", map[int]int{0: 3}, map[int]string{0: "place"}
	return reading.section
}

// answers sends questions, given as bytes, and returns all answers until the service or, if closes is
// set, the caller closes the connection.
func answers(t *testing.T, questions []byte, closes bool) []byte {
	t.Helper()
	caller, end := net.Pipe()
	ended := make(chan bool)
	go func() {
		answerReader(end, 2)
		end.Close()
		close(ended)
	}()
	var all []byte
	read := make(chan bool)
	go func() {
		all, _ = io.ReadAll(caller)
		close(read)
	}()
	caller.Write(questions)
	if closes {
		caller.Close()
	}
	<-ended
	caller.Close()
	<-read
	return all
}

// questionOf encodes a question.
func questionOf(q question, texts ...string) []byte {
	all, _ := binary.Append(nil, binary.LittleEndian, &q)
	for _, text := range texts {
		all = append(binary.LittleEndian.AppendUint64(all, uint64(len(text))), text...)
	}
	return all
}

// A service answers with mapped memory. It closes the connection after a question for memory that
// is not mapped, for more than is mapped, or that is invalid; the program goes on.
func TestMemoryService(t *testing.T) {
	section := pretend()
	text := []byte(strings.Repeat("0123456789abcdef", 20000))
	at := uint64(uintptr(unsafe.Pointer(&text[0])))
	for _, n := range []int{0, 1, 8, 64<<10 - 8, 64 << 10, 64<<10 + 1, len(text)} {
		q := questionOf(question{Kind: reads, Step: 3, At: at, Bytes: uint64(n)}, section)
		got := answers(t, append(q, questionOf(question{Kind: reads + 1}, section)...), false)
		if len(got) != 8+n || int(binary.LittleEndian.Uint64(got)) != n || string(got[8:]) != string(text[:n]) {
			t.Errorf("%d bytes: the answer has %d", n, len(got))
		}
	}
	for name, q := range map[string][]byte{
		"no memory":   questionOf(question{Kind: reads, Step: 3, At: 8, Bytes: 8}, section),
		"too much":    questionOf(question{Kind: reads, Step: 3, At: 1 << 46, Bytes: 1 << 62}, section),
		"no such one": questionOf(question{Kind: 7}, section),
		"rank 2":      questionOf(question{Kind: looksFor, Rank: 2}, section),
		"long text":   questionOf(question{Kind: announces}, strings.Repeat("x", 5000)),
	} {
		if got := answers(t, q, false); len(got) > 0 {
			t.Errorf("%s: the answer is %q", name, got)
		}
	}
}

// If a caller closes the connection while it waits, no goroutine is left waiting.
func TestMemoryServiceLeft(t *testing.T) {
	section := pretend()
	for _, q := range [][]byte{
		questionOf(question{Kind: reads, Step: 4, Bytes: 8}, section), questionOf(question{Kind: reads, Bytes: 8}, "another"),
		questionOf(question{Kind: looksFor, Rank: 1}, section),
	} {
		if got := answers(t, q, true); len(got) > 0 {
			t.Errorf("the answer is %q", got)
		}
	}
}

// After any bytes of a caller behind the token, the service ends when the caller leaves, and the
// program goes on.
func FuzzMemoryService(f *testing.F) {
	word := uint64(0x1122334455667788)
	section := pretend()
	f.Add(questionOf(question{Kind: announces, Rank: 1}, section, "1 place"))
	f.Add(questionOf(question{Kind: looksFor}, section))
	f.Add(questionOf(question{Kind: looksFor, Rank: 1}, section))
	f.Add(questionOf(question{Kind: reads, Step: 3, At: uint64(uintptr(unsafe.Pointer(&word))), Bytes: 8}, section))
	f.Add(questionOf(question{Kind: reads, Step: 9, At: 8, Bytes: 1 << 40}, section))
	f.Add(questionOf(question{Kind: reads, Step: 3, At: ^uint64(0) - 3, Bytes: 8}, section))
	f.Add([]byte("GET / HTTP/1.0\r\n\r\n"))
	f.Fuzz(func(t *testing.T, sent []byte) {
		pretend()
		answers(t, sent, true)
	})
}
