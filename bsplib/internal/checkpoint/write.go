package checkpoint

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/migbsp/migbsp/bsplib/internal/state"
)

const (
	partMagic   = "bspP"
	recordMagic = "bspR"
	format      = 1
	partHead    = 4 + 4 + 8
	recordHead  = 4 + 4 + 4*8
)

// A Writer writes a part. The first error makes all later calls fail.
type Writer struct {
	w       io.Writer
	buffer  []byte // what has not been written yet
	at      int64  // bytes so far
	records []Record
	err     error
}

// bufferBytes is how much is written at once, and directBytes the length from
// which memory is written from where it lies, and read to there.
const (
	bufferBytes = 1 << 20
	directBytes = 64 << 10
)

// NewWriter begins a part of a checkpoint.
func NewWriter(w io.Writer, id ID) *Writer {
	p := &Writer{w: w, buffer: make([]byte, 0, bufferBytes)}
	head := append([]byte(partMagic), 0, 0, 0, 0)
	binary.LittleEndian.PutUint32(head[4:], format)
	p.write(binary.LittleEndian.AppendUint64(head, uint64(id)))
	return p
}

// Add writes a process: a skeleton, and the spans that it speaks of.
func (p *Writer) Add(pid int, skeleton []byte, spans ...[]byte) error {
	size := int64(recordHead + len(skeleton))
	for _, s := range spans {
		size += int64(len(s))
	}
	r := Record{Pid: pid, Offset: p.at, Bytes: size}
	head := append([]byte(recordMagic), 0, 0, 0, 0)
	for _, x := range []uint64{uint64(pid), uint64(len(skeleton)), sumOf(skeleton), uint64(size)} {
		head = binary.LittleEndian.AppendUint64(head, x)
	}
	p.write(head)
	p.write(skeleton)
	sums := make([]uint64, len(spans))
	for i, s := range spans {
		sums[i] = p.span(s)
	}
	r.Digest = Hex(state.DigestOf(head, sums))
	p.records = append(p.records, r)
	return p.err
}

// span writes memory and returns its sum, which is taken while the cache has
// it.
func (p *Writer) span(b []byte) uint64 {
	var digest state.SpanDigest
	for len(b) > 0 {
		piece := b[:min(len(b), bufferBytes)]
		digest.Add(piece)
		p.write(piece)
		b = b[len(piece):]
	}
	return digest.Sum()
}

func (p *Writer) write(b []byte) {
	p.at += int64(len(b))
	if len(p.buffer)+len(b) > bufferBytes || len(b) >= directBytes {
		p.flush()
	}
	if len(b) < directBytes {
		p.buffer = append(p.buffer, b...)
	} else if p.err == nil {
		_, p.err = p.w.Write(b)
	}
}

func (p *Writer) flush() {
	if p.err == nil && len(p.buffer) > 0 {
		_, p.err = p.w.Write(p.buffer)
	}
	p.buffer = p.buffer[:0]
}

// Close writes what is left, but does not close what it writes to.
func (p *Writer) Close() ([]Record, int64, error) {
	p.flush()
	return p.records, p.at, p.err
}

func sumOf(b []byte) uint64 {
	var digest state.SpanDigest
	digest.Add(b)
	return digest.Sum()
}

// WritePart makes the part of a rank in the checkpoint at dir. Add is called
// with its Writer. When WritePart returns without an error the part is on
// disk.
func WritePart(dir string, id ID, rank int, add func(*Writer) error) (part Part, err error) {
	part = Part{File: fmt.Sprintf(partPattern, rank), Rank: rank}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return part, err
	}
	file, err := os.OpenFile(filepath.Join(dir, part.File), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return part, err
	}
	defer func() {
		if closed := file.Close(); err == nil {
			err = closed
		}
	}()
	w := NewWriter(file, id)
	if err := add(w); err != nil {
		return part, err
	}
	if part.Records, part.Bytes, err = w.Close(); err != nil {
		return part, err
	}
	return part, file.Sync()
}
