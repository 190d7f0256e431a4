package spec

import (
	"cmp"
	"fmt"
	"slices"
)

// Place gives each host one of the processors, the fastest hosts first and always
// the processor that has given least away. It is an error if a processor has then
// given more than MaxSpeed away, for the testbed itself needs the rest.
func (s *Spec) Place(processors []int) ([]int, error) {
	if s.Cores > len(processors) {
		return nil, fmt.Errorf("%s: cores %d, but this machine has %d", s.Name, s.Cores, len(processors))
	}
	if s.Cores > 0 {
		processors = processors[:s.Cores]
	}
	hosts := s.Hosts()
	order := make([]int, len(hosts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(hosts[b].Speed, hosts[a].Speed) })
	given := make([]Speed, len(processors))
	places := make([]int, len(hosts))
	for _, host := range order {
		least := slices.Index(given, slices.Min(given))
		given[least] += hosts[host].Speed
		places[host] = processors[least]
	}
	if most := slices.Max(given); !Fits(most) {
		return nil, fmt.Errorf("%s: %v of processor %d given away, expected at most %v; take smaller speeds or fewer hosts", s.Name, most, processors[slices.Index(given, most)], MaxSpeed)
	}
	return places, nil
}

// Fits reports whether a processor can give the sum of some speeds.
func Fits(sum Speed) bool { return sum <= MaxSpeed+1e-9 }
