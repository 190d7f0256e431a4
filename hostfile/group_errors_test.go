package hostfile

import (
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

func TestWhatCannotBeGrouped(t *testing.T) {
	for _, c := range []struct {
		name      string
		clues     Clues
		tasks     string
		variables string
		want      string
	}{
		{"no ranks", Clues{}, "", "", "a run without ranks"},
		{"variable", Clues{}, "a", "MIGBSP_SETS=A=a[1-2;B=b", `MIGBSP_SETS:1:4: bracket that nothing closes, expected ] after the numbers`},
		{"variable, second line", Clues{}, "a", "MIGBSP_SETS=A=a\n B:b", `MIGBSP_SETS:2:3: "B:b" as the name of a Set, expected letters, digits, - _ or .`},
		{"two Sets of the variable", Clues{}, "a", "MIGBSP_SETS=A=a,b;B=c,b", "MIGBSP_SETS:1:11: host b in Set B, which line 1 puts into Set A"},
		{"ambiguous rank", Clues{}, "n.a n.b n", "", `rank 2 runs on host "n", which may be n.a (rank 0) or n.b (rank 1)`},
		{"ambiguous for a file", clue(t, "#@set A nodes=n.a\n#@set B nodes=n.b\n", ""), "n", "", `rank 0 runs on host "n", which may be n.a or n.b of my.conf`},
		{"ambiguous in a file", clue(t, "#@set A nodes=m\n#@set B nodes=n\n", ""), "n.a n.b n.b", "", "dir/my.conf:2:1: host n, which may be n.a (rank 0) or n.b (ranks 1-2), expected the name with its domain"},
		{"ambiguous in the file of hosts", clue(t, "#@set A nodes=n.a,n.b\n", "m\nn\n"), "n.a n.b", "", "dir/my.hosts:2:1: host n, which may be n.a (rank 0) or n.b (rank 1)"},
		{"made file with a host twice", Clues{Sets: &File{Name: "made", Hosts: []Host{{Name: "a"}, {Name: "A", Set: 1, Line: 7}}, Sets: []Set{{Name: "x"}, {Name: "y"}}}}, "a", "",
			"made:7:1: host A in Set y, which is in Set x already, expected each host in one Set"},
		{"made file with a manager elsewhere", Clues{Sets: &File{Name: "made", Hosts: []Host{{Name: "a"}, {Name: "b", Set: 1}}, Sets: []Set{{Name: "x", Manager: "b", Line: 3}, {Name: "y"}}}}, "a", "",
			`made:3:1: manager "b", expected a host of Set x`},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.clues.Getenv = environment(c.variables)
			g, err := c.clues.Group(tasksOn(c.tasks))
			if err == nil {
				t.Fatalf("grouped as %s", ranksOf(g))
			}
			if !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("\n got %v\nwant %s", err, c.want)
			}
		})
	}
}

// A name that is there exactly is never taken for one in a domain.
func TestExactNamesWin(t *testing.T) {
	f := must.Get(Rules{FullNames: true}.Parse("h", strings.NewReader("#@set A\nn\n#@set B\nn.b\n")))(t)
	for tasks, want := range map[string]string{"n": "A(0)0", "n.b": "B(0)0", "N.B": "B(0)0", "n.c": "A(0)0"} {
		g, err := Clues{Hosts: f}.Group(tasksOn(tasks))
		if err != nil || ranksOf(g) != want {
			t.Errorf("%s: %v, want %s", tasks, err, want)
		}
	}
}

func TestComponentsOfAJob(t *testing.T) {
	for _, c := range []struct{ name, variables, tasks, want, warning string }{
		{"a component without a list", "SLURM_HET_SIZE=2|SLURM_JOB_NODELIST_HET_GROUP_0=a[1-2]", "a1 b1", "het0(0)0 default(1)1",
			"the Slurm job has 2 components, but SLURM_JOB_NODELIST_HET_GROUP_1 is not set"},
		{"a host of none", hetTwo, "a1 b1 c", "het0(0)0 het1(1)1 default(2)2",
			"components of the Slurm job: no Set has host c (rank 2); in Set default"},
		{"only the first", hetTwo, "a1 a2", "het0(0 1)0", "components of the Slurm job: no rank of the run is in Set het1, which is left out"},
		{"a list that cannot be read", "SLURM_HET_SIZE=2|SLURM_JOB_NODELIST_HET_GROUP_0=a[1-|SLURM_JOB_NODELIST_HET_GROUP_1=b", "a1 b", "default(0 1)0",
			"components of the Slurm job cannot be read: SLURM_JOB_NODELIST_HET_GROUP_0:1:2: bracket"},
		{"a shared host", "SLURM_HET_SIZE=2|SLURM_JOB_NODELIST_HET_GROUP_0=a[1-2]|SLURM_JOB_NODELIST_HET_GROUP_1=a2,b", "a1 a2 b", "het0(0 1)0 het1(2)2",
			"1 host of the Slurm job in several components, counted to the first"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := must.Get(Clues{Getenv: environment(strings.Split(c.variables, "|")...)}.Group(tasksOn(c.tasks)))(t)
			if got := ranksOf(g); got != c.want || len(g.Warnings) == 0 || !strings.HasPrefix(g.Warnings[0], c.warning) {
				t.Errorf("got %s and %q\nwant %s and %s", got, g.Warnings, c.want, c.warning)
			}
			checkGrouping(t, g)
		})
	}
}

func TestAddresses(t *testing.T) {
	for _, c := range []struct{ name, tasks, want string }{
		{"two sites", "a/wan.A.a b/wan.B.b c/wan.A.c", "A(0 2)0 B(1)1"},
		{"the highest level", "a/wan.A.r1.a b/wan.A.r2.b c/wan.B.r3.c", "A(0 1)0 B(2)2"},
		{"a level below", "a/wan.A.r1.a b/wan.A.r2.b", "r1(0)0 r2(1)1"},
		{"a level above", "a/wan.A.r.a b/wan.B.r.b", "A(0)0 B(1)1"},
		{"one switch", "a/wan.A.a b/wan.A.b", "default(0 1)0"},
		{"nodes only", "a/a b/b", "default(0 1)0"},
		{"nodes with dots", "a.x/wan.A.a.x b.x/wan.B.b.x", "A(0)0 B(1)1"},
		{"host under another name", "vm1/wan.A.a vm2/wan.B.b", "A(0)0 B(1)1"},
		{"depths", "a/A.a b/wan.B.b", "A(0)0 wan(1)1"},
		{"some without", "a/w.A.a b/w.B.b c", "A(0)0 B(1)1 default(2)2"},
		{"several parents", "a/w.s[1-2].a b/w.s3.b", "s-1-2-(0)0 s3(1)1"},
		{"dots only", "a/.. b/...", "default(0 1)0"},
	} {
		g, err := Clues{}.Group(tasksOn(c.tasks))
		if err != nil || ranksOf(g) != c.want {
			t.Errorf("%s: got %s, %v, want %s", c.name, ranksOf(g), err, c.want)
		}
	}
}

// All components of a heterogeneous job need ranks, whatever has started them, unless its
// user says otherwise.
func TestComponentsStarted(t *testing.T) {
	const (
		job   = "SLURM_HET_SIZE=2|SLURM_JOB_NODELIST_HET_GROUP_0=a[1-2]|SLURM_JOB_NODELIST_HET_GROUP_1=b1.x,b2.x|SLURM_TASKS_PER_NODE_HET_GROUP_0=2(x2)|SLURM_NTASKS_HET_GROUP_1=3"
		three = "SLURM_HET_SIZE=3|SLURM_JOB_NODELIST_HET_GROUP_0=a1|SLURM_JOB_NODELIST_HET_GROUP_1=b1|SLURM_JOB_NODELIST_HET_GROUP_2=c1"
		same  = "SLURM_HET_SIZE=2|SLURM_JOB_NODELIST_HET_GROUP_0=a1|SLURM_JOB_NODELIST_HET_GROUP_1=a1|SLURM_NTASKS_HET_GROUP_0=1|SLURM_NTASKS_HET_GROUP_1=3"
		old   = "SLURM_PACK_SIZE=2|SLURM_JOB_NODELIST_PACK_GROUP_0=a1|SLURM_JOB_NODELIST_PACK_GROUP_1=b1|SLURM_NTASKS_PACK_GROUP_0=1|SLURM_NTASKS_PACK_GROUP_1=1"
		both  = "; use srun --het-group=0,1, or set MIGBSP_COMPONENTS=some if this is meant"
		all3  = "; use srun --het-group=0,1,2, or set MIGBSP_COMPONENTS=some if this is meant"
	)
	for _, c := range []struct {
		name, variables, hosts string
		ranks                  int
		want                   string
	}{
		{"first", job, "a1 a2", 4, "only component 0 of 2 was started (4 ranks for 7 tasks)" + both},
		{"first, one rank", old, "a1", 1, "only component 0 of 2 was started (1 rank for 2 tasks)" + both},
		{"fewer ranks of the first", job, "a1", 1, "only component 0 of 2 was started (1 rank for 7 tasks)" + both},
		{"more ranks of the first", job, "a1 a2", 7, "only component 0 of 2 was started (7 ranks for 7 tasks)" + both},
		{"second", job, "b1 B2.x", 3, "only component 1 of 2 was started (3 ranks for 7 tasks)" + both},
		{"both", job, "a1 b2", 2, ""},
		{"both, as many ranks as the first has tasks", job, "a1 a2 b1 b2", 4, ""},
		{"a host of another name", job, "q", 2, ""},
		{"one of another name", job, "a1 q", 2, ""},
		{"a name of the launcher's host", job, "a1 a1=b2", 2, ""},
		{"a name that all have", job, "a1=rig a2=rig", 4, "only component 0 of 2 was started (4 ranks for 7 tasks)" + both},
		{"two of three", three, "a1 c1", 2, "only components 0 and 2 of 3 were started (2 ranks)" + all3},
		{"nodes of both, first", same, "a1", 1, "only component 0 of 2 was started (1 rank for 4 tasks)" + both},
		{"nodes of both, all", same, "a1", 4, ""},
		{"meant", job + "|MIGBSP_COMPONENTS=some", "a1", 1, ""},
		{"said", job + "|MIGBSP_COMPONENTS=all", "a1 b1", 2, ""},
		{"misspelt", job + "|MIGBSP_COMPONENTS=one", "a1", 1, `MIGBSP_COMPONENTS is "one", expected all or some`},
		{"one component", "SLURM_HET_SIZE=1|SLURM_JOB_NODELIST_HET_GROUP_0=a1", "b1", 4, ""},
		{"no job", "", "a1", 4, ""},
		{"no lists", "SLURM_HET_SIZE=2", "a1", 4, ""},
		{"no lists, tasks", "SLURM_HET_SIZE=2|SLURM_NTASKS_HET_GROUP_0=1|SLURM_NTASKS_HET_GROUP_1=3", "a1", 1, "only component 0 of 2 was started (1 rank for 4 tasks)" + both},
		{"lists and counts that cannot be read", "SLURM_HET_SIZE=2|SLURM_JOB_NODELIST_HET_GROUP_0=a[|SLURM_JOB_NODELIST_HET_GROUP_1=b[|SLURM_TASKS_PER_NODE_HET_GROUP_0=x", "a1", 4, ""},
	} {
		getenv := environment(strings.Split(c.variables, "|")...)
		var started []bool
		for _, host := range strings.Fields(c.hosts) {
			here := Components(getenv, strings.Split(host, "=")...)
			if started == nil {
				started = make([]bool, len(here))
			}
			for i, is := range here {
				started[i] = started[i] || is
			}
		}
		got := ""
		if err := ComponentsStarted(getenv, started, c.ranks); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}
