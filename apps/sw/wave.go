package main

import (
	"time"

	"github.com/migbsp/migbsp/apps/sw/cells"
	"github.com/migbsp/migbsp/bsplib"
)

// state is a process's part of the matrix: columns of the target with all rows.
type state struct {
	Row    []cells.Cell // the last row that was computed
	Rows   []cells.Cell // the row above each block but the first, one after the other
	Left   []cells.Cell // the known part of the column on the left; none on process 0
	Corner int32        // H above Left's next part
	Top    cells.Peak
	Began  time.Duration

	In bsplib.Area[cells.Cell] // of a block: the column on its left

	Synthetic uint64            // result of synthetic work
	Kept      []byte            // only there to be moved
	Ballast   bsplib.Area[byte] // only there to be written to

	Token bsplib.Area[token]
	Path  []byte // this process's part of the alignment, from its end to its beginning
	End   place  // where it ends and begins, on the processes that have these
	Begin place
}

func (s *state) setUp(b *bsplib.Proc, p *parameters) {
	from, to := p.columns(b.Pid(), b.NProcs())
	s.Row = make([]cells.Cell, to-from)
	fill(s.Row)
	s.In = bsplib.Alloc[cells.Cell](b, (len(p.query)-1)/p.blocks+1)
	s.Token = bsplib.Alloc[token](b, 1)
	s.Kept = make([]byte, p.kept)
	s.Ballast = bsplib.Alloc[byte](b, p.message)
}

// columns returns the range of a process's letters of the target.
func (p *parameters) columns(pid, procs int) (from, to int) {
	n := len(p.target)
	return pid * n / procs, (pid + 1) * n / procs
}

// ready returns a process's columns, prepared for comparisons.
func (p *parameters) ready(b *bsplib.Proc) *cells.Columns {
	from, to := p.columns(b.Pid(), b.NProcs())
	return cells.NewColumns(&p.scoring.Scores, len(p.scoring.letters), p.target[from:to])
}

// rows returns the range of a block's letters of the query.
func (p *parameters) rows(block int) (from, to int) {
	m := len(p.query)
	return block * m / p.blocks, (block + 1) * m / p.blocks
}

// forward computes the matrix in wavefronts: in stage k, process i computes block k-i of
// its columns and gives the last of them to process i+1.
func (s *state) forward(b *bsplib.Proc, p *parameters) {
	stages := p.blocks + b.NProcs() - 1
	columns := p.ready(b)
	for k := range b.Stages(stages) {
		block := k - b.Pid()
		if block < 0 || block >= p.blocks {
			continue
		}
		if p.last > 0 {
			s.Synthetic = synthetic(s.Synthetic+uint64(k), p.load(k, stages))
		}
		right := s.compute(b, p, block, columns)
		if to := b.Pid() + 1; to < b.NProcs() {
			s.In.Put(to, 0, right...)
			s.Ballast.Put(to, 0, s.Kept[:min(len(s.Kept), p.message)]...)
		}
	}
}

// compute computes a block and returns its last column.
func (s *state) compute(b *bsplib.Proc, p *parameters, block int, columns *cells.Columns) (right []cells.Cell) {
	from, to := p.rows(block)
	if block > 0 {
		s.Rows = append(s.Rows, s.Row...)
	}
	left := make([]cells.Cell, to-from)
	if b.Pid() == 0 {
		fill(left)
	} else {
		copy(left, s.In.Slice())
		s.Left = append(s.Left, left...)
	}
	corner := s.Corner
	s.Corner = left[len(left)-1].H
	s.Top = columns.Block(p.query[from:to], from, s.Row, left, left, corner, s.Top)
	return left
}
