package checkpoint

import (
	"encoding/binary"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"

	"github.com/migbsp/migbsp/bsplib/internal/state"
)

// A part is:
//
//	head      "bspP", format, the checkpoint's identity (16 bytes in all)
//	a record for each process:
//	  head      "bspR", 0, process, bytes of the skeleton, sum of the skeleton,
//	            bytes of the record (40 bytes in all)
//	  skeleton  what says how long the spans are
//	  spans     large memory, one after the other
//
// Numbers are 64 bits long, the first ones of both heads 32 bits, low byte first.
const (
	partPattern = "rank-%05d.part"
	partMagic   = "bspP"
	recordMagic = "bspR"
	format      = 2
	partHead    = 4 + 4 + 8
	recordHead  = 4 + 4 + 4*8
)

// bufferBytes is how much is written at once, and directBytes the length from
// which memory is written from where it lies, and read to there.
const (
	bufferBytes = 1 << 20
	directBytes = 64 << 10
)

// writePart makes the part of a rank in the checkpoint at dir. Without an error
// the part is on disk.
func writePart(dir string, id ID, rank int, images iter.Seq2[Image, error]) (part Part, err error) {
	part = Part{File: fmt.Sprintf(partPattern, rank), Rank: rank}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return part, err
	}
	file, err := createFile(filepath.Join(dir, part.File))
	if err != nil {
		return part, err
	}
	defer func() {
		if closed := file.Close(); err == nil {
			err = closed
		}
	}()
	w := newWriter(file, id)
	for image, err := range images {
		if err == nil {
			err = w.add(image)
		}
		if err != nil {
			return part, err
		}
	}
	if part.Records, part.Bytes, err = w.close(); err != nil {
		return part, err
	}
	return part, file.Sync()
}

// A writer writes a part. The first error makes all later calls fail.
type writer struct {
	w       io.Writer
	buffer  []byte // what has not been written yet
	at      int64  // bytes so far
	records []Record
	err     error
}

// newWriter begins a part of a checkpoint.
func newWriter(w io.Writer, id ID) *writer {
	p := &writer{w: w, buffer: make([]byte, 0, bufferBytes)}
	head := append([]byte(partMagic), 0, 0, 0, 0)
	binary.LittleEndian.PutUint32(head[4:], format)
	p.write(binary.LittleEndian.AppendUint64(head, uint64(id)))
	return p
}

// add writes a process.
func (p *writer) add(image Image) error {
	size := int64(recordHead + len(image.Skeleton))
	for _, s := range image.Spans {
		size += int64(len(s))
	}
	r := Record{Pid: image.Pid, Offset: p.at, Bytes: size}
	head := append([]byte(recordMagic), 0, 0, 0, 0)
	for _, x := range []uint64{uint64(image.Pid), uint64(len(image.Skeleton)), sumOf(image.Skeleton), uint64(size)} {
		head = binary.LittleEndian.AppendUint64(head, x)
	}
	p.write(head)
	p.write(image.Skeleton)
	sums := make([]uint64, len(image.Spans))
	for i, s := range image.Spans {
		sums[i] = p.span(s)
	}
	r.Digest = Hex(state.DigestOf(head, sums))
	p.records = append(p.records, r)
	return p.err
}

// span writes memory and returns its sum, which is taken while the cache has
// it.
func (p *writer) span(b []byte) uint64 {
	var digest state.SpanDigest
	for len(b) > 0 {
		piece := b[:min(len(b), bufferBytes)]
		digest.Add(piece)
		p.write(piece)
		b = b[len(piece):]
	}
	return digest.Sum()
}

func (p *writer) write(b []byte) {
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

func (p *writer) flush() {
	if p.err == nil && len(p.buffer) > 0 {
		_, p.err = p.w.Write(p.buffer)
	}
	p.buffer = p.buffer[:0]
}

// close writes what is left, but does not close what it writes to.
func (p *writer) close() ([]Record, int64, error) {
	p.flush()
	return p.records, p.at, p.err
}

func sumOf(b []byte) uint64 {
	var digest state.SpanDigest
	digest.Add(b)
	return digest.Sum()
}

// commit makes the checkpoint at path complete: all its parts are on disk. After
// an error the caller removes it. A part that cannot be seen from here is an
// error, for the rank that is to read it may not see it either.
func commit(path string, m *Manifest) error {
	if err := m.check(); err != nil {
		return err
	}
	text, err := m.encode()
	if err != nil {
		return err
	}
	for i := range m.Parts {
		if err := m.Parts[i].visible(path); err != nil {
			return err
		}
	}
	name := filepath.Join(path, manifestName)
	if err := writeFile(name+".new", text); err != nil {
		return err
	}
	if err := syncDirectory(path); err != nil {
		return err
	}
	if err := os.Rename(name+".new", name); err != nil {
		return err
	}
	if err := syncDirectory(path); err != nil {
		return err
	}
	return syncDirectory(filepath.Dir(path))
}

// visible looks for a part that its rank has written.
func (p *Part) visible(path string) error {
	info, err := os.Stat(filepath.Join(path, p.File))
	if err == nil && info.Size() != p.Bytes {
		err = fmt.Errorf("%s has %d bytes, not %d", filepath.Join(path, p.File), info.Size(), p.Bytes)
	}
	if err != nil {
		return fmt.Errorf("what rank %d on %s has written is not here, expected a directory that all hosts share: %w", p.Rank, p.Host, err)
	}
	return nil
}

// createFile makes a file that is not there yet, neither as a link, for its owner alone.
func createFile(name string) (*os.File, error) {
	return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
}

// writeFile writes a file to disk.
func writeFile(name string, text []byte) error {
	file, err := createFile(name)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err == nil {
		err = file.Sync()
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	return err
}
