package main

import "github.com/migbsp/migbsp/hostfile"

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
