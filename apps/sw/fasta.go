package main

import (
	"bytes"
	"fmt"
	"os"
)

// sequence is a name and letters, as indices into an alphabet.
type sequence struct {
	name    string
	codes   []byte
	unclear int // letters read as the letter for any
	of      int // number of sequences in its file, which begins with it
}

// readFasta reads the first sequence of a file; the rest is checked too.
func readFasta(path string, s *scoring) (sequence, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return sequence{}, err
	}
	all, err := parseFasta(path, text, s)
	if err != nil {
		return sequence{}, err
	}
	all[0].of = len(all)
	return all[0], nil
}

// parseFasta reads FASTA: for each sequence a line of > and its name, then lines of letters. Letters
// that stand for several, or that have no scores, are read as the letter for any. Blanks between
// letters and empty lines are ignored.
//
// Errors name the line: the file has no sequence, or a sequence has no letters or has letters that
// are not in the alphabet.
func parseFasta(path string, text []byte, s *scoring) ([]sequence, error) {
	var all []sequence
	number, named := 0, 0
	empty := func() error {
		if n := len(all); n > 0 && len(all[n-1].codes) == 0 {
			return fmt.Errorf("%s:%d: sequence %q has no letters", path, named, all[n-1].name)
		}
		return nil
	}
	for line := range bytes.Lines(text) {
		number++
		line = bytes.TrimRight(line, "\r\n")
		switch {
		case len(bytes.TrimSpace(line)) == 0:
		case line[0] == '>':
			if err := empty(); err != nil {
				return nil, err
			}
			all, named = append(all, sequence{name: string(bytes.TrimSpace(line[1:]))}), number
		case len(all) == 0:
			return nil, fmt.Errorf("%s:%d: expected a line that begins with > and a name", path, number)
		default:
			last := &all[len(all)-1]
			for i, letter := range line {
				if letter == ' ' || letter == '\t' {
					continue
				}
				code, ok := s.code(letter)
				if !ok {
					return nil, fmt.Errorf("%s:%d:%d: %q is not one of the letters %s%s", path, number, i+1, letter, s.letters, s.others)
				}
				last.codes = append(last.codes, code)
				if s.unclear(letter) {
					last.unclear++
				}
			}
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: there is no sequence in it; expected a line that begins with > and a name", path)
	}
	return all, empty()
}
