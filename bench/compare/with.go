package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/migbsp/migbsp/bench/internal/results"
)

// readAll reads the results files of -with.
func readAll(with []string, procs int) ([]*contender, error) {
	var all []*contender
	for _, w := range with {
		name, file, _ := strings.Cut(w, "=")
		c, err := readResults(name, file, procs)
		if err != nil {
			return nil, fmt.Errorf("-with %s: %w", w, err)
		}
		all = append(all, c)
	}
	return all, nil
}

// readResults reads the rows of procs processes. Of a file with several
// libraries it takes the one of that name.
func readResults(name, file string, procs int) (*contender, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	runs, err := results.Read(f)
	if err != nil {
		return nil, err
	}
	var libraries []string
	for _, r := range runs {
		if !slices.Contains(libraries, r.Library) {
			libraries = append(libraries, r.Library)
		}
	}
	if len(libraries) > 1 && !slices.Contains(libraries, name) {
		return nil, fmt.Errorf("the file has several libraries; NAME must be one of %q", libraries)
	}
	c := &contender{name: name, library: name, file: file}
	for _, r := range runs {
		if len(libraries) > 1 && r.Library != name {
			continue
		}
		for _, row := range r.Rows {
			if row.P == procs {
				c.merged.Add(row)
			}
		}
	}
	if len(c.merged.Rows()) == 0 {
		return nil, fmt.Errorf("no results for %d processes", procs)
	}
	return c, nil
}
