package hostfile

import (
	"strings"
	"testing"
)

// checkSets looks whether Sets that were read without hosts survive writing.
func checkSets(t *testing.T, f *File) {
	t.Helper()
	checkSound(t, f)
	if again := written(parse(t, written(f))); again != written(f) {
		t.Fatalf("written again\n%s\nnot\n%s", again, written(f))
	}
}

func FuzzParseSets(f *testing.F) {
	for _, text := range []string{"siteA=alpha[01-03];siteB=beta[1-2]", " A = a , b ;\n B=c d;", "A", "A=", "=a", "A=a;A=b", "A=a[1-2;B=b", "A=a;B=a", "default=a;B=a.b", "A=switch{s};"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		skipLarge(t, text)
		file, err := ParseSets("v", text)
		if err != nil {
			checkProblems(t, text, err)
			return
		}
		checkSets(t, file)
	})
}

func FuzzTopology(f *testing.F) {
	for _, text := range []string{
		"SwitchName=A Nodes=a[01-02]\nSwitchName=B Nodes=b1,b2\nSwitchName=wan Switches=A,B\n", "BlockName=b1 Nodes=n[1-2]\nBlockSizes=2,4\n",
		"SwitchName=r1 Nodes=n1\nSwitchName=r2 Nodes=n2\nSwitchName=A Switches=r[1-2]\n", "SwitchName=s Switches=u\nSwitchName=u Switches=s\n",
		"SwitchName=s1 Switches=l[1-2]\nSwitchName=s2 Switches=l[1-2]\nSwitchName=l1 Nodes=a\nSwitchName=l2 Nodes=b\n",
		"switchname = A \\\n Nodes = a # c\r\n", "SwitchName=s Nodes=\"a b\" LinkSpeed=1\n", "SwitchName=s Nodes=x[1\n", "Include=x\n",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		skipLarge(t, text)
		file, err := ParseTopology("t", strings.NewReader(text))
		if err != nil {
			checkProblems(t, text, err)
			return
		}
		checkSets(t, file)
	})
}

// FuzzSetsFile looks for files of Sets that are read otherwise when written.
func FuzzSetsFile(f *testing.F) {
	for _, text := range []string{"#@set A nodes=a[1-2]\n#@set B nodes=b manager=b\n", "a2 slots=3\n#@set A nodes=a[1-2]\n", "SwitchName=A Nodes=a\n", "# c\nblockname=A nodes=a\n", "a\n", "#@set A nodes=a.b,a\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		skipLarge(t, text)
		file, err := ParseSetsFile("f", []byte(text))
		if err != nil {
			checkProblems(t, text, err)
			return
		}
		checkSets(t, file)
		again, err := ParseSetsFile("f", []byte(written(file)))
		if err != nil || written(again) != written(file) {
			t.Fatalf("%v\n%s", err, written(file))
		}
	})
}

// FuzzEnvironment reads jobs of all batch systems.
func FuzzEnvironment(f *testing.F) {
	for _, text := range []string{
		step + "SLURM_STEP_ID=0", hetTwo + "|SLURM_TASKS_PER_NODE_HET_GROUP_0=2(x2)|SLURM_NTASKS_HET_GROUP_1=3", "LSB_MCPU_HOSTS=batch2 1 h1 4 h2", "LSB_HOSTS=h1 h1 h2",
		"SLURM_JOB_NODELIST=a,a|SLURM_TASKS_PER_NODE=1,2", "SLURM_HET_SIZE=2|SLURM_JOB_NODELIST_HET_GROUP_0=a,b|SLURM_JOB_NODELIST_HET_GROUP_1=b",
	} {
		f.Add(text, "")
	}
	f.Add("PBS_NODEFILE=/f", "/f\nn1.x\nn2.x\nn1.x\n")
	f.Add("PE_HOSTFILE=/f", "/f\nn1 4 all.q@n1 UNDEFINED\n")
	f.Add("LSB_DJOB_HOSTFILE=/f", "/f\nbatch1\nn1\n")
	f.Fuzz(func(t *testing.T, environment, file string) {
		skipLarge(t, environment+file)
		got, from, err := FromEnvironment(variables(environment), files(file))
		if err == nil {
			if from == "" {
				t.Fatal("read from nothing")
			}
			checkSets(t, got)
		}
		here := Components(variables(environment), "a1")
		if err := ComponentsStarted(variables(environment), here, 4); err != nil && !strings.Contains(err.Error(), "--het-group=0,1") && !strings.HasPrefix(err.Error(), ComponentsVariable) {
			t.Fatal(err)
		}
	})
}

// FuzzGroup groups ranks by whatever clues there are.
func FuzzGroup(f *testing.F) {
	f.Add("a1 b1 a2 a1", twoSets, "", "")
	f.Add("a1.x B1 c", "", platform, inVariable)
	f.Add("a1 b1", "", "a1\nb1\n", hetTwo)
	f.Add(wan, "", "", "")
	f.Add("n.a n.b n", "#@set A nodes=n.a,n.b\n", "n slots=3\n", "")
	f.Add("a1 b1 c2", "#@set X nodes=a1,b1 manager=b1\n#@set Y nodes=c2\n", platform, "")
	f.Fuzz(func(t *testing.T, run, sets, hosts, environment string) {
		skipLarge(t, sets+hosts+environment)
		c := Clues{Getenv: variables(environment)}
		if file, err := ParseSetsFile("sets", []byte(sets)); err == nil {
			c.Sets = file
		}
		if file, err := Parse("hosts", strings.NewReader(hosts)); err == nil {
			c.Hosts = file
		}
		g, err := c.Group(tasksOn(run))
		if err != nil {
			return
		}
		checkGrouping(t, g)
	})
}
