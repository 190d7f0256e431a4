package spec

import (
	"slices"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

func TestPlaceSharesOut(t *testing.T) {
	s := parse(t, "cluster a hosts=3 speed=30%\ncluster b hosts=3 speed=15%\ncluster c hosts=2 speed=25%,10%\n")
	places := must.Get(s.Place([]int{4, 7}))(t)
	given := map[int]Speed{}
	for i, h := range s.Hosts() {
		given[places[i]] += h.Speed
	}
	if len(given) != 2 || given[4].String() != "85%" || given[7].String() != "85%" {
		t.Errorf("processors give %v", given)
	}
}

func TestPlaceRefuses(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"too much", "cluster a hosts=5 speed=40%\n", "s: 120% of processor 0 given away, expected at most 90%"},
		{"a host that does not fit", "cluster a hosts=3 speed=50%\n", "s: 100% of processor 0"},
		{"more cores", "cores 3\ncluster a hosts=1 speed=50%\n", "s: cores 3, but this machine has 2"},
		{"one core", "cores 1\ncluster a hosts=2 speed=50%\n", "s: 100% of processor 0"},
	} {
		_, err := parse(t, c.text).Place([]int{0, 1})
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
	}
	places, err := parse(t, "cores 1\ncluster a hosts=2 speed=45%\n").Place([]int{3, 5})
	if err != nil || !slices.Equal(places, []int{3, 3}) {
		t.Errorf("a processor that is just full: %v, %v", places, err)
	}
}
