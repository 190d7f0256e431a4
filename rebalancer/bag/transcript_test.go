package bag

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write what transcripts give now to testdata")

// Each file of testdata tells what happens to a bag and, in lines that begin with >, what
// it answers. Words that a line may begin with:
//
//	bag TASKS WORKERS POLICY [retries=N] [sequential=S] [done=FIRST+COUNT]...
//	at SECONDS                          the master's clock from here on
//	give WORKER...                      they ask, without a report
//	ended WORKER [computed=S] [waited=S] [sent=S] [failed=TASK,...]   a worker reports what
//	                                    it has, and asks; its model goes with it
//	again                               requests that are open are given once more, if it says more than wait
//	overdue | lose WORKER | heard WORKER | wake | stats
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("there are no transcripts", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := new(told).replay(t, string(want))
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if got != string(want) {
				t.Errorf("%s: go test -run Transcripts -update writes what is answered now:\n%s", file, got)
			}
		})
	}
}

// told is a bag that a transcript is about.
type told struct {
	*Bag
	at      float64
	models  []*Model
	chunks  []Chunk
	waiting []int
	out     strings.Builder
}

func (s *told) say(format string, args ...any) { fmt.Fprintf(&s.out, "> "+format+"\n", args...) }

func (s *told) replay(t *testing.T, text string) string {
	for n, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if strings.HasPrefix(line, ">") {
			continue
		}
		s.out.WriteString(line + "\n")
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(line, "#") {
			continue
		}
		if err := s.do(words[0], words[1:]); err != nil {
			t.Fatalf("line %d: %q: %v", n+1, line, err)
		}
	}
	return s.out.String()
}

func (s *told) do(word string, rest []string) error {
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

// give asks for a worker and says what the answer is; wait is worth a line if loud.
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
