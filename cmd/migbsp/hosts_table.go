package main

import (
	"fmt"
	"strconv"

	"github.com/migbsp/migbsp/hostfile"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/tell/text"
)

// String returns tables of hosts, Sets, and links if the file has several Sets.
func (d *hostsDescription) String() string {
	tables := d.hosts() + "\n" + d.sets()
	if len(d.Links) > 0 {
		tables += "\n" + d.links()
	}
	text := "No figures of a platform: without MPI, only the number of ranks is used."
	if d.Emulated {
		text = "Without MPI a platform to emulate; speed 1 is a core of the machine that does."
	}
	if d.Barrier > 0 {
		text += "\n Each superstep has a barrier of " + seconds(d.Barrier) + "."
	}
	if d.Job != "" {
		text = "Hosts: " + d.Job + ".\n " + text
	}
	return tables + fmt.Sprintf("\n Ranks: %d on %d hosts in %d Sets.\n Sets: %s.\n %s\n", d.Ranks, len(d.Hosts), len(d.Sets), d.SetsBy, text)
}

func (d *hostsDescription) hosts() string {
	var rows [][]string
	for _, h := range d.Hosts {
		ranks := "-"
		switch {
		case h.Slots == 1:
			ranks = strconv.Itoa(h.First)
		case h.Slots > 1:
			ranks = fmt.Sprintf("%d-%d", h.First, h.First+h.Slots-1)
		}
		rows = append(rows, []string{h.Name, h.Set, strconv.Itoa(h.Slots), ranks, strconv.FormatFloat(h.Speed, 'g', 4, 64), size(h.Memory)})
	}
	return text.Rows([]string{"host", "Set", "slots", "ranks", "speed", "memory"}, rows, 0, 1)
}

func (d *hostsDescription) sets() string {
	var rows [][]string
	for _, s := range d.Sets {
		from := "no line #@set"
		switch {
		case s.Line > 0 && d.ownSets:
			from = "line " + strconv.Itoa(s.Line)
		case s.Line > 0:
			from = "see below"
		}
		rows = append(rows, []string{
			s.Name, fmt.Sprintf("%s (rank %d)", s.Manager, s.ManagerRank), strconv.Itoa(s.Hosts), strconv.Itoa(s.Ranks),
			bitRate(s.Rate), seconds(s.Latency), from,
		})
	}
	return text.Rows([]string{"Set", "manager", "hosts", "ranks", "rate", "latency", "from"}, rows, 0, 1, 6)
}

func (d *hostsDescription) links() string {
	var rows [][]string
	for _, l := range d.Links {
		from := "the Sets' own"
		if l.Line > 0 {
			from = "line " + strconv.Itoa(l.Line)
		}
		rows = append(rows, []string{l.A + " - " + l.B, bitRate(l.Rate), seconds(l.Latency), from})
	}
	return text.Rows([]string{"link", "rate", "latency", "from"}, rows, 0, 3)
}

// bitRate prints a rate of bytes as networks are named, in bits.
func bitRate(bytes float64) string { return scaled(8*bytes, "b/s") }

func size(bytes int64) string {
	if bytes == 0 {
		return "-"
	}
	return ledger.Bytes(bytes)
}

// hostsDescription is a file of hosts for programs. Rates are bytes per second,
// times seconds, sizes bytes.
type hostsDescription struct {
	File     string            `json:"file"`          // or a variable of the job
	Job      string            `json:"job,omitempty"` // source of the hosts in the environment
	SetsBy   string            `json:"sets_by"`       // source of the Sets
	Ranks    int               `json:"ranks"`
	Emulated bool              `json:"emulated"` // without MPI, a platform to emulate
	Barrier  float64           `json:"barrier"`
	Hosts    []hostDescription `json:"hosts"`
	Sets     []setDescription  `json:"sets"`
	Links    []linkDescription `json:"links"` // of each pair of Sets

	ownSets bool // the lines of Sets are in File
}

type hostDescription struct {
	Name     string  `json:"host"`
	User     string  `json:"user,omitempty"`
	Set      string  `json:"set"`
	Slots    int     `json:"slots"`
	MaxSlots int     `json:"max_slots,omitempty"`
	First    int     `json:"first_rank"`
	Speed    float64 `json:"speed"`
	Memory   int64   `json:"memory,omitempty"` // 0: not limited
}

type setDescription struct {
	Name        string  `json:"set"`
	Manager     string  `json:"manager"`
	ManagerRank int     `json:"manager_rank"`
	Hosts       int     `json:"hosts"`
	Ranks       int     `json:"ranks"`
	Rate        float64 `json:"rate"`
	Latency     float64 `json:"latency"`
	Line        int     `json:"line,omitempty"` // of #@set, 0: none
}

type linkDescription struct {
	A       string  `json:"a"`
	B       string  `json:"b"`
	Rate    float64 `json:"rate"`
	Latency float64 `json:"latency"`
	Line    int     `json:"line,omitempty"` // of #@link, 0: follows from the Sets
}

func describeHosts(f *hostfile.File) *hostsDescription {
	d := &hostsDescription{
		File: f.Name, Ranks: f.Ranks(), Emulated: f.Emulated(), Barrier: f.Barrier.Seconds(),
		Links: []linkDescription{},
	}
	for i, s := range f.Sets {
		manager := f.Manager(i)
		d.Sets = append(d.Sets, setDescription{
			Name: s.Name, Manager: f.Hosts[f.Place(manager)].Name, ManagerRank: manager,
			Rate: s.Rate, Latency: s.Latency.Seconds(), Line: s.Line,
		})
		for j := range f.Sets[:i] {
			l := f.Between(j, i)
			d.Links = append(d.Links, linkDescription{
				A: f.Sets[j].Name, B: s.Name, Rate: l.Rate, Latency: l.Latency.Seconds(), Line: l.Line,
			})
		}
	}
	first := 0
	for _, h := range f.Hosts {
		d.Hosts = append(d.Hosts, hostDescription{
			Name: h.Name, User: h.User, Set: f.Sets[h.Set].Name, Slots: h.Slots, MaxSlots: h.MaxSlots,
			First: first, Speed: h.Speed, Memory: h.Memory,
		})
		first += h.Slots
		d.Sets[h.Set].Hosts++
		d.Sets[h.Set].Ranks += h.Slots
	}
	return d
}
