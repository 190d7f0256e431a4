package launch

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/migbsp/migbsp/hostfile"
)

// Leave takes hosts out of the next start of the job, after a start that has failed. Its ranks become fewer if the hosts that are left have fewer slots.
//
// Errors: the job cannot leave hosts out, or has none left.
func (j *Job) Leave(names []string) error {
	j.again = true
	if len(names) == 0 {
		return nil
	}
	hosts := j.Hosts
	switch {
	case hosts != nil:
	case j.Launcher.Slurm != "":
		job, _, err := hostfile.FromBatchSystem("slurm", j.Getenv, nil)
		if err != nil {
			return fmt.Errorf("no host can be left out: %w", err)
		}
		j.excluded = append(j.excluded, names...)
		names, hosts = j.excluded, job
	default:
		return fmt.Errorf("%s cannot be left out: the launcher was given no hosts; name them with -on", strings.Join(names, ", "))
	}
	left := leavingOut(hosts, names)
	if left.Ranks() == 0 {
		return errors.New("no host is left")
	}
	if j.Hosts != nil {
		j.Hosts = left
	}
	j.Ranks, j.Places = fewer(j.Ranks, j.Places, left.Ranks()), left.Ranks()
	j.left = hostsWithSlots(left)
	return nil
}

// fewer returns the number of ranks on fewer slots: as before if the slots suffice, or if the run
// already had more ranks than slots.
func fewer(ranks, before, places int) int {
	if before > 0 && ranks > before {
		return ranks
	}
	return min(ranks, places)
}

// leavingOut returns a file in which hosts with these names have no slots.
func leavingOut(f *hostfile.File, names []string) *hostfile.File {
	left := *f
	left.Hosts = slices.Clone(f.Hosts)
	for i, h := range left.Hosts {
		if slices.ContainsFunc(names, func(name string) bool { return sameHost(name, h.Name) }) {
			left.Hosts[i].Slots = 0
		}
	}
	return &left
}

func hostsWithSlots(f *hostfile.File) (n int) {
	for _, h := range f.Hosts {
		if h.Slots > 0 {
			n++
		}
	}
	return n
}

// sameHost reports whether two names are of the same host: one of them may have a domain.
func sameHost(a, b string) bool {
	a, b = strings.ToLower(a), strings.ToLower(b)
	shortA, domainA, _ := strings.Cut(a, ".")
	shortB, domainB, _ := strings.Cut(b, ".")
	if isAddress(a) || isAddress(b) {
		return a == b
	}
	return shortA == shortB && (domainA == domainB || domainA == "" || domainB == "")
}

// isAddress reports whether a host is named by its address.
func isAddress(name string) bool {
	_, err := netip.ParseAddr(name)
	return err == nil
}
