package doctor

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/migbsp/migbsp/hostfile"
	"github.com/migbsp/migbsp/ledger"
)

// mostWarnings is the maximum number of a file's warnings that are repeated.
const mostWarnings = 5

// hosts reads the file that the user has named. It returns nil if the user named none.
func (s *System) hosts(w Wants) (*hostfile.File, error) {
	if w.Hosts == "" {
		return nil, nil
	}
	text, err := s.ReadFile(w.Hosts)
	if err != nil {
		return nil, err
	}
	return hostfile.Parse(w.Hosts, bytes.NewReader(text))
}

// checkHosts reads the file of hosts.
func checkHosts(s *System, w Wants) []Finding {
	f, err := s.hosts(w)
	var problems hostfile.Problems
	switch {
	case errors.As(err, &problems):
		var found []Finding
		for _, p := range problems {
			found = append(found, missing(p.Error(), "correct this line")...)
		}
		return found
	case err != nil:
		return missing(err.Error(), "name a file that there is with -hosts")
	case f == nil:
		return ok("no file given (-hosts, MIGBSP_HOSTS): all ranks count as one Set")
	}
	found := ok(summary(f))
	for i, warning := range f.Warnings {
		if i == mostWarnings {
			return append(found, note(ledger.Count(len(f.Warnings)-i, "more warning"), "migbsp hosts FILE prints all")...)
		}
		found = append(found, note(warning.Error(), "not all launchers may read this line as migbsp does")...)
	}
	return found
}

// summary returns the number of ranks, and the Sets with their source.
func summary(f *hostfile.File) string {
	var sets []string
	written := false
	ranks := make([]int, len(f.Sets))
	for _, h := range f.Hosts {
		ranks[h.Set] += h.Slots
	}
	for i, set := range f.Sets {
		sets = append(sets, fmt.Sprintf("%s (%s)", set.Name, ledger.Count(ranks[i], "rank")))
		written = written || set.Line > 0
	}
	text := fmt.Sprintf("%s: %s on %s", f.Name, ledger.Count(f.Ranks(), "rank"), ledger.Count(len(f.Hosts), "host"))
	if !written {
		return text + "; one Set, for no line #@set says otherwise"
	}
	text += fmt.Sprintf("; %s by lines #@set: %s", ledger.Count(len(f.Sets), "Set"), strings.Join(sets, ", "))
	if f.Emulated() {
		text += "; without MPI, a platform to emulate"
	}
	return text
}
