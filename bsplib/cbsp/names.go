//go:build cgo && linux && (amd64 || arm64)

package cbsp

import (
	"debug/dwarf"
	"debug/elf"
	"fmt"
	"io"
	"math"
	"os"
	"path"
	"sync"
)

// places looks up lines of an object.
type places struct {
	object Object
	open   sync.Once
	file   *elf.File
	data   *dwarf.Data
}

// at returns file:line of an address in the object, or its function.
func (p *places) at(address uint64) string {
	p.open.Do(p.read)
	if line := p.line(address); line != "" {
		return line
	}
	return p.function(address)
}

func (p *places) read() {
	f, err := os.Open(p.object.Path)
	if err != nil {
		return
	}
	if p.file, err = elf.NewFile(io.NewSectionReader(f, p.object.Offset, math.MaxInt64-p.object.Offset)); err == nil {
		p.data, _ = p.file.DWARF()
	}
}

func (p *places) line(address uint64) string {
	if p.data == nil {
		return ""
	}
	unit, err := p.data.Reader().SeekPC(address)
	if err != nil {
		return ""
	}
	lines, err := p.data.LineReader(unit)
	if err != nil || lines == nil {
		return ""
	}
	var at, next dwarf.LineEntry
	for lines.Next(&next) == nil { // sequences of addresses are in any order
		if at.File != nil && !at.EndSequence && at.Address <= address && address < next.Address {
			return fmt.Sprintf("%s:%d", path.Base(at.File.Name), at.Line)
		}
		at = next
	}
	return ""
}

func (p *places) function(address uint64) string {
	if p.file == nil {
		return ""
	}
	symbols, _ := p.file.Symbols()
	if len(symbols) == 0 {
		symbols, _ = p.file.DynamicSymbols()
	}
	for _, s := range symbols {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC && address >= s.Value && address < s.Value+s.Size {
			return fmt.Sprintf("%s+%#x", s.Name, address+1-s.Value)
		}
	}
	return ""
}
