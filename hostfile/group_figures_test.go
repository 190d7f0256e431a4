package hostfile

import (
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// What a run's File keeps is seen in its canonical form.
func TestFiguresOfAGrouping(t *testing.T) {
	for _, c := range []struct{ name, sets, hosts, tasks, want string }{
		{"of Hosts", "", platform, "a2 b1 a1", `#@platform barrier=20us
#@set A manager=a2 speed=0.1 rate=1Gb/s latency=50us memory=4GiB nodes=a2,a1
#@set B speed=0.04 nodes=b1
a2 slots=1
b1 slots=1
a1 slots=1
#@host a1 memory=1GiB
#@link B A rate=100Mb/s latency=2ms
`},
		{"links turn with their Sets", "", "#@set A\na\n#@set B\nb\n#@set C\nc\n#@link C B latency=1ms\n", "c b", `#@set B nodes=b
#@set C nodes=c
c slots=1
b slots=1
#@link C B rate=10Gb/s latency=1ms
`},
		{"of Hosts in the Sets of another file", "#@set X nodes=a1,b1\n#@set Y nodes=c2\n", platform, "a1 b1 c2", `#@platform barrier=20us
#@set X rate=100Mb/s latency=2ms
a1 slots=1
#@host a1 speed=0.1 memory=1GiB
b1 slots=1
#@host b1 speed=0.04
#@set Y rate=100Mb/s latency=1ms
c2 slots=1
#@link X Y rate=100Mb/s latency=5ms
`},
		{"of both", "#@platform barrier=1ms\n#@set X nodes=a1,b1 speed=3\n#@set Y nodes=c2 rate=1Mb/s\n#@host b1 speed=0.5\n#@link X Y latency=7ms\n", platform, "a1 b1 c2", `#@platform barrier=1ms
#@set X speed=3
a1 slots=1
#@host a1 memory=1GiB
b1 slots=1
#@host b1 speed=0.5
#@set Y rate=1Mb/s
c2 slots=1
#@link X Y rate=1Mb/s latency=7ms
`},
		{"account and limit", "", "me@a slots=2 max_slots=4\n", "a", "me@a slots=1 max_slots=4\n"},
		{"none", "#@set X nodes=a\n", "a\n", "a", "#@set X\na slots=1\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := must.Get(clue(t, c.sets, c.hosts).Group(tasksOn(c.tasks)))(t)
			got := written(g.File)
			want := strings.Join(strings.Fields(c.want), " ")
			if strings.Join(strings.Fields(got), " ") != want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
			if again := written(parse(t, got)); again != got {
				t.Errorf("read again\n%s\nnot\n%s", again, got)
			}
		})
	}
}
