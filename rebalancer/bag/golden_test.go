package bag

import (
	"slices"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

func mustParse(t testing.TB, text string) Spec {
	t.Helper()
	return must.Get(Parse(text))(t)
}

// Chunk sizes of the policies that do not learn, as published.
func TestGoldenSequences(t *testing.T) {
	for text, want := range map[string][]int{
		"gss":              {25, 19, 14, 11, 8, 6, 5, 3, 3, 2, 1, 1, 1, 1},
		"factoring":        {13, 13, 13, 13, 6, 6, 6, 6, 3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1},
		"workqueue,k=10":   {10, 10, 10, 10, 10, 10, 10, 10, 10, 10},
		"static":           {25, 25, 25, 25},
		"workqueue,k=1000": {100},
	} {
		b := must.Get(New(100, 4, mustParse(t, text), Options{}))(t)
		var got []int
		next, held := 0, [4]int{}
		for n := 0; ; n++ {
			c, answer := b.Give(n%4, Report{Now: float64(n), Chunk: held[n%4]})
			held[n%4] = c.Number
			if answer == Done {
				break
			}
			if answer == Work {
				if c.First != next {
					t.Errorf("%s: tasks from %d on are given, want from %d", text, c.First, next)
				}
				next += c.Count
				got = append(got, c.Count)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}
