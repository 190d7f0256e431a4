package checkpoint

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"

	"github.com/migbsp/migbsp/bsplib/internal/state"
	"github.com/migbsp/migbsp/internal/untrusted"
)

// A part is:
//
//	head      "bspP", format, the checkpoint's identity (16 bytes in all)
//	a record for each process:
//	  head      "bspR", 0, process, bytes of the skeleton, sum of the skeleton,
//	            bytes of the record (40 bytes in all)
//	  skeleton  contains the lengths of the spans
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

// bufferBytes is the number of bytes that are read or written, and added to the digest, at once.
// Pieces of at least directBytes bypass the buffer.
const (
	bufferBytes = 1 << 20
	directBytes = 64 << 10
)

// writePart creates the part of a rank in the checkpoint at dir. If err is nil the part is on disk.
func writePart(dir string, id ID, rank int, images iter.Seq2[Image, error]) (part Part, err error) {
	part = Part{File: fmt.Sprintf(partPattern, rank), Rank: rank}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return part, err
	}
	file, err := createFile(filepath.Join(dir, part.File))
	if err != nil {
		return part, err
	}
	w := newWriter(file, id)
	for image, failed := range images {
		if err = failed; err == nil {
			err = w.add(image)
		}
		if err != nil {
			break
		}
	}
	part.Records, part.Bytes = w.records, w.at
	return part, cmp.Or(err, w.out.Flush(), file.Sync(), file.Close())
}

// A writer writes a part. After an error all later calls fail.
type writer struct {
	out     *bufio.Writer
	at      int64 // bytes so far
	records []Record
}

// newWriter begins a part of a checkpoint.
func newWriter(w io.Writer, id ID) *writer {
	p := &writer{out: bufio.NewWriterSize(w, directBytes)}
	head := binary.LittleEndian.AppendUint32([]byte(partMagic), format)
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
	for _, x := range []uint64{uint64(image.Pid), uint64(len(image.Skeleton)), state.Sum(image.Skeleton), uint64(size)} {
		head = binary.LittleEndian.AppendUint64(head, x)
	}
	p.write(head)
	err := p.write(image.Skeleton)
	sums := make([]uint64, len(image.Spans))
	for i, s := range image.Spans {
		sums[i], err = state.SumInPieces(s, bufferBytes, func(_ int, piece []byte) error { return p.write(piece) })
	}
	r.Digest = Hex(state.DigestOf(head, sums))
	p.records = append(p.records, r)
	return err
}

func (p *writer) write(b []byte) error {
	p.at += int64(len(b))
	if len(b) >= directBytes {
		p.out.Flush()
	}
	_, err := p.out.Write(b)
	return err
}

// commit makes the checkpoint at path complete; all its parts must be on disk. After an error the
// caller removes it. A part that is not visible from here is an error, because its future reader may
// not see it either.
func commit(path string, m *Manifest) error {
	if err := m.check(); err != nil {
		return err
	}
	text, err := m.encode()
	for i := range m.Parts {
		err = cmp.Or(err, m.Parts[i].visible(path))
	}
	name := filepath.Join(path, manifestName)
	for _, next := range []func() error{
		func() error { return writeFile(name+".new", text) },
		func() error { return syncDirectory(path) },
		func() error { return os.Rename(name+".new", name) },
		func() error { return syncDirectory(path) },
		func() error { return syncDirectory(filepath.Dir(path)) },
	} {
		if err == nil {
			err = next()
		}
	}
	return err
}

// visible returns an error if a part written by its rank cannot be seen here with its full length.
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

// createFile creates a file for its owner alone. It fails if the name exists, even as a link.
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
	return cmp.Or(err, file.Sync(), file.Close())
}

// A reader reads processes from a part.
type reader struct {
	name string
	file *os.File
	in   *bufio.Reader

	record Record
	left   int64  // bytes of the record that have not been read
	head   []byte // of the record
	sums   []uint64
}

// openPart opens a part of the checkpoint at dir.
//
// Errors: the part does not exist, its length differs from the manifest's, or it belongs to another
// checkpoint; all name the file.
func openPart(dir string, id ID, part *Part) (*reader, error) {
	r := &reader{name: filepath.Join(dir, part.File)}
	var err error
	if r.file, err = untrusted.Open(r.name); err != nil {
		return nil, err
	}
	if err := r.begin(id, part); err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

func (r *reader) begin(id ID, part *Part) error {
	info, err := r.file.Stat()
	if err != nil {
		return err
	}
	if info.Size() != part.Bytes {
		return r.damaged("%d bytes, expected %d", info.Size(), part.Bytes)
	}
	r.in = bufio.NewReaderSize(r.file, directBytes)
	head := make([]byte, partHead)
	if _, err := io.ReadFull(r.in, head); err != nil {
		return r.failed(err)
	}
	if string(head[:4]) != partMagic {
		return r.damaged("it begins with %q, expected %q", head[:4], partMagic)
	}
	if v := binary.LittleEndian.Uint32(head[4:]); v != format {
		return r.damaged("format %d, expected %d", v, format)
	}
	if is := ID(binary.LittleEndian.Uint64(head[8:])); is != id {
		return r.damaged("a part of checkpoint %016x, expected %016x", uint64(is), uint64(id))
	}
	return nil
}

// skeleton begins to read a process and returns its skeleton, which is the one
// that was written.
func (r *reader) skeleton(record Record) ([]byte, error) {
	if _, err := r.file.Seek(record.Offset, io.SeekStart); err != nil {
		return nil, r.failed(err)
	}
	r.in.Reset(r.file)
	r.record, r.sums, r.left = record, r.sums[:0], record.Bytes-recordHead
	r.head = make([]byte, recordHead)
	if _, err := io.ReadFull(r.in, r.head); err != nil {
		return nil, r.failed(err)
	}
	if string(r.head[:4]) != recordMagic {
		return nil, r.damaged("at %d there is %q, expected %q", record.Offset, r.head[:4], recordMagic)
	}
	word := func(i int) uint64 { return binary.LittleEndian.Uint64(r.head[8+8*i:]) }
	if word(0) != uint64(record.Pid) || word(3) != uint64(record.Bytes) || word(1) > uint64(r.left) {
		return nil, r.damaged("at %d process %d with %d bytes, of them %d of a skeleton, expected process %d with %d bytes",
			record.Offset, word(0), word(3), word(1), record.Pid, record.Bytes)
	}
	skeleton := make([]byte, word(1))
	if err := r.read(skeleton); err != nil {
		return nil, err
	}
	if sum := state.Sum(skeleton); sum != word(2) {
		return nil, r.damaged("the skeleton of process %d has the sum %016x, expected %016x", record.Pid, sum, word(2))
	}
	return skeleton, nil
}

// fill reads the next spans of the process.
func (r *reader) fill(spans [][]byte) error {
	for _, s := range spans {
		sum, err := state.SumInPieces(s, bufferBytes, func(_ int, piece []byte) error { return r.read(piece) })
		if err != nil {
			return err
		}
		r.sums = append(r.sums, sum)
	}
	return nil
}

func (r *reader) read(b []byte) error {
	if int64(len(b)) > r.left {
		return r.damaged("process %d needs more than the %d bytes that it has", r.record.Pid, r.record.Bytes)
	}
	r.left -= int64(len(b))
	if _, err := io.ReadFull(r.in, b); err != nil {
		return r.failed(err)
	}
	return nil
}

// end returns an error unless all bytes of the process were read and match its digest.
func (r *reader) end() error {
	if r.left != 0 {
		return r.damaged("process %d has %d bytes more than it needs", r.record.Pid, r.left)
	}
	if is := Hex(state.DigestOf(r.head, r.sums)); is != r.record.Digest {
		return r.damaged("process %d has the digest %016x, expected %016x", r.record.Pid, uint64(is), uint64(r.record.Digest))
	}
	return nil
}

// close closes the file.
func (r *reader) close() error { return r.file.Close() }

func (r *reader) damaged(what string, args ...any) error {
	return fmt.Errorf("%s: damaged: %s", r.name, fmt.Sprintf(what, args...))
}

func (r *reader) failed(err error) error { return fmt.Errorf("%s: %w", r.name, err) }
