package ledger

import "time"

// Parts of the package that its tests look into.
const (
	MaxWindows    = maxWindows
	MostCalls     = mostCalls
	LoadPrefix    = loadPrefix
	MostMessages  = mostMessages
	MostLoadBytes = mostLoadBytes
	FewLoadBytes  = fewLoadBytes
)

var (
	AppendEntry   = appendEntry
	AppendLoad    = appendLoad
	AppendSeconds = appendSeconds
	BuildOf       = buildOf
	Equal         = equal
)

func DurationOf(x float64) time.Duration { return seconds(x).duration() }

func (a *Account) WidthOfWindows() int      { return a.width }
func (a *Account) WholeSoFar() *Totals      { return a.whole() }
func (a *Account) SavingSoFar() *Saving     { return made(&a.saving) }
func (a *Account) SitesSoFar() []Site       { return a.sites }
func (s *Step) LongestOfOne() time.Duration { return s.longest() }
func (c *Calls) AddToPast(seconds float64)  { c.before += seconds }

// CheckOf returns the error of a Decoder for an entry.
func CheckOf(run *Run, e Entry) error { return (&Decoder{run: run}).check(e) }

func (r *Recorder) Most(lines int)                     { r.most = lines }
func (r *Recorder) LoadBytes() int                     { return r.loads.all }
func (r *Recorder) Spent() (spent, free time.Duration) { return r.spent, r.free }
