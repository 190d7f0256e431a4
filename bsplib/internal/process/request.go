package process

// Place is the destination of a requested move.
type Place struct {
	Kind   PlaceKind
	Number int
	Host   string
}

// PlaceKind is the kind of a destination.
type PlaceKind uint8

// The kinds: no destination, a rank's number, a host's name, and the rank of another process.
const (
	Nowhere PlaceKind = iota
	OnRank
	OnHost
	NextTo
)

// Request is a process's request to the next rescheduling call, and the answer to the last one.
type Request struct {
	To      Place
	Drain   []int  // ranks that all processes must leave
	Refused string // why the last request was refused, "" if it was granted
	Denied  bool   // the last request was refused; it stays set after a new request
}

// Asks reports whether q contains a request.
func (q *Request) Asks() bool {
	return q != nil && (q.To.Kind != Nowhere || len(q.Drain) > 0)
}

// Why returns the reason why the last request was refused, "" if it was granted.
func (q *Request) Why() string {
	if q == nil {
		return ""
	}
	return q.Refused
}

// Asking returns the process's request, creating it if necessary.
func (p *Process) Asking() *Request {
	if p.Request == nil {
		p.Request = new(Request)
	}
	return p.Request
}
