package sbatch

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/settings"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

func TestArrays(t *testing.T) {
	for _, c := range []struct {
		text string
		last int // -1: refused
	}{
		{"0-11", 11}, {"5", 5}, {"1,3,5-7", 7}, {"9,1", 9}, {"0-11%4", 11}, {"0-30:10", 30}, {"0-29:10", 20}, {"3-3", 3},
		{"", -1}, {"a", -1}, {"1-", -1}, {"-1", -1}, {"3-1", -1}, {"1,,2", -1}, {"1%", -1}, {"1%0", -1}, {"1%x", -1},
		{"0-9:0", -1}, {"0-9:", -1}, {"1:2", -1}, {"1%2%3", -1}, {"4000001", -1}, {"0-9 ", -1}, {"1-2-3", -1},
	} {
		a, err := ParseArray(c.text)
		if c.last < 0 {
			if err == nil {
				t.Errorf("%q: %+v", c.text, a)
			}
			continue
		}
		if err != nil || a.Spec != c.text || a.Last != c.last {
			t.Errorf("%q: %+v, %v, want last %d", c.text, a, err, c.last)
		}
	}
}

func FuzzParseArray(f *testing.F) {
	for _, seed := range []string{"0-11%4", "1,3,5-7", "0-30:10", "5", "%", ",", "1-2:3%4"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := ParseArray(text)
		if err == nil && (a.Last < 0 || a.Last > mostTasks || strings.Trim(text, "0123456789-,:%") != "") {
			t.Errorf("%q: %+v", text, a)
		}
	})
}

func TestLimits(t *testing.T) {
	for _, c := range []struct {
		text    string
		seconds int // -1: refused
	}{
		{"90", 5400}, {"0:30", 30}, {"90:00", 5400}, {"1:00:00", 3600}, {"100:59:59", 363599}, {"2-12", 216000},
		{"2-12:30", 217800}, {"0-00:00:01", 1}, {"1-23:59:59", 172799}, {"unlimited", 0}, {"INFINITE", 0},
		{"", -1}, {"0", -1}, {"0:00", -1}, {"-5", -1}, {"+5", -1}, {"1:60", -1}, {"1:00:60", -1}, {"1:60:00", -1}, {"1-24", -1},
		{"1-2:60", -1}, {"1-2:3:4:5", -1}, {"1:2:3:4", -1}, {"1-", -1}, {"-", -1}, {":", -1}, {"1::2", -1}, {"1.5", -1},
		{"1h", -1}, {" 5", -1}, {"5\n", -1}, {"99999999999999999999", -1}, {"35791395", -1}, {"24856-0", -1}, {"1-2-3", -1},
	} {
		l, err := ParseLimit(c.text)
		if c.seconds < 0 {
			if err == nil || !strings.HasPrefix(err.Error(), "expected ") {
				t.Errorf("%q: %+v, %v", c.text, l, err)
			}
			continue
		}
		if err != nil || l.Seconds != c.seconds || !strings.EqualFold(l.Text, c.text) {
			t.Errorf("%q: %+v, %v, want %d seconds", c.text, l, err, c.seconds)
		}
	}
}

func FuzzParseLimit(f *testing.F) {
	for _, seed := range []string{"90", "1:30", "1:30:00", "2-12", "2-12:30:00", "UNLIMITED", "-", "1:-1", "35791394"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		l, err := ParseLimit(text)
		if err == nil && (l.Seconds < 0 || strings.Trim(l.Text, "0123456789:-") != "" && l.Seconds != 0) {
			t.Errorf("%q: %+v", text, l)
		}
	})
}

func TestNames(t *testing.T) {
	for _, c := range []struct {
		what     string
		check    func(string) error
		yes, not []string
	}{
		{"identifier", CheckIdentifier, []string{"physics", "a.b-c_d@e+1"}, []string{"", "-a", "a b", "a;b", "a\n", "é", ".a"}},
		{"name", CheckName, []string{"lu", "a job's #1 $x `y` é"}, []string{"", "a/b", `a"b`, `a\b`, "a\nb", "\u202eb", "%j"}},
		{"mpi", CheckMPI, []string{"pmix", "pmi2", "pmix_v4"}, []string{"none", "list", "", "a b"}},
	} {
		for i, text := range append(c.yes, c.not...) {
			if err := c.check(text); (err == nil) != (i < len(c.yes)) {
				t.Errorf("%s %q: %v", c.what, text, err)
			}
		}
	}
}

func TestLists(t *testing.T) {
	for _, c := range []struct {
		parse func(string) ([]string, error)
		text  string
		want  []string
		not   []string
	}{
		{ParseModules, "gcc/13, openmpi/4.1.6-GCC-13 \tmigbsp", []string{"gcc/13", "openmpi/4.1.6-GCC-13", "migbsp"}, []string{"", " , ", "a,-b", "a\nb", "\xff"}},
		{ParseOptions, "--mem=4G '--comment=a b' -H", []string{"--mem=4G", "--comment=a b", "-H"},
			[]string{"", "mem=4G", "--mem 4G", `'--comment="'`, `--comment=a\\b`, "'--comment=a\nb'", "'--a"}},
	} {
		if got, err := c.parse(c.text); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%q, %v", got, err)
		}
		for _, text := range c.not {
			if got, err := c.parse(text); err == nil {
				t.Errorf("%q: %q", text, got)
			}
		}
	}
}

func TestComponents(t *testing.T) {
	for _, c := range []struct {
		text string
		want []Component
	}{
		{"fast", []Component{{Partition: "fast"}}},
		{"fast:2:32", []Component{{Partition: "fast", Nodes: 2, Tasks: 32}}},
		{"a,b-1:1:1", []Component{{Partition: "a"}, {Partition: "b-1", Nodes: 1, Tasks: 1}}},
	} {
		if got, err := ParseComponents(c.text); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q: %+v, %v", c.text, got, err)
		}
	}
	for text, field := range map[string]string{
		"": "", "a,": "", "a:2": "a:2", "a:2:3:4": "a:2:3:4", "a:x:3": "a:x:3", "b,a:0:3": "a:0:3", "a:1:0": "a:1:0",
		"a:-1:3": "a:-1:3", "a b": "a b", "a\nb": "a\nb", ":1:1": ":1:1", "-a": "-a", "a:+1:1": "a:+1:1",
	} {
		_, err := ParseComponents(text)
		if want := settings.Quote(field) + ", expected PARTITION or PARTITION:NODES:TASKS, several between commas"; err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func FuzzParseComponents(f *testing.F) {
	for _, seed := range []string{"fast", "fast:2:32,slow:4:64", "a,b", ":", ",", "a:1:", "a:99999999999999999999:1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		parts, err := ParseComponents(text)
		if err != nil {
			return
		}
		if len(parts) != strings.Count(text, ",")+1 {
			t.Errorf("%q: %d components", text, len(parts))
		}
		for _, p := range parts {
			if p.Partition == "" || p.Nodes < 0 || p.Tasks < 0 || p.Nodes > most || (p.Nodes == 0) != (p.Tasks == 0) {
				t.Errorf("%q: %+v", text, p)
			}
		}
	})
}

func TestPatterns(t *testing.T) {
	for text, want := range map[string]string{
		"runs/%j":       `"runs/${SLURM_JOB_ID}+"`,
		"%x-%A_%a/%p%t": `"${SLURM_JOB_NAME}-${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}/%p%t+"`,
		"100%%j":        `"100%%j+"`,
		"a b$c`d\"e\\f": "\"a b\\$c\\`d\\\"e\\\\f+\"",
		"it's":          `"it's+"`,
	} {
		p, err := ParsePattern(text)
		if err != nil || p.word("+") != want {
			t.Errorf("%q: %s, %v, want %s", text, p.word("+"), err, want)
		}
	}
	for _, text := range []string{"", "-x", "a%", "%d", "%%%", "a\nb", "a\xff", "\x1b[2J"} {
		if p, err := ParsePattern(text); err == nil {
			t.Errorf("%q: %q", text, p)
		}
	}
	if p := Pattern("%%j%a"); p.has("j") || !p.has("ja") || !p.has("%") {
		t.Errorf("%s has j: %v, a: %v", p, p.has("j"), p.has("a"))
	}
}

func FuzzParsePattern(f *testing.F) {
	for _, seed := range []string{"runs/%j", "%x-%A_%a", "%%", "%", "a b", "-"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ParsePattern(text)
		if err != nil {
			return
		}
		if word := p.word(""); len(word) < len(text)+2 && p != "" || p.has("z") {
			t.Errorf("%q is %s", text, word)
		}
	})
}

func TestCheck(t *testing.T) {
	limit := func(text string) Limit { return must.Get(ParseLimit(text))(t) }
	for _, c := range []struct {
		change func(j *Job)
		want   string // beginning of the error; "" for none
	}{
		{func(*Job) {}, ""},
		{func(j *Job) { j.Command = nil }, "PROGRAM is missing"},
		{func(j *Job) { j.Command = []string{""} }, "PROGRAM is missing"},
		{func(j *Job) { j.Command = []string{"-n"} }, "PROGRAM -n begins with -"},
		{func(j *Job) { j.Command = []string{"lu", ":"} }, "argument :, which srun takes for"},
		{func(j *Job) { j.Command = []string{"lu", "a\x00"} }, `argument "a\x00": no program`},
		{func(j *Job) { j.Parts = []Component{{}} }, "how many ranks?"},
		{func(j *Job) { j.Parts = []Component{{Tasks: 1}, {Partition: "b"}} }, "how many ranks in partition b?"},
		{func(j *Job) { j.Parts = []Component{{Tasks: 1, TasksPerNode: 1}} }, "-ntasks 1 and -tasks-per-node 1"},
		{func(j *Job) { j.Parts = []Component{{TasksPerNode: 4}} }, "-tasks-per-node 4: on how many nodes?"},
		{func(j *Job) { j.Parts = []Component{{Nodes: 4, Tasks: 3, Partition: "a"}} }, "3 tasks on 4 nodes in partition a"},
		{func(j *Job) { j.Comment = true }, "-comment: there is no record"},
		{func(j *Job) { j.Comment, j.RunDir = true, "runs/%p" }, "-run-dir runs/%p: with -comment only %j"},
		{func(j *Job) { j.RunDir = "runs/%a" }, "runs/%a: %a and %A are of arrays"},
		{func(j *Job) { j.Cases = [][]string{nil}; j.RunDir = "runs" }, "-run-dir runs is the same for all tasks"},
		{func(j *Job) { j.Array = Array{"0-3", 3}; j.RunDir = "runs/%A" }, "-run-dir runs/%A is the same for all tasks"},
		{func(j *Job) { j.Array = Array{"0-3", 3}; j.RunDir = "runs/%j"; j.Checkpoint = "c/%a" }, ""},
		{func(j *Job) { j.Array = Array{"0-3", 3}; j.Checkpoint = "c" }, "-checkpoint c is the same for all tasks"},
		{func(j *Job) { j.Array = Array{"0-3", 3}; j.Parts = make2() }, "an array of jobs in several partitions"},
		{func(j *Job) { j.Array = Array{"0-3", 3}; j.Cases = make([][]string, 3) }, "-array 0-3 has a task 3, but the last of 3 -case is that of task 2"},
		{func(j *Job) { j.Array = Array{"0-2", 2}; j.Cases = make([][]string, 3) }, ""},
		{func(j *Job) { j.CheckpointEvery = "10m" }, "-checkpoint-every 10m: where to?"},
		{func(j *Job) { j.Checkpoint = "c/%p" }, "-checkpoint c/%p: only %j"},
		{func(j *Job) { j.Checkpoint = "c"; j.Warning = 180; j.Time = limit("4:00") }, "-time 4:00 is no longer than the warning"},
		{func(j *Job) { j.Checkpoint = "c"; j.Warning = 180; j.Time = limit("4:01") }, ""},
		{func(j *Job) { j.Checkpoint = "c"; j.Warning = 180; j.Time = limit("UNLIMITED") }, ""},
		{func(j *Job) { j.RunDir = "r"; j.Command = []string{"lu", "--run-dir=x"} }, "--run-dir=x is among the program's arguments too"},
		{func(j *Job) { j.Command = []string{"lu", "-run-dir", "x"} }, ""},
		{func(j *Job) { j.Checkpoint = "c"; j.Cases = [][]string{{"-restart", "auto"}}; j.Checkpoint = "%j" }, "-restart is among"},
	} {
		j := &Job{Parts: []Component{{Tasks: 4}}, MPI: "pmix", Command: []string{"lu", "-n", "1000"}}
		c.change(j)
		switch err := j.Check(); {
		case err == nil && c.want != "":
			t.Errorf("%+v: no error, want %s", j, c.want)
		case err != nil && (c.want == "" || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "\n")):
			t.Errorf("%+v: %v, want %q", j, err, c.want)
		}
	}
}

func make2() []Component { return []Component{{Tasks: 1}, {Tasks: 1}} }

// The name of a job is its program's, with other characters for those that Slurm refuses.
func TestJobName(t *testing.T) {
	for program, want := range map[string]string{"lu": "lu", "../bin/lu": "lu", "./a b": "a b", `./a"b%\`: "a_b__", "./a\nb": "a_b"} {
		j := &Job{Command: []string{program}}
		if got := j.name(); got != want || CheckName(got) != nil {
			t.Errorf("%q: %q, want %q", program, got, want)
		}
	}
}
