package checkpoint

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/migbsp/migbsp/bsplib/internal/state"
)

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
// Errors: a part that is not there, is not as long as the manifest says, or
// belongs to another checkpoint; all name the file.
func openPart(dir string, id ID, part *Part) (*reader, error) {
	r := &reader{name: filepath.Join(dir, part.File)}
	var err error
	if r.file, err = os.Open(r.name); err != nil {
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
	if sum := sumOf(skeleton); sum != word(2) {
		return nil, r.damaged("the skeleton of process %d has the sum %016x, expected %016x", record.Pid, sum, word(2))
	}
	return skeleton, nil
}

// fill reads the next spans of the process.
func (r *reader) fill(spans [][]byte) error {
	for _, s := range spans {
		var digest state.SpanDigest
		for len(s) > 0 {
			piece := s[:min(len(s), bufferBytes)]
			if err := r.read(piece); err != nil {
				return err
			}
			digest.Add(piece)
			s = s[len(piece):]
		}
		r.sums = append(r.sums, digest.Sum())
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

// end reports whether all of the process was read, and is what was written.
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
