package rebalancer

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// allSpecs are all strategies, with and without the guard.
func allSpecs() []string {
	var list []string
	for _, d := range Definitions() {
		list = append(list, d.Name, d.Name+",guard=0")
	}
	return append(list, "off", "percent,x=0,viability=0", "migcube,viability=0,guard=0")
}

// randomStage is a run on a random platform. tight limits memory.
func randomStage(t *testing.T, random *rand.Rand, spec string, tight bool) *stage {
	s := newStage()
	sets := 1 + random.IntN(3)
	for set := range sets {
		s.tell(t, fmt.Sprintf("set s%d", set))
		for range 1 + random.IntN(3) {
			line := fmt.Sprintf("rank s%d speed=%g really=%g", set, 1+3*random.Float64(), 0.5+3*random.Float64())
			if tight {
				line += fmt.Sprintf(" memory=%d", 1000+random.IntN(3000))
			}
			s.tell(t, line)
		}
	}
	s.tell(t, "rank s0")
	for a := range sets {
		for b := range a + 1 {
			s.tell(t, fmt.Sprintf("link s%d s%d latency=%g perbyte=%g", a, b, 1e-4*random.Float64(), 1e-5*random.Float64()))
		}
	}
	for range 1 + random.IntN(12) {
		s.tell(t, fmt.Sprintf("process %d state=%d", random.IntN(len(s.ranks)), random.IntN(1000)))
	}
	s.tell(t, "run "+spec)
	return s
}

func (s *stage) tell(t *testing.T, line string) {
	t.Helper()
	words := strings.Fields(line)
	if _, err := s.do(words[0], words[1:]); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
}

// disturb changes requests, pins and resources of processes and ranks at random.
func (s *stage) disturb(random *rand.Rand) {
	for pid := range s.detail {
		s.detail[pid].Pinned = random.IntN(8) == 0
		if random.IntN(6) == 0 {
			s.detail[pid].Request = random.IntN(len(s.ranks) + 1)
		}
		if random.IntN(2) == 0 {
			s.heard[pid] = append(s.heard[pid][:0], Traffic{Pid: random.IntN(len(s.where)), Bytes: random.Int64N(1e6)})
		}
	}
	for r := 1; r < len(s.ranks); r++ {
		s.ranks[r].Drained = random.IntN(8) == 0
		s.ranks[r].Available = 0.2 + 0.8*random.Float64()
		s.ranks[r].Free = random.Int64N(4000) - 500
		s.ranks[r].Called = 0.01 * random.Float64()
	}
}

// For any observations, decisions satisfy the rules, all ranks decide the same,
// and deciding has no side effects.
func TestDecisionsKeepToTheRules(t *testing.T) {
	for i, spec := range allSpecs() {
		moved, seeds := 0, uint64(40)
		if strings.HasPrefix(spec, "auto") && !strings.HasPrefix(spec, "automig") {
			seeds = 10
		}
		for seed := range seeds {
			random := rand.New(rand.NewPCG(seed, uint64(i)))
			s := randomStage(t, random, spec, seed%2 == 0)
			for range 4 {
				s.disturb(random)
				work := make([]float64, len(s.where))
				for pid := range work {
					work[pid] = max(0, random.Float64()-0.2) * float64(1+random.IntN(5))
				}
				for range random.IntN(6) {
					s.superstep(work)
				}
				before := s.snapshot()
				d, err := s.decide()
				if err == nil {
					err = before.obeyed(&d)
				}
				if err != nil {
					t.Fatalf("%s, seed %d, call %d: %v", spec, seed, d.Call, err)
				}
				moved += len(d.Moves)
			}
		}
		if moved == 0 {
			t.Errorf("%s never moves anything", spec)
		}
	}
}

// oneSet is a run of equal ranks, before it has processes.
func oneSet(t *testing.T, ranks int) *stage {
	s := newStage()
	s.tell(t, "set all")
	for range ranks {
		s.tell(t, "rank all")
	}
	s.tell(t, "link all all latency=0.0001 perbyte=1e-9")
	return s
}

// Equal loads on equal ranks stay, under every strategy.
func TestEqualLoadsNeverMove(t *testing.T) {
	for _, d := range Definitions() {
		for ranks := 1; ranks <= 5; ranks++ {
			s := oneSet(t, ranks)
			for pid := range 3 * ranks {
				s.tell(t, fmt.Sprintf("process %d state=1000", pid%ranks))
			}
			s.tell(t, "run "+d.Name+",guard=0")
			for range 4 {
				s.tell(t, "observe 5"+strings.Repeat(" 0.1", 3*ranks))
				got, err := s.decide()
				if err != nil || len(got.Moves) > 0 {
					t.Fatalf("%s, %d ranks: moves %+v, %v", d.Name, ranks, got.Moves, err)
				}
			}
		}
	}
}
