package bag

import (
	"flag"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun"
)

var update = flag.Bool("update", false, "write what transcripts answer now to testdata")

// Each file of testdata contains events of a bag and, in lines that begin with >, its
// answers. Words that a line may begin with:
//
//	bag TASKS WORKERS POLICY [retries=N] [sequential=S] [done=FIRST+COUNT]...
//	at SECONDS                          the master's clock from here on
//	give WORKER...                      they ask, without a report
//	ended WORKER [computed=S] [waited=S] [sent=S] [failed=TASK,...]   a worker reports what
//	                                    it has, and asks; its model goes with it
//	again                               requests that are open are given once more, if it says more than wait
//	overdue | lose WORKER | heard WORKER | wake | stats
func TestTranscripts(t *testing.T) {
	testrun.Transcripts(t, *update, func() func(string, []string) (string, error) { return new(told).do })
}

// told is the bag of a transcript.
type told struct {
	*Bag
	at      float64
	models  []*Model
	chunks  []Chunk
	waiting []int
	out     strings.Builder
}

func (s *told) say(format string, args ...any) { fmt.Fprintf(&s.out, format+"\n", args...) }

// do executes a line and returns its output.
func (s *told) do(word string, rest []string) (string, error) {
	s.out.Reset()
	err := s.act(word, rest)
	return s.out.String(), err
}

func (s *told) act(word string, rest []string) error {
	values := make(map[string]string)
	var plain []string
	for _, w := range rest {
		if name, value, found := strings.Cut(w, "="); found && word != "bag" || found && !strings.Contains(name, ",") {
			values[name] = value
		} else {
			plain = append(plain, w)
		}
	}
	figure := func(text string) float64 {
		x, err := strconv.ParseFloat(text, 64)
		if err != nil && text != "" {
			panic(err)
		}
		return x
	}
	switch word {
	case "bag":
		spec, err := Parse(plain[2])
		if err != nil {
			return err
		}
		o := Options{Retries: int(figure(values["retries"])), Sequential: figure(values["sequential"])}
		if first, count, found := strings.Cut(values["done"], "+"); found {
			o.Done = []Span{{int(figure(first)), int(figure(count))}}
		}
		workers := int(figure(plain[1]))
		s.Bag, err = New(int(figure(plain[0])), workers, spec, o)
		s.chunks = make([]Chunk, workers)
		for range workers {
			s.models = append(s.models, spec.Model())
		}
		return err
	case "at":
		s.at = figure(plain[0])
	case "give":
		for _, w := range plain {
			s.give(int(figure(w)), Report{Now: s.at}, true)
		}
	case "ended":
		w := int(figure(plain[0]))
		c := s.chunks[w]
		r := Report{Now: s.at, Chunk: c.Number, Computed: figure(values["computed"]), Waited: figure(values["waited"]), Sent: figure(values["sent"])}
		s.models[w].Observe(c.Count, r.Computed)
		r.Good, r.Next = s.models[w].Good(), s.models[w].Next(c.Slice)
		if r.Good {
			s.say("worker %d's model is good, it wants %d", w, r.Next)
		}
		if values["failed"] != "" {
			for task := range strings.SplitSeq(values["failed"], ",") {
				r.Failed = append(r.Failed, int(figure(task)))
			}
		}
		s.give(w, r, true)
	case "again":
		open := slices.Clone(s.waiting)
		s.waiting = nil
		for _, w := range open {
			s.give(w, Report{Now: s.at}, false)
		}
	case "overdue":
		s.say("overdue %v", s.Overdue(s.at))
	case "lose":
		s.Lose(int(figure(plain[0])), s.at)
	case "heard":
		s.Heard(int(figure(plain[0])), s.at)
	case "wake":
		s.say("wake at %.4g", s.Wake())
	case "stats":
		s.say("%+v", s.Stats())
	default:
		return fmt.Errorf("there is no word %s", word)
	}
	return nil
}

// give asks for a worker and prints the answer; it prints wait only if loud.
func (s *told) give(w int, r Report, loud bool) {
	c, answer := s.Give(w, r)
	s.chunks[w] = c
	switch answer {
	case Work:
		text := fmt.Sprintf("worker %d: chunk %d, %d tasks from %d", w, c.Number, c.Count, c.First)
		if c.Slice > 0 {
			text += fmt.Sprintf(", slice %.4g s", c.Slice)
		}
		if c.Copy {
			text += ", a copy"
		}
		s.say("%s", text)
	case Wait:
		s.waiting = append(s.waiting, w)
		if loud {
			s.say("worker %d waits", w)
		}
	case Done:
		s.say("worker %d: done", w)
	}
}
