package doctor

import (
	"testing"
)

// Every finding that is not ok has something to do about it, and a machine that
// has nothing is sound when nothing is needed.
func TestBareMachine(t *testing.T) {
	findings, sound := Examine(bare(), Wants{})
	if !sound {
		t.Error("nothing is needed, but something that is needed is missing")
	}
	seen := map[string]bool{}
	for _, f := range findings {
		seen[f.Check] = true
		if f.Found == "" || f.Level != OK && f.Do == "" || f.Needed {
			t.Errorf("%+v", f)
		}
	}
	for _, name := range Names() {
		if !seen[name] {
			t.Errorf("check %s has no finding", name)
		}
	}
}

func TestNeed(t *testing.T) {
	for _, c := range []struct {
		need  []string
		hosts string
		sound bool
	}{
		{[]string{"go"}, "", false},
		{[]string{"mpi", "launch"}, "", false},
		{[]string{"launch"}, "", true},
		{[]string{"hosts"}, "", true},
		{nil, "nowhere.hosts", false},
	} {
		findings, sound := Examine(bare(), Wants{Need: c.need, Hosts: c.hosts})
		if sound != c.sound {
			t.Errorf("need %v, hosts %q: sound is %v", c.need, c.hosts, sound)
		}
		for _, f := range findings {
			for _, name := range c.need {
				if f.Check == name && !f.Needed {
					t.Errorf("need %v: %+v is not marked", c.need, f)
				}
			}
		}
	}
}
