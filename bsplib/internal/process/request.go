package process

// Place is where a process can ask to go.
type Place struct {
	Kind   PlaceKind
	Number int
	Host   string
}

// PlaceKind is what a place is named by.
type PlaceKind uint8

// The kinds: nothing, a rank's number, a host's name, and the process that is there.
const (
	Nowhere PlaceKind = iota
	OnRank
	OnHost
	NextTo
)

// Request is what a process has asked for and what became of it.
type Request struct {
	To      Place
	Drain   []int  // ranks that all are to leave
	Refused string // why the last one was not honoured, "" if it was
	Denied  bool   // the last one was not, and another may have been made since
}

// Asks reports whether the process wants something of the next call.
func (q *Request) Asks() bool {
	return q != nil && (q.To.Kind != Nowhere || len(q.Drain) > 0)
}

// Why says why the last request was not honoured, "" if it was.
func (q *Request) Why() string {
	if q == nil {
		return ""
	}
	return q.Refused
}

// Asking is the process's request, made if there is none.
func (p *Process) Asking() *Request {
	if p.Request == nil {
		p.Request = new(Request)
	}
	return p.Request
}
