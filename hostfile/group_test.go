package hostfile

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// environment is a getenv of "NAME=value" words.
func environment(variables ...string) func(string) string {
	return func(name string) string {
		for _, one := range variables {
			if value, found := strings.CutPrefix(one, name+"="); found {
				return value
			}
		}
		return ""
	}
}

// tasksOn are tasks on hosts; behind a / is the SLURM_TOPOLOGY_ADDR.
func tasksOn(hosts string) []Task {
	var tasks []Task
	for _, one := range strings.Fields(hosts) {
		host, address, _ := strings.Cut(one, "/")
		tasks = append(tasks, Task{Host: host, Topology: address})
	}
	return tasks
}

// clue makes clues of texts; "" is none.
func clue(t *testing.T, sets, hosts string, variables ...string) Clues {
	t.Helper()
	c := Clues{Getenv: environment(variables...)}
	if sets != "" {
		c.Sets = must.Get(ParseSetsFile("dir/my.conf", []byte(sets)))(t)
	}
	if hosts != "" {
		c.Hosts = must.Get(Parse("dir/my.hosts", strings.NewReader(hosts)))(t)
	}
	return c
}

// ranksOf is "set(ranks)manager" for all Sets.
func ranksOf(g *Grouping) string {
	var all []string
	for set, s := range g.File.Sets {
		var ranks []string
		for rank, host := range g.Place {
			if g.File.Hosts[host].Set == set {
				ranks = append(ranks, fmt.Sprint(rank))
			}
		}
		all = append(all, fmt.Sprintf("%s(%s)%d", s.Name, strings.Join(ranks, " "), g.Managers[set]))
	}
	return strings.Join(all, " ")
}

const (
	twoSets    = "#@set A nodes=a[1-2]\n#@set B nodes=b[1-2]\n"
	twoHosts   = "#@set C\na1\n#@set D\nb1\n"
	inVariable = "MIGBSP_SETS=E=a1;F=b1"
	hetTwo     = "SLURM_HET_SIZE=2|SLURM_JOB_NODELIST_HET_GROUP_0=a[1-2]|SLURM_JOB_NODELIST_HET_GROUP_1=b[1-2]"
	wan        = "a1/wan.siteA.a1 b1/wan.siteB.b1"
)

const partition = "SLURM_JOB_PARTITION_HET_GROUP_"

func het() []string { return strings.Split(hetTwo, "|") }

func TestWhatWins(t *testing.T) {
	for _, c := range []struct {
		name          string
		sets, hosts   string
		variables     []string
		tasks         string
		want, origins string
	}{
		{"file of Sets", twoSets, twoHosts, append(het(), inVariable), wan, "A(0)0 B(1)1", "-sets my.conf"},
		{"file of hosts", "", twoHosts, append(het(), inVariable), wan, "C(0)0 D(1)1", "#@set lines of my.hosts"},
		{"hosts without Sets", "", "a1\nb1\n", append(het(), inVariable), wan, "E(0)0 F(1)1", "MIGBSP_SETS"},
		{"variable", "", "", append(het(), inVariable), wan, "E(0)0 F(1)1", "MIGBSP_SETS"},
		{"components", "", "", het(), wan, "het0(0)0 het1(1)1", "het groups of the Slurm job"},
		{"components in partitions", "", "", append(het(), partition+"0=fast", partition+"1=slow nodes"), wan, "fast(0)0 slow-nodes(1)1", "het groups of the Slurm job"},
		{"components in one partition", "", "", append(het(), partition+"0=all", partition+"1=all"), wan, "het0(0)0 het1(1)1", "het groups of the Slurm job"},
		{"components in confusing partitions", "", "", append(het(), partition+"0=het1", partition+"1=default"), wan, "het0(0)0 het1(1)1", "het groups of the Slurm job"},
		{"components in one of several partitions", "", "", append(het(), partition+"0=a,b", partition+"1=c"), wan, "het0(0)0 c(1)1", "het groups of the Slurm job"},
		{"addresses", "", "", nil, wan, "siteA(0)0 siteB(1)1", "SLURM_TOPOLOGY_ADDR"},
		{"nothing", "", "", nil, "a1 b1", "default(0 1)0", "one Set for all hosts"},
		{"nothing but hosts", "", "a1\nb1\n", nil, "a1 b1", "default(0 1)0", "one Set for all hosts"},
		{"topology.conf", "SwitchName=A Nodes=a1\nSwitchName=B Nodes=b1\n", twoHosts, nil, wan, "A(0)0 B(1)1", "-sets my.conf"},
		{"a job that is not heterogeneous", "", "", []string{"SLURM_HET_SIZE=1", "SLURM_JOB_NODELIST_HET_GROUP_0=a1"}, wan, "siteA(0)0 siteB(1)1", "SLURM_TOPOLOGY_ADDR"},
		{"packs", "", "", []string{"SLURM_PACK_SIZE=2", "SLURM_JOB_NODELIST_PACK_GROUP_0=a1", "SLURM_JOB_NODELIST_PACK_GROUP_1=b1"}, wan, "het0(0)0 het1(1)1", "het groups of the Slurm job"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := must.Get(clue(t, c.sets, c.hosts, c.variables...).Group(tasksOn(c.tasks)))(t)
			if got := ranksOf(g); got != c.want || g.Origin != c.origins {
				t.Errorf("got %s by %s, want %s by %s", got, g.Origin, c.want, c.origins)
			}
			if len(g.Warnings) > 0 {
				t.Errorf("%q", g.Warnings)
			}
			checkGrouping(t, g)
		})
	}
}

func TestGroups(t *testing.T) {
	for _, c := range []struct {
		name, sets, hosts, tasks string
		want                     string
		warnings                 []string
	}{
		{"hosts in turns", twoSets, "", "a1 b1 a2 b2 a1", "A(0 2 4)0 B(1 3)1", nil},
		{"order of Sets, not of ranks", twoSets, "", "b2 b1 a1", "A(2)2 B(0 1)0", nil},
		{"manager", "#@set A nodes=a[1-3] manager=a2\n", "", "a1 a2 a3 a2", "A(0 1 2 3)1", nil},
		{"manager with domain", "#@set A nodes=a[1-3] manager=a2\n", "", "a1.x a2.x a3.x", "A(0 1 2)1", nil},
		{"no rank on the manager's host", "#@set A nodes=a[1-3] manager=a2\n", "", "a3 a1", "A(0 1)0",
			[]string{"my.conf: no rank of the run is on host a2, the manager of Set A; rank 0 manages it"}},
		{"no Set names hosts", twoSets, "", "a1 c b1 c d", "A(0)0 B(2)2 default(1 3 4)1",
			[]string{"my.conf: no Set has hosts c (ranks 1, 3), d (rank 4); in Set default"}},
		{"the file's own default", "#@set default nodes=a1\n#@set B nodes=b1\n", "", "c b1 a1", "default(0 2)0 B(1)1",
			[]string{"my.conf: no Set has host c (rank 0); in Set default"}},
		{"host lines in no Set", "a1\n#@set B nodes=b1\n", "", "a1 b1", "B(1)1 default(0)0",
			[]string{"my.conf: no Set has host a1 (rank 0); in Set default"}},
		{"a Set without ranks", twoSets, "", "a1 a1 a2", "A(0 1 2)0",
			[]string{"my.conf: no rank of the run is in Set B, which is left out"}},
		{"more ranks than slots", "", "#@set A\na1 slots=2\na2\n#@set B\nb1:1\n", "a1 a1 a1 a2 a2 b1 b1", "A(0 1 2 3 4)0 B(5 6)5",
			[]string{"my.hosts: 3 ranks on host a1, which has 2 slots", "my.hosts: 2 ranks on host b1, which has 1 slot"}},
		{"slots counted by lines", "", "a1\na1\n", "a1 a1 a1", "default(0 1 2)0", []string{"my.hosts: 3 ranks on host a1, which has 2 slots"}},
		{"slots of hosts, Sets of another file", twoSets, "a1 slots=1\nb1 slots=1\n", "a1 a1 b1", "A(0 1)0 B(2)2",
			[]string{"my.hosts: 2 ranks on host a1, which has 1 slot"}},
		{"host that the other file does not have", twoSets, "a1\n", "a1 b1", "A(0)0 B(1)1", []string{"my.hosts: no line names host b1 (rank 1)"}},
		{"host that the file does not have", "", "a1\n", "a1 b1", "default(0 1)0", []string{"my.hosts: no line names host b1 (rank 1)"}},
		{"case", twoSets, "", "A1 B1 a1", "A(0 2)0 B(1)1", nil},
		{"domains", twoSets, "", "a1.x.y b1.x.y", "A(0)0 B(1)1", nil},
		{"domains in the file", "#@set A nodes=a1.x\n#@set B nodes=b1.x\n", "", "a1 b1 b1.x", "A(0)0 B(1 2)1", nil},
		{"two domains", "#@set A nodes=n.a\n#@set B nodes=n.b\n", "", "n.b n.a", "A(1)1 B(0)0", nil},
		{"another domain", "#@set A nodes=n.a\n#@set B nodes=m\n", "", "n.a n.c m", "A(0)0 B(2)2 default(1)1",
			[]string{"my.conf: no Set has host n.c (rank 1); in Set default"}},
		{"addresses are no domains", "#@set A nodes=10.0.0.1\n#@set B nodes=10.0.0.2\n", "", "10.0.0.2 10.0.0.1", "A(1)1 B(0)0", nil},
		{"hosts that cannot tell their names", "", "", "a1 / /", "default(0 1 2)0",
			[]string{`ranks 1-2 cannot tell the name of their host: taken for one host, "unnamed"`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := must.Get(clue(t, c.sets, c.hosts).Group(tasksOn(c.tasks)))(t)
			if got := ranksOf(g); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			if !slices.Equal(g.Warnings, c.warnings) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(g.Warnings, "\n"), strings.Join(c.warnings, "\n"))
			}
			checkGrouping(t, g)
		})
	}
}

// checkGrouping looks for what a Grouping always has.
func checkGrouping(t *testing.T, g *Grouping) {
	t.Helper()
	slots, first := make([]int, len(g.File.Hosts)), -1
	for rank, host := range g.Place {
		slots[host]++
		if host > first+1 {
			t.Fatalf("host %d before host %d", host, first+1)
		}
		first = max(first, host)
		if g.File.Hosts[host].Set >= len(g.File.Sets) {
			t.Fatalf("rank %d in Set %d of %d", rank, g.File.Hosts[host].Set, len(g.File.Sets))
		}
	}
	names := map[string]bool{}
	for i, h := range g.File.Hosts {
		if h.Slots != slots[i] || h.Slots == 0 || !(h.Speed > 0) || names[h.Name] {
			t.Fatalf("host %+v of %d ranks", h, slots[i])
		}
		names[h.Name] = true
	}
	if len(g.Managers) != len(g.File.Sets) {
		t.Fatalf("%d managers of %d Sets", len(g.Managers), len(g.File.Sets))
	}
	for set, rank := range g.Managers {
		if g.File.Hosts[g.Place[rank]].Set != set {
			t.Fatalf("rank %d manages Set %d and is not in it", rank, set)
		}
	}
	if g.Origin == "" {
		t.Fatal("no origin")
	}
	for _, line := range g.Warnings {
		if line == "" || strings.Contains(line, "\n") {
			t.Fatalf("warning %q", line)
		}
	}
}

// Where nobody says which hosts belong together, those that were measured to be near do, and are
// called by what their names begin with.
func TestNearHosts(t *testing.T) {
	for _, c := range []struct {
		name, tasks string
		near        []int
		variables   []string
		want        string
		assumed     bool
	}{
		{"two clusters", "alpha1 alpha1 alpha2 beta1", []int{0, 0, 0, 1}, nil, "alpha(0 1 2)0 beta(3)3", false},
		{"one name in two places", "node01 node02 node03 node04", []int{0, 1, 0, 1}, nil, "node(0 2)0 node02(1 3)1", false},
		{"no common name", "x7 y8 z9", []int{0, 0, 1}, nil, "x7(0 1)0 z(2)2", false},
		{"a variable knows better", "a1 b1", []int{0, 1}, []string{"MIGBSP_SETS=E=a1,b1"}, "E(0 1)0", false},
		{"all are near", "a1 b1", []int{0, 0}, nil, "default(0 1)0", true},
		{"not measured", "a1 b1", nil, nil, "default(0 1)0", true},
	} {
		clues := clue(t, "", "", c.variables...)
		clues.Near = c.near
		g := must.Get(clues.Group(tasksOn(c.tasks)))(t)
		if got := ranksOf(g); got != c.want || g.Assumed != c.assumed {
			t.Errorf("%s: %s by %s, assumed %v; want %s, %v", c.name, got, g.Origin, g.Assumed, c.want, c.assumed)
		}
		checkGrouping(t, g)
	}
}

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
