package app

import (
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/migbsp/migbsp/internal/loss"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// partOf returns the settings of a part of a run with a supervisor, given the losses before it.
func partOf(t *testing.T, losses []loss.Loss, line string) (*flagValues, *configuration, int) {
	t.Helper()
	dir := t.TempDir()
	for _, l := range losses {
		must.Do(t, loss.Add(filepath.Join(dir, loss.Name), l))
	}
	t.Setenv(loss.SurviveVariable, dir)
	conf := newConfiguration(new(Program), &messages{name: "program", lead: true})
	flags := flag.NewFlagSet("program", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	conf.define(flags)
	code, _ := conf.settle(flags, strings.Fields(line), []string{"MIGBSP_CONFIG=" + os.DevNull})
	conf.flags.checkpoint = strings.ReplaceAll(conf.flags.checkpoint, dir, "DIR")
	return conf.flags, conf, code
}

// The parts of a run write checkpoints and resume from the newest, with the number of processes of
// the first. The user's settings count, except for the checkpoint from which the first part resumed.
func TestPartsOfRun(t *testing.T) {
	lost := func(r loss.Restart) []loss.Loss {
		return []loss.Loss{{Start: "a", Hosts: []loss.Host{{Name: "h", Ranks: []int{0}}}, Restart: &r}}
	}
	for name, c := range map[string]struct {
		losses                     []loss.Loss
		line                       string
		checkpoint, every, restart string
		procs                      int
		goesOn                     bool
	}{
		"the first":              {nil, "", "DIR/checkpoints", "auto", "", 0, false},
		"the first, with flags":  {nil, "-checkpoint c -checkpoint-every 5stages -restart auto", "c", "5stages", "auto", 0, true},
		"the second":             {lost(loss.Restart{Checkpoint: "c/p-1", Procs: 7}), "", "DIR/checkpoints", "auto", "c/p-1", 0, true},
		"the second, from auto":  {lost(loss.Restart{Checkpoint: "c/p-1", Procs: 7}), "-checkpoint c -restart older", "c", "auto", "c/p-1", 0, true},
		"nothing was written":    {lost(loss.Restart{Procs: 7}), "", "DIR/checkpoints", "auto", "", 7, true},
		"nothing was written, n": {lost(loss.Restart{Procs: 7}), "-procs 7 -restart older", "DIR/checkpoints", "auto", "older", 7, true},
	} {
		t.Run(name, func(t *testing.T) {
			f, conf, code := partOf(t, c.losses, c.line)
			if code != ExitOK || f.checkpoint != c.checkpoint || f.every != c.every || f.restart != c.restart || f.procs != c.procs || conf.goesOn() != c.goesOn {
				t.Errorf("code %d, %q, %q, %q, %d, %v, want %+v", code, f.checkpoint, f.every, f.restart, f.procs, conf.goesOn(), c)
			}
		})
	}
	if _, conf, _ := partOf(t, nil, ""); conf.written("checkpoint-every") != "-checkpoint-every auto (-survive)" {
		t.Errorf("it is written as %s", conf.written("checkpoint-every"))
	}
}

// A program's time ends at its own limit or with the job, at the earlier of both.
func TestTimeLimit(t *testing.T) {
	begun := time.Unix(1_800_000_000, 0)
	for _, c := range []struct {
		limit, job string
		want       time.Time
	}{
		{"", "", time.Time{}}, {"2h", "", begun.Add(2 * time.Hour)}, {"", "1800000060", begun.Add(time.Minute)},
		{"2h", "1800000060", begun.Add(time.Minute)}, {"30s", "1800000060", begun.Add(30 * time.Second)}, {"", "soon", time.Time{}},
	} {
		t.Setenv(jobEnd, c.job)
		conf := &configuration{flags: &flagValues{limit: c.limit}}
		if got := conf.deadline(begun); !got.Equal(c.want) {
			t.Errorf("-time-limit %q, %s=%s: %v, want %v", c.limit, jobEnd, c.job, got, c.want)
		}
	}
	for line, want := range map[string]int{
		"-checkpoint c -time-limit 2h": ExitOK, "-time-limit 2h": ExitUsage, "-checkpoint c -time-limit 2": ExitUsage, "-checkpoint c -time-limit -1s": ExitUsage,
	} {
		t.Setenv(loss.SurviveVariable, "")
		conf := newConfiguration(new(Program), &messages{name: "program", lead: true})
		flags := flag.NewFlagSet("program", flag.ContinueOnError)
		conf.define(flags)
		if code, _ := conf.settle(flags, strings.Fields(line), []string{"MIGBSP_CONFIG=" + os.DevNull}); code != want {
			t.Errorf("%s: code %d, want %d", line, code, want)
		}
	}
}

// The parts of a run have the facts of the supervisor's starts and of the losses.
func TestPartsForTheAccount(t *testing.T) {
	at := func(second int) time.Time { return time.Date(2026, 5, 1, 12, 0, second, 0, time.UTC) }
	lost := loss.Loss{
		Start: "a", Started: at(1), Progress: at(10), Time: at(12), Program: "p",
		Hosts:   []loss.Host{{Name: "h2", Ranks: []int{2}, Reason: "ended by signal 9 (killed)", Place: loss.Place{Step: 40}}},
		Nodes:   []loss.Node{{Host: "h1", Ranks: []int{0, 1}}, {Host: "h2", Ranks: []int{2}}},
		Restart: &loss.Restart{Checkpoint: "c", Superstep: 30, First: 5, Written: at(8)},
	}
	e := earlierParts{losses: []loss.Loss{lost}, begun: at(31), starts: []loss.Start{
		{Began: at(0), Ended: at(13), Loss: "a", Cause: "loss"}, {Began: at(14), Ended: at(29), Cause: "the launcher was killed"}, {Began: at(30)},
	}}
	parts := e.parts(30)
	if len(parts) != 3 {
		t.Fatalf("%+v", parts)
	}
	first, last := parts[0], parts[2]
	if first.First != 5 || first.Last != 40 || first.Superstep != 30 || first.Ranks != 3 || !slices.Equal(first.Hosts, []string{"h1", "h2"}) ||
		!strings.HasPrefix(first.Cause, "rank 2 on h2 is lost") || !first.Ended.Equal(at(13)) {
		t.Errorf("the first part is %+v", first)
	}
	if parts[1].Cause != "the launcher was killed" || !last.Began.Equal(at(30)) || !last.Started.Equal(at(31)) || last.First != 30 {
		t.Errorf("the others are %+v", parts[1:])
	}
	if e.starts = e.starts[:1]; e.parts(0) != nil {
		t.Error("a run in one part has parts")
	}
}

// A part that ended without a loss is one, too: the next part looks for its checkpoint itself.
func TestUnseenEndOfAPart(t *testing.T) {
	began := []loss.Start{{Cause: "the launcher was killed"}, {}}
	for name, c := range map[string]struct {
		starts []loss.Start
		want   bool
	}{
		"no supervisor": {nil, false}, "the first part": {began[1:], false}, "seen": {[]loss.Start{{Loss: "a"}, {}}, false},
		"unseen": {began, true}, "unseen after a loss": {append([]loss.Start{{Loss: "a"}}, began...), true},
	} {
		conf := &configuration{flags: new(flagValues), earlier: earlierParts{starts: c.starts}}
		if got := conf.goesOn(); got != c.want || conf.earlier.resumes(t.TempDir()) != "" {
			t.Errorf("%s: the run goes on: %v, want %v", name, got, c.want)
		}
	}
}

// A run that loses ranks often writes checkpoints more often.
func TestBetweenLosses(t *testing.T) {
	now := time.Now()
	after := func(d time.Duration) loss.Loss { return loss.Loss{Started: now, Time: now.Add(d)} }
	for _, c := range []struct {
		losses []loss.Loss
		want   time.Duration
	}{
		{nil, expected}, {[]loss.Loss{after(time.Minute), after(3 * time.Minute)}, 2 * time.Minute},
		{[]loss.Loss{after(48 * time.Hour)}, expected}, {[]loss.Loss{after(-time.Hour)}, frequent},
	} {
		if got := (earlierParts{losses: c.losses}).betweenLosses(); got != c.want {
			t.Errorf("%d losses: %v, want %v", len(c.losses), got, c.want)
		}
	}
}
