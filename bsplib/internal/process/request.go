package process

// Place is where a process can ask to go.
type Place struct {
	Kind   PlaceKind
	Number int
	Host   string
}

// PlaceKind is the way in which a place is named.
type PlaceKind uint8

// The kinds: nothing, a rank's number, a host's name, and the process that is there.
const (
	Nowhere PlaceKind = iota
	OnRank
	OnHost
	NextTo
)

// Request is a process's request to the next rescheduling call, and the answer to the last one.
type Request struct {
	To      Place
	Drain   []int  // ranks that all processes are to leave
	Refused string // why the last request was refused, "" if it was granted
	Denied  bool   // the last request was refused, also if there is a new one
}

// Asks reports whether there is a request.
func (q *Request) Asks() bool {
	return q != nil && (q.To.Kind != Nowhere || len(q.Drain) > 0)
}

// Why says why the last request was refused, "" if it was granted.
func (q *Request) Why() string {
	if q == nil {
		return ""
	}
	return q.Refused
}

// Asking returns the process's request, a new one if there is none.
func (p *Process) Asking() *Request {
	if p.Request == nil {
		p.Request = new(Request)
	}
	return p.Request
}
