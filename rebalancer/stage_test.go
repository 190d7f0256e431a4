package rebalancer

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// stage is a run described by a transcript. One controller handles all
// processes; others handle the processes of one rank each, and must decide the same.
type stage struct {
	platform Platform
	really   []float64 // speed of each rank
	where    []int32
	detail   []Detail
	heard    [][]Traffic
	ranks    []RankState
	step     int
	late     float64 // unexplained seconds of each superstep

	whole *Controller
	parts []*Controller
	told  []*Controller // of the same ranks, which receive only notices
}

func newStage() *stage { return &stage{} }

// do executes one line and returns its output.
func (s *stage) do(word string, args []string) (string, error) {
	before := map[string]func([]string) error{
		"set": s.addSet, "rank": s.addRank, "link": s.addLink, "barrier": s.setBarrier, "process": s.addProcess, "run": s.run,
	}
	if act := before[word]; act != nil {
		return "", act(args)
	}
	if s.whole == nil {
		return "", fmt.Errorf("no run yet")
	}
	switch word {
	case "observe":
		return "", s.observe(args)
	case "decide":
		d, err := s.decide()
		return tell(&d, &s.platform), err
	case "why":
		d, err := s.decide()
		var b bytes.Buffer
		if err == nil {
			err = d.Why(&b, &s.platform)
		}
		return b.String(), err
	}
	return "", s.change(word, args)
}

func (s *stage) addSet(args []string) error {
	p := &s.platform
	p.Sets = append(p.Sets, Set{Name: args[0], Manager: len(p.Ranks)})
	for a := range p.Links {
		p.Links[a] = append(p.Links[a], Link{})
	}
	p.Links = append(p.Links, make([]Link, len(p.Sets)))
	return nil
}

func (s *stage) setOf(name string) (int, error) {
	for i, set := range s.platform.Sets {
		if set.Name == name {
			return i, nil
		}
	}
	return 0, fmt.Errorf("no Set %s", name)
}

func (s *stage) addRank(args []string) error {
	set, errSet := s.setOf(args[0])
	x, err := settings(args[1:], "speed", "memory", "really")
	speed := cmp.Or(x["speed"], 1)
	s.platform.Ranks = append(s.platform.Ranks, Rank{Set: set, Speed: speed, Memory: int64(x["memory"])})
	s.really = append(s.really, cmp.Or(x["really"], speed))
	s.ranks = append(s.ranks, RankState{Rank: len(s.ranks), Available: 1, Free: -1, Remaining: 100})
	return errors.Join(errSet, err)
}

func (s *stage) addLink(args []string) error {
	a, errA := s.setOf(args[0])
	b, errB := s.setOf(args[1])
	x, err := settings(args[2:], "latency", "perbyte")
	if err := errors.Join(errA, errB, err); err != nil {
		return err
	}
	links := make([][]Link, len(s.platform.Links))
	for i, row := range s.platform.Links {
		links[i] = slices.Clone(row)
	}
	links[a][b] = Link{Latency: x["latency"], PerByte: x["perbyte"]}
	links[b][a] = links[a][b]
	s.platform.Links = links
	if s.whole != nil {
		for _, c := range slices.Concat(s.parts, s.told, []*Controller{s.whole}) {
			c.Relink(links, nil)
		}
	}
	return nil
}

func (s *stage) setBarrier(args []string) (err error) {
	s.platform.Barrier, err = strconv.ParseFloat(args[0], 64)
	return err
}

func (s *stage) addProcess(args []string) error {
	rank, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	x, err := settings(args[1:], "state")
	s.where = append(s.where, int32(rank))
	s.detail = append(s.detail, Detail{State: int64(x["state"]), Request: -1})
	s.heard = append(s.heard, []Traffic{})
	return err
}

func (s *stage) run(args []string) error {
	spec, err := Parse(args[0])
	if err != nil {
		return err
	}
	s.whole = New(s.platform, s.where, spec)
	for range s.platform.Ranks {
		s.parts = append(s.parts, New(s.platform, s.where, spec))
		s.told = append(s.told, New(s.platform, s.where, spec))
	}
	return nil
}

// change sets one figure of a rank or process.
func (s *stage) change(word string, args []string) error {
	var x [3]float64
	for i, arg := range args[:min(len(args), len(x))] {
		v, err := strconv.ParseFloat(arg, 64)
		if err != nil {
			return err
		}
		x[i] = v
	}
	at := int(x[0])
	switch word {
	case "pin":
		s.detail[at].Pinned = true
	case "ask":
		s.detail[at].Request = int(x[1])
	case "hear":
		s.heard[at] = append(s.heard[at], Traffic{Pid: int(x[1]), Bytes: int64(x[2])})
	case "drain":
		s.ranks[at].Drained = true
	case "late":
		s.late = x[0]
	case "available":
		s.ranks[at].Available = x[1]
	case "free":
		s.ranks[at].Free = int64(x[1])
	case "remaining", "called":
		for i := range s.ranks {
			if word == "called" {
				s.ranks[i].Called = x[0]
			} else {
				s.ranks[i].Remaining = at
			}
		}
	default:
		return fmt.Errorf("there is no such word")
	}
	return nil
}

// settings reads key=number words.
func settings(words []string, known ...string) (map[string]float64, error) {
	x := make(map[string]float64)
	for _, word := range words {
		key, value, _ := strings.Cut(word, "=")
		if !slices.Contains(known, key) {
			return nil, fmt.Errorf("%s is none of %v", key, known)
		}
		v, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return nil, err
		}
		x[key] = v
	}
	return x, nil
}
