package hostfile

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// FuzzParse looks for panics, for errors in another form, and for files that do
// not survive writing.
func FuzzParse(f *testing.F) {
	paths, _ := filepath.Glob("../examples/*.hosts")
	for _, path := range paths {
		text := must.Get(os.ReadFile(path))(f)
		f.Add(string(text), false, false)
	}
	for _, text := range []string{
		platform, "a /* b */ slots = 2 max-slots=3 // c\r\n", "rank 0=a slot=0:1\nrank 1=b slot=*\n", "^a\na\nb:3\n", "u@[fe80::1]:2\n",
		"a.b\na.c\nA.B\n", "#@set x nodes=n[01-3,7]-ib,[::1] manager=::1\nn[1-9]-ib\n::1\n", "a user=\"b\"\n#@host a speed=1e-3 # c\n",
		"\xef\xbb\xbfa\n", "n[0-999]x[0-99]\n", "#@@\n#@\n", "123\n1.2.3.4\n+n1\n+e:2\n",
	} {
		f.Add(text, true, false)
		f.Add(text, false, true)
	}
	f.Fuzz(func(t *testing.T, text string, strict, full bool) {
		rules := Rules{Strict: strict, FullNames: full}
		file, err := rules.Parse("h", strings.NewReader(text))
		if err != nil {
			checkProblems(t, text, err)
			return
		}
		checkPlaces(t, text, file.Warnings)
		checkSound(t, file)
		rules.Strict = rules.Strict || len(file.Sets) > 1
		checkRoundTrip(t, rules, file)
	})
}

// checkPlaces looks whether problems lie in the text.
func checkPlaces(t *testing.T, text string, problems []Problem) {
	t.Helper()
	lines := strings.Split(text, "\n")
	for _, p := range problems {
		if p.Line < 1 || p.Line > len(lines) || p.Col < 1 || p.Col > len(lines[p.Line-1])+1 || p.Read == "" {
			t.Fatalf("%v", p)
		}
	}
}

// checkSound looks for what a File always has.
func checkSound(t *testing.T, f *File) {
	t.Helper()
	if len(f.Sets) == 0 || len(f.Hosts) > maxHosts {
		t.Fatalf("%d Sets, %d hosts", len(f.Sets), len(f.Hosts))
	}
	for i := range f.Sets {
		rank := f.Manager(i)
		if host := f.Place(rank); host < 0 || f.Hosts[host].Set != i {
			t.Fatalf("manager of Set %d is rank %d on host %d", i, rank, host)
		}
	}
	for _, h := range f.Hosts {
		if h.Name == "" || h.Set < 0 || h.Set >= len(f.Sets) || h.Slots < 0 || !(h.Speed > 0) || h.Memory < 0 || h.Line < 1 {
			t.Fatalf("%+v", h)
		}
	}
	for _, l := range f.Links {
		if l.A == l.B || !(l.Rate > 0) || l.Latency < 0 {
			t.Fatalf("%+v", l)
		}
	}
}

// mostNames is how many names of a list are worth folding again in a fuzz test.
const mostNames = 1 << 14

var large = regexp.MustCompile(`\[[^\]]*[0-9]{3}|(\[[^\[]*){4}`)

// skipLarge leaves out texts that stand for many hosts: they take long, and find
// nothing more.
func skipLarge(t *testing.T, text string) {
	t.Helper()
	if large.MatchString(text) {
		t.Skip()
	}
}

// checkProblems looks whether an error is Problems that lie in the text.
func checkProblems(t *testing.T, text string, err error) {
	t.Helper()
	problems, ok := err.(Problems)
	if !ok || len(problems) == 0 || len(problems) > maxProblems {
		t.Fatalf("error %T of %d lines: %v", err, len(problems), err)
	}
	checkPlaces(t, text, problems)
}

// FuzzSlurmList looks for lists that do not survive folding.
func FuzzSlurmList(f *testing.F) {
	for _, text := range []string{
		"", "n[1-3],gpu1", "r[0-1]n[00-02]", "n[08-11] n[8-011]", "n[1,01],n1,n1", "gpu[1-2]-ib", "n003,n001\nn002", "n[1-2", "n1-2]",
		"n[3-1]", "n[]", "n[0-3:2]", "n[0-65536]", "n[0-999]x[0-999]", "switch{s1,s2}", ",,a, ,b,", "fe80::1,[fe80::2],10.0.0.1", "n999999999999999999",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		skipLarge(t, text)
		names, err := ParseSlurmList("v", text)
		if err != nil {
			checkProblems(t, text, err)
			return
		}
		if len(names) > mostNames {
			return
		}
		checkFolds(t, names)
	})
}

func FuzzSlurmCounts(f *testing.F) {
	for _, text := range []string{"", "2(x3),1", "16", "0,0", "1(x65536),1", "2(x3", "2x3", "-1", "99999999999999999999"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		counts, err := ParseSlurmCounts("v", text)
		if err != nil {
			checkProblems(t, text, err)
			return
		}
		if len(counts) > maxHosts || slices.ContainsFunc(counts, func(n int) bool { return n < 0 || n > maxSlots }) {
			t.Fatal(len(counts), counts)
		}
	})
}

// FuzzForms looks for panics, and for files of others that do not survive
// writing.
func FuzzForms(f *testing.F) {
	for _, text := range []string{
		"n1\nn1 # c\nn2\n", "n1,n[2-3]*2\n", "n1 4 all.q@n1 UNDEFINED\n", "n\\#1\n", "#@set x\na,b\n#@set y\nc*3\n", "a b\tc\r\n", "n1 x\n", "*\n", "n1*\n", "n1 4\nn1 2\n",
	} {
		f.Add(text, uint8(SlurmHosts))
		f.Add(text, uint8(GridEngine))
	}
	f.Fuzz(func(t *testing.T, text string, form uint8) {
		skipLarge(t, text)
		rules := Rules{Form: Form(form % 3)}
		file, err := rules.Parse("h", strings.NewReader(text))
		if err != nil {
			checkProblems(t, text, err)
			return
		}
		checkPlaces(t, text, file.Warnings)
		checkSound(t, file)
		checkRoundTrip(t, Rules{Strict: len(file.Sets) > 1}, file)
		checkSlurmFile(t, file)
		if guess := FormOf(text); guess < Launchers || guess > GridEngine {
			t.Fatal(guess)
		}
	})
}

// checkSlurmFile writes a file for Slurm and reads it again, if it is not large.
func checkSlurmFile(t *testing.T, f *File) {
	t.Helper()
	var text strings.Builder
	if f.Ranks() > mostNames || f.WriteSlurm(&text) != nil {
		return
	}
	again, err := Rules{Form: SlurmHosts}.Parse("h", strings.NewReader(text.String()))
	if err != nil {
		t.Fatalf("%v\n%s", err, text.String())
	}
	plain := bare(f)
	for i := range plain.Hosts {
		plain.Hosts[i].User, plain.Hosts[i].MaxSlots = "", 0
	}
	if got, want := written(again), written(plain); got != want {
		t.Fatalf("for Slurm\n%s\ngives\n%s\nnot\n%s", text.String(), got, want)
	}
}

// checkSets looks whether Sets that were read without hosts survive writing.
func checkSets(t *testing.T, f *File) {
	t.Helper()
	checkSound(t, f)
	if again := written(parse(t, written(f))); again != written(f) {
		t.Fatalf("written again\n%s\nnot\n%s", again, written(f))
	}
}

// fuzzSets looks for Sets that do not survive writing.
func fuzzSets(f *testing.F, read func(text string) (*File, error), seeds ...string) {
	for _, text := range seeds {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		skipLarge(t, text)
		file, err := read(text)
		if err != nil {
			checkProblems(t, text, err)
			return
		}
		checkSets(t, file)
	})
}

func FuzzParseSets(f *testing.F) {
	fuzzSets(f, func(text string) (*File, error) { return ParseSets("v", text) },
		"siteA=alpha[01-03];siteB=beta[1-2]", " A = a , b ;\n B=c d;", "A", "A=", "=a", "A=a;A=b", "A=a[1-2;B=b", "A=a;B=a", "default=a;B=a.b", "A=switch{s};")
}

func FuzzTopology(f *testing.F) {
	fuzzSets(f, func(text string) (*File, error) { return ParseTopology("t", strings.NewReader(text)) },
		"SwitchName=A Nodes=a[01-02]\nSwitchName=B Nodes=b1,b2\nSwitchName=wan Switches=A,B\n", "BlockName=b1 Nodes=n[1-2]\nBlockSizes=2,4\n",
		"SwitchName=r1 Nodes=n1\nSwitchName=r2 Nodes=n2\nSwitchName=A Switches=r[1-2]\n", "SwitchName=s Switches=u\nSwitchName=u Switches=s\n",
		"SwitchName=s1 Switches=l[1-2]\nSwitchName=s2 Switches=l[1-2]\nSwitchName=l1 Nodes=a\nSwitchName=l2 Nodes=b\n",
		"switchname = A \\\n Nodes = a # c\r\n", "SwitchName=s Nodes=\"a b\" LinkSpeed=1\n", "SwitchName=s Nodes=x[1\n", "Include=x\n")
}

func FuzzSetsFile(f *testing.F) {
	fuzzSets(f, func(text string) (*File, error) {
		file, err := ParseSetsFile("f", []byte(text))
		if err == nil {
			if again, err := ParseSetsFile("f", []byte(written(file))); err != nil || written(again) != written(file) {
				return nil, fmt.Errorf("read again %v, %w", again, err)
			}
		}
		return file, err
	}, "#@set A nodes=a[1-2]\n#@set B nodes=b manager=b\n", "a2 slots=3\n#@set A nodes=a[1-2]\n", "SwitchName=A Nodes=a\n", "# c\nblockname=A nodes=a\n", "a\n", "#@set A nodes=a.b,a\n")
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
