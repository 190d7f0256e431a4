// Sw finds the best local alignment of two sequences, by Smith and Waterman's algorithm
// with Gotoh's gaps, and checks it.
package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"os"
	"sync"

	"github.com/migbsp/migbsp/apps/internal/flags"
	"github.com/migbsp/migbsp/apps/internal/lines"
	"github.com/migbsp/migbsp/apps/sw/cells"
	"github.com/migbsp/migbsp/bsplib"
)

const about = `
Sw finds the best local alignment of a query and a target: the parts of both that are
most alike, with gaps. Sequences are read from FASTA files, of which the first sequence
counts, or made, the one with parts of the other. Under MPI all ranks read the files.

The matrix of scores has a row for each letter of the query and a column for each of the
target. Each process has columns. It computes them in blocks of rows, and gives the last
column of each block to its right neighbour: wavefronts go through the matrix, in
blocks + processes - 1 supersteps. Only the borders of blocks are kept; the alignment is
found in another p supersteps, in which blocks that it goes through are computed again.

-density 1e6:1e9 adds work that grows from superstep to superstep, with one block for
each process, as in Righi et al., Applying Processes Rescheduling over Irregular BSP
Application (ICCS 2009): there p processes have -message 5e6/p and -kept 700000.`

var (
	size      = flag.Int("n", 4000, "`letters` of each sequence that is made")
	queryFile = flag.String("query", "", "FASTA `file` with the query")
	target    = flag.String("target", "", "FASTA `file` with the target")
	seed      = flag.Uint64("seed", 1, "of sequences that are made")
	matrix    = flag.String("matrix", "blosum62", "`scores` of pairs: blosum62 or dna")
	match     = flag.Int("match", 2, "score of equal bases of DNA")
	mismatch  = flag.Int("mismatch", -3, "score of unequal bases of DNA")
	open      = flags.Int("open", "`cost` of a gap (default: 11, and 5 for DNA)")
	extend    = flags.Int("extend", "`cost` of each letter of a gap beside (default: 1, and 2 for DNA)")
	blocks    = flag.Int("blocks", 0, "`number` of blocks of rows (default: 4 for each process, at least 64; with -density 1 for each)")
	out       = flag.String("out", "", "write the alignment to this `file`")
	picture   = flag.String("png", "", "write a picture of the scores to this `file`, with a line for each block of rows")
	show      = flag.Bool("show", false, "print the alignment")
	growing   = flag.String("density", "", "`FIRST:LAST` instructions that each process works beside in the first and in the last superstep")
	message   = flag.Int("message", 0, "`bytes` that each message has beside")
	kept      = flag.Int("kept", 0, "`bytes` that each process has beside")
)

// parameters is the values of the command line and of the files.
type parameters struct {
	scoring               *scoring
	query, target         []byte // as indices into the alphabet
	queryName, targetName string
	unclear               string // note on letters that are read as the letter for any
	blocks                int
	first, last           float64 // additional instructions, in the first and the last superstep
	message, kept         int     // additional bytes
}

func main() {
	bsplib.Main(sw, bsplib.Options{Description: about, CheckFlags: check, MemoryNeeded: memory, WorkNeeded: work})
}

func sw(b *bsplib.Proc, s *state) error {
	p, err := read(b.NProcs())
	if err != nil {
		return err
	}
	s.align(b, p)
	return s.report(b, p)
}

// align computes the matrix and finds the alignment.
func (s *state) align(b *bsplib.Proc, p *parameters) {
	if b.Fresh() {
		if b.Pid() == 0 && p.unclear != "" {
			fmt.Fprintf(os.Stderr, "sw: letters read as %c, any: %s\n", p.scoring.any, p.unclear[len(", "):])
		}
		s.setUp(b, p)
		b.Sync()
		s.Began = b.Time()
	}
	s.forward(b, p)
	s.goBack(b, p)
}

// input does not depend on the number of processes.
var input = sync.OnceValues(readInput)

func readInput() (*parameters, error) {
	s, err := scoringOf(*matrix, *match, *mismatch, open, extend)
	if err != nil {
		return nil, err
	}
	p := &parameters{scoring: s, blocks: *blocks, message: *message, kept: *kept}
	if p.first, p.last, err = density(*growing); err != nil {
		return nil, err
	}
	if err := errors.Join(lines.Writable("-out", *out), lines.Writable("-png", *picture)); err != nil {
		return nil, err
	}
	switch {
	case *size < 1 || *size > mostLettersMade:
		return nil, fmt.Errorf("-n %d: expected a number of letters from 1 to %d", *size, mostLettersMade)
	case *message < 0 || *message > 1<<30:
		return nil, fmt.Errorf("-message %d: expected a number from 0 to 2^30", *message)
	case *kept < *message || *kept > 1<<30:
		return nil, fmt.Errorf("-kept %d: expected a number from -message (%d) to 2^30", *kept, *message)
	case (*queryFile == "") != (*target == ""):
		return nil, fmt.Errorf("-query and -target: expected both, or none")
	case *queryFile == "":
		p.query, p.target = generate(*size, *seed, s)
		p.queryName, p.targetName = "made", "made"
		return p, nil
	}
	return p, cmp.Or(flags.Unused("the sequences are those of -query and -target", "n", "seed"), p.readFiles(*queryFile, *target))
}

// mostLettersMade bounds generated sequences, so that scores can be counted.
const mostLettersMade = 1 << 25

// readFiles reads both sequences.
func (p *parameters) readFiles(query, target string) error {
	for _, f := range []struct {
		path  string
		codes *[]byte
		name  *string
	}{{query, &p.query, &p.queryName}, {target, &p.target, &p.targetName}} {
		s, err := readFasta(f.path, p.scoring)
		if err != nil {
			return err
		}
		*f.codes, *f.name = s.codes, s.name
		if s.unclear > 0 {
			p.unclear += fmt.Sprintf(", %d of %s", s.unclear, f.path)
		}
		if s.of > 1 {
			*f.name += fmt.Sprintf(" (first of %d)", s.of)
		}
	}
	return nil
}

// read makes the parameters for a number of processes.
func read(procs int) (*parameters, error) {
	from, err := input()
	if err != nil {
		return nil, err
	}
	p := *from
	return p.forProcesses(procs)
}

// forProcesses completes and checks the parameters for a number of processes.
func (p parameters) forProcesses(procs int) (*parameters, error) {
	if p.blocks == 0 {
		p.blocks = max(64, 4*procs)
		if p.last > 0 {
			p.blocks = procs
		}
		p.blocks = min(p.blocks, len(p.query))
	}
	switch {
	case procs > len(p.target):
		return nil, fmt.Errorf("%d processes are too many for the %d letters of the target", procs, len(p.target))
	case p.blocks < 0:
		return nil, fmt.Errorf("-blocks %d: at least one block is needed", p.blocks)
	case p.blocks > len(p.query):
		return nil, fmt.Errorf("-blocks %d: the query has only %d letters", p.blocks, len(p.query))
	case int64(p.scoring.most())*int64(min(len(p.query), len(p.target))) > -cells.Never:
		return nil, fmt.Errorf("sequences of %d and %d letters could score more than %d", len(p.query), len(p.target), -cells.Never)
	}
	return &p, nil
}

func check(procs int) error {
	_, err := read(procs)
	return err
}

// work returns the cost of the matrix, and of the other instructions.
func work(procs int) bsplib.Work {
	p, _ := read(procs)            // which check has found right
	const cell, perSecond = 4, 2e9 // instructions
	beside := float64(procs) * float64(p.blocks) * (p.first + p.last) / 2
	if procs == 1 && p.blocks == 1 {
		beside = p.first
	}
	const border = 8 // bytes of a row at the border of two processes
	return bsplib.Work{
		Amount: cell*float64(len(p.query))*float64(len(p.target)) + beside, Unit: "instructions", PerSecond: perSecond,
		Supersteps: p.blocks + 2*procs - 1, Sent: border*float64(len(p.query)) + float64(p.message)*float64(p.blocks),
		Partners: func(pid int) []int { return []int{pid + 1} },
	}
}

// memory returns the bytes of all processes: borders of blocks, scores of letters with
// columns, and a block's origins.
func memory(procs int) int64 {
	p, _ := read(procs) // which check has found right
	m, n, b := int64(len(p.query)), int64(len(p.target)), int64(p.blocks)
	rows := m/b + 1
	each := int64(p.kept) + 2*int64(p.message) + 16*rows
	origins := rows * min(int64(window(int(rows))), n/int64(procs)+1)
	return 8*(m*int64(procs-1)+2*n*b) + n*int64(len(p.scoring.letters)) + origins + each*int64(procs)
}
