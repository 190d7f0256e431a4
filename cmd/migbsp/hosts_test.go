package main

import (
	"encoding/json"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/cli"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

const mixed = `#@set fast manager=b speed=0.5 rate=1Gb/s
a slots=2
b slots=4 max_slots=8
#@set slow speed=0.1
me@c slots=1
#@host a memory=2GiB
#@link fast slow latency=1ms
#@platform barrier=10us
`

// A file written for a launcher is read as the same hosts and platform again.
func TestHostsConverted(t *testing.T) {
	examples, _ := filepath.Glob("../../examples/*.hosts")
	if len(examples) == 0 {
		t.Fatal("no examples")
	}
	for _, to := range []string{"ompi", "hydra", "slurm"} {
		for _, name := range append(examples, "-") {
			code, out, err := call(t, mixed, "hosts", "-to", to, name)
			if code != cli.ExitOK {
				t.Errorf("%s to %s: %s", name, to, err)
				continue
			}
			want, got := described(t, mixed, name), described(t, out, "-from", to, "-")
			if a, b := comparable(got, to), comparable(want, to); !reflect.DeepEqual(a, b) {
				t.Errorf("%s to %s:\n got %+v\nwant %+v", name, to, a, b)
			}
		}
	}
}

// described returns the command's JSON description of hosts.
func described(t *testing.T, in string, args ...string) *hostsDescription {
	t.Helper()
	code, out, err := call(t, in, append([]string{"hosts", "-to", "json"}, args...)...)
	d := &hostsDescription{}
	if problem := json.Unmarshal([]byte(out), d); code != cli.ExitOK || problem != nil {
		t.Fatalf("%v: code %d, %s %v", args, code, err, problem)
	}
	return d
}

// comparable returns a description without the parts that depend on the file's name and lines, and
// without those that the launcher's format lacks.
func comparable(d *hostsDescription, to string) *hostsDescription {
	d.File, d.SetsBy = "", ""
	for i := range d.Sets {
		d.Sets[i].Line = 0
	}
	for i := range d.Links {
		d.Links[i].Line = 0
	}
	for i := range d.Hosts {
		if to != "ompi" {
			d.Hosts[i].MaxSlots = 0
		}
		if to == "slurm" {
			d.Hosts[i].User = ""
		}
	}
	return d
}

func TestHydra(t *testing.T) {
	_, out, _ := call(t, "a\nb slots=3\n", "hosts", "-to", "hydra", "-")
	if want := "a:1\nb:3\n"; out != want {
		t.Errorf("got %q, want %q", out, want)
	}
}

func TestHostsTables(t *testing.T) {
	_, out, _ := call(t, mixed, "hosts", "-")
	got := strings.Join(strings.Fields(out), " ")
	must.Have(t, got,
		"a fast 2 0-1 0.5 2 GiB", "b fast 4 2-5 0.5 -", "c slow 1 6 0.1 -",
		"fast b (rank 2) 2 6 1 Gb/s 20 us line 1", "slow c (rank 6) 1 1 10 Gb/s 20 us line 4",
		"fast - slow 1 Gb/s 1 ms line 7", "Ranks: 7 on 3 hosts in 2 Sets.", "barrier of 10 us",
	)
	isNarrow(t, out)
}

func TestHostsJSON(t *testing.T) {
	if d := described(t, mixed, "-"); d.Ranks != 7 || len(d.Hosts) != 3 || d.Hosts[2].User != "me" || d.Sets[0].ManagerRank != 2 || d.Links[0].Latency != 1e-3 || d.Barrier != 1e-5 {
		t.Errorf("%+v", d)
	}
}

func TestHostsOfTheEnvironment(t *testing.T) {
	t.Setenv("MIGBSP_HOSTS", "../../examples/laptop.hosts")
	must.Have(t, prints(t, "hosts"), "core4")
}

func TestWarningsGoToTheErrors(t *testing.T) {
	code, out, err := call(t, "^b\na\nb\n", "hosts", "-to", "ompi", "-")
	if code != cli.ExitOK || out != "a slots=1\n" || !strings.HasPrefix(err, "migbsp hosts: warning: standard input:1:1: ") {
		t.Errorf("code %d, %q, %q", code, out, err)
	}
}
