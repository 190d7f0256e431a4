//go:build unix

package launch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/hostfile"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// agent stands for ssh: it runs commands here, but some hosts it does not reach.
const agent = `#!/bin/sh
while :; do case $1 in -o) shift 2 ;; -*) shift ;; *) break ;; esac; done
host=$1; shift
echo "Welcome to $host" >&2
case $host in
dark) echo "connect to host dark port 22: No route to host" >&2; exit 255 ;;
silent) exit 255 ;;
user@named) ;;
named) exit 9 ;;
esac
exec /bin/sh -c "$*"
`

// All hosts are checked, and their defects are reported in the order of the hosts.
func TestReach(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "it's here/lu*", "it's here/plain", "hosts")
	ssh := filepath.Join(dir, "ssh")
	must.Do(t, os.WriteFile(ssh, []byte(agent), 0o755))
	reach := func(text string, needs Needs) string {
		hosts := must.Get(hostfile.Parse("h", strings.NewReader(strings.ReplaceAll(text, " ", "\n"))))(t)
		var all []string
		for _, err := range Reach(t.Context(), []string{ssh}, hosts, needs) {
			all = append(all, strings.ReplaceAll(strings.ReplaceAll(err.Error(), ssh, "ssh"), dir, "D"))
		}
		return strings.Join(all, "|")
	}
	here := dir + "/it's here"
	good := Needs{Program: here + "/lu", Directory: here, Hosts: dir + "/hosts"}
	for _, c := range []struct {
		hosts string
		needs Needs
		want  string
	}{
		{"a b user@named localhost", good, ""},
		{"a dark b silent", good, "dark: connect to host dark port 22: No route to host|silent: Welcome to silent"},
		{"a b", Needs{Program: here + "/none", Directory: here}, "a: there is no program D/it's here/none|b: there is no program D/it's here/none"},
		{"a", Needs{Program: here + "/plain", Directory: here}, "a: D/it's here/plain cannot be executed"},
		{"a", Needs{Program: here + "/lu", Directory: dir + "/none"}, "a: there is no directory D/none, in which the program is to start"},
		{"a b", Needs{Program: here + "/lu", Directory: dir, Hosts: dir + "/none"}, "a: there is no file D/none, which rank 0 reads there for the Sets"},
		// Hosts without slots and this machine are not logged in to.
		{"localhost 127.0.0.1", Needs{Program: "/none", Directory: "/none"}, ""},
	} {
		if got := reach(c.hosts, c.needs); got != c.want {
			t.Errorf("%s, %+v:\n got %s\nwant %s", c.hosts, c.needs, got, c.want)
		}
	}
	hosts, _ := hostfile.Parse("h", strings.NewReader("dark slots=0\na slots=1\n"))
	if errs := Reach(t.Context(), []string{ssh}, hosts, good); len(errs) > 0 {
		t.Errorf("a host without slots is logged in to: %v", errs)
	}
	if errs := Reach(t.Context(), []string{dir + "/none"}, hosts, good); len(errs) != 1 {
		t.Errorf("without an agent: %v", errs)
	}
}
