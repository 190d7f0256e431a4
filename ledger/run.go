package ledger

import (
	"cmp"
	"fmt"
	"runtime/debug"
	"slices"
	"time"
)

// Schema names the form of a record.
const Schema = "migbsp.run/1"

// Run is the head of a record: the program, its ranks and its settings.
type Run struct {
	Schema  string    `json:"schema"`
	Program string    `json:"program"`
	Args    []string  `json:"args,omitempty"`
	Version string    `json:"version,omitempty"`
	Commit  string    `json:"commit,omitempty"`
	Go      string    `json:"go,omitempty"`
	MPI     string    `json:"mpi,omitempty"` // the library's own words, "" without MPI
	Engine  string    `json:"engine"`        // transport of messages
	Started time.Time `json:"started"`
	Job     string    `json:"job,omitempty"` // of the resource manager

	Procs     int       `json:"procs"`
	Ranks     []Rank    `json:"ranks"`
	Sets      []Set     `json:"sets"`
	Links     [][]Link  `json:"links"`                // by Set and Set; a Set's own within it
	LinksFrom string    `json:"links_from,omitempty"` // source: the hosts file, LinksMeasured, "" if assumed
	Measuring float64   `json:"measuring,omitempty"`  // seconds that measuring speeds and links took, before the first superstep
	SetsFrom  string    `json:"sets_from,omitempty"`  // source that divided the hosts
	Platform  string    `json:"platform,omitempty"`   // hosts file
	Emulated  bool      `json:"emulated,omitempty"`   // times are of Platform, not of the machine
	Simulated bool      `json:"simulated,omitempty"`  // Emulated too, and no program ran: see Clock
	Recorded  string    `json:"recorded,omitempty"`   // of a simulated run: the program whose record was its workload
	Strategy  string    `json:"strategy"`
	Settings  []Setting `json:"settings,omitempty"`  // that are not defaults
	Restarted string    `json:"restarted,omitempty"` // the checkpoint of a restarted run, or ""
	Mapping   Mapping   `json:"mapping"`             // the initial mapping
}

// StartBlocks is the origin of an initial mapping of equal blocks, and of all mappings of records
// that name none.
const StartBlocks = "blocks"

// startSetting is the setting whose value in a record is the origin of the initial mapping, with the
// processes of each host.
const startSetting = "start"

// Start returns the origin of the initial mapping.
func (r *Run) Start() string {
	for _, s := range r.Settings {
		if s.Name == startSetting {
			return s.Value
		}
	}
	return StartBlocks
}

// StartFrom sets the origin of the initial mapping, if the setting leaves the choice to the run.
func (r *Run) StartFrom(origin string) {
	for i := range r.Settings {
		if r.Settings[i].Name == startSetting {
			r.Settings[i].Value = origin
			return
		}
	}
	if origin != StartBlocks {
		r.Settings = append(r.Settings, Setting{Name: startSetting, Value: origin, Origin: "default"})
	}
}

// Rank is a rank of the run: its host, Set and speed.
type Rank struct {
	Host  string  `json:"host"`
	Set   int     `json:"set"`
	Speed float64 `json:"speed"` // declared or measured, else 1
}

// LinksMeasured is the source of links that were measured before the run.
const LinksMeasured = "measured"

// Set is a group of ranks that are close to each other.
type Set struct {
	Name    string `json:"name"`
	Manager int    `json:"manager"` // rank
}

// Link is the cost of messages between ranks.
type Link struct {
	Latency float64 `json:"latency"`  // seconds
	PerByte float64 `json:"per_byte"` // seconds
}

// Setting is a value that the program was given, and its source.
type Setting struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Origin string `json:"origin"`
}

// Mapping is the rank of each process, as runs of consecutive processes: pairs of a rank
// and a number of processes.
type Mapping [][2]int

// MappingOf returns the Mapping of a table of ranks by process.
func MappingOf(where []int32) Mapping {
	var m Mapping
	for _, rank := range where {
		if n := len(m); n > 0 && m[n-1][0] == int(rank) {
			m[n-1][1]++
			continue
		}
		m = append(m, [2]int{int(rank), 1})
	}
	return m
}

// Where returns the rank of each process.
func (m Mapping) Where() []int32 {
	var where []int32
	for _, run := range m {
		where = append(where, slices.Repeat([]int32{int32(run[0])}, run[1])...)
	}
	return where
}

// At names a rank, with its host if the run has several.
func (r *Run) At(rank int) string {
	if rank < 0 || rank >= len(r.Ranks) {
		return fmt.Sprintf("r%d", rank)
	}
	name := fmt.Sprintf("r%d", rank)
	if is := r.Ranks[rank]; is.Host != "" && r.hosts() > 1 {
		name += "@" + is.Host
	}
	return name
}

// hosts returns the number of different hosts, up to two.
func (r *Run) hosts() int {
	for _, is := range r.Ranks {
		if is.Host != r.Ranks[0].Host {
			return 2
		}
	}
	return min(1, len(r.Ranks))
}

// mostProcs is the maximum number of processes in a record. A short line can claim any number, and a
// reader takes 4 to 12 bytes of memory for each.
const mostProcs = 1 << 24

// check refuses figures that would mislead or crash a reader.
func (r *Run) check() error {
	switch {
	case r.Procs < 1 || r.Procs > mostProcs:
		return fmt.Errorf("procs is %d; expected 1 to %d", r.Procs, mostProcs)
	case len(r.Ranks) == 0:
		return fmt.Errorf("there are no ranks")
	case len(r.Sets) == 0:
		return fmt.Errorf("there are no Sets")
	case len(r.Links) != len(r.Sets):
		return fmt.Errorf("links has %d rows for %d Sets", len(r.Links), len(r.Sets))
	}
	for a, row := range r.Links {
		if len(row) != len(r.Sets) {
			return fmt.Errorf("links of Set %d has %d columns for %d Sets", a, len(row), len(r.Sets))
		}
	}
	for i, rank := range r.Ranks {
		if rank.Set < 0 || rank.Set >= len(r.Sets) {
			return fmt.Errorf("rank %d is in Set %d of %d", i, rank.Set, len(r.Sets))
		}
	}
	return r.checkMapping()
}

func (r *Run) checkMapping() error {
	procs := 0
	for _, run := range r.Mapping {
		if run[0] < 0 || run[0] >= len(r.Ranks) || run[1] < 1 || run[1] > r.Procs-procs {
			return fmt.Errorf("mapping puts %d processes on rank %d; there are %d processes and %d ranks", run[1], run[0], r.Procs, len(r.Ranks))
		}
		procs += run[1]
	}
	if procs != r.Procs {
		return fmt.Errorf("mapping has %d of %d processes", procs, r.Procs)
	}
	return nil
}

// Clock returns the label of a run's times: "EMULATED" where work was measured and the
// platform is pretended, "SIMULATED" where no program ran, "" where times are the
// machine's own.
func (r *Run) Clock() string {
	switch {
	case r.Simulated:
		return "SIMULATED"
	case r.Emulated:
		return "EMULATED"
	}
	return ""
}

// Build names the sources that a program was built from.
type Build struct {
	Version  string // of the module, "(devel)" where it has none
	Commit   string // "" if not known
	Modified bool   // files had been changed since Commit
	Time     string // of Commit, RFC 3339; "" if not known
}

// ThisBuild returns the Build of the program that calls it. Go writes it into programs
// when they are built in a working copy by a go build that may ask git.
func ThisBuild() Build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return buildOf(info)
}

// version is set by the linker where Go cannot know it: in an archive that was packed for
// a release.
var version string

func buildOf(info *debug.BuildInfo) Build {
	b := Build{Version: cmp.Or(version, info.Main.Version, "(devel)")}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		case "vcs.time":
			b.Time = s.Value
		}
	}
	return b
}

// String returns the commit in short, "" if it is not known.
func (b Build) String() string {
	const short = 12
	if b.Commit == "" {
		return ""
	}
	text := "commit " + b.Commit[:min(short, len(b.Commit))]
	if b.Modified {
		text += " and changes"
	}
	return text
}
