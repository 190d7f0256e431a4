package trace

import (
	"bufio"
	"encoding/json"
	"io"
	"strconv"
	"time"

	"github.com/migbsp/migbsp/ledger"
)

// out writes the events of a trace, one in a line, and remembers the first error.
type out struct {
	w      *bufio.Writer
	line   []byte
	events int
	err    error
}

// track is a line of events: a thread of a process.
type track struct{ pid, tid int }

// begin opens the trace with the facts about all of it.
func (o *out) begin(w io.Writer, about args) {
	o.w = bufio.NewWriterSize(w, 1<<16)
	o.put(`{"displayTimeUnit":"ns","otherData":` + "{" + string(about) + "}" + `,"traceEvents":[`)
}

func (o *out) end() {
	o.put("\n]}\n")
	if o.err == nil {
		o.err = o.w.Flush()
	}
}

func (o *out) put(text string) {
	if o.err == nil {
		_, o.err = o.w.WriteString(text)
	}
}

// complete returns an event that takes time.
func (o *out) complete(name string, on track, at, takes time.Duration, a args) {
	o.open('X', name, on, at)
	o.line = appendMicroseconds(append(o.line, `,"dur":`...), takes)
	o.close(a)
}

// instant returns an event that takes none.
func (o *out) instant(name string, on track, at time.Duration, a args) {
	o.open('i', name, on, at)
	o.line = append(o.line, `,"s":"t"`...)
	o.close(a)
}

// counter sets values from now on; each has its own curve.
func (o *out) counter(name string, on track, at time.Duration, values args) {
	o.open('C', name, on, at)
	o.close(values)
}

// leave and arrive are the ends of an arrow. Each belongs to the event that is
// there at that time.
func (o *out) leave(id int, on track, at time.Duration)  { o.arrow('s', id, on, at) }
func (o *out) arrive(id int, on track, at time.Duration) { o.arrow('f', id, on, at) }

func (o *out) arrow(end byte, id int, on track, at time.Duration) {
	o.open(end, "move", on, at)
	o.line = strconv.AppendInt(append(o.line, `,"cat":"move","bp":"e","id":`...), int64(id), 10)
	o.close(nil)
}

// about names a process or thread of the trace, or gives its position.
func (o *out) about(what string, on track, a args) {
	o.open('M', what, on, 0)
	o.close(a)
}

func (o *out) open(phase byte, name string, on track, at time.Duration) {
	if o.events > 0 {
		o.put(",")
	}
	b := append(o.line[:0], "\n"+`{"ph":"`...)
	b = append(b, phase)
	b = append(b, `","name":`...)
	b = appendText(b, name)
	b = strconv.AppendInt(append(b, `,"pid":`...), int64(on.pid), 10)
	b = strconv.AppendInt(append(b, `,"tid":`...), int64(on.tid), 10)
	o.line = appendMicroseconds(append(b, `,"ts":`...), at)
}

func (o *out) close(a args) {
	if len(a) > 0 {
		o.line = append(append(append(o.line, `,"args":{`...), a...), '}')
	}
	o.line = append(o.line, '}')
	if o.err == nil {
		_, o.err = o.w.Write(o.line)
	}
	o.events++
}

// args are names and values that belong to an event, as JSON without braces.
type args []byte

func (a args) name(name string) args {
	if len(a) > 0 {
		a = append(a, ',')
	}
	return append(appendText(a, name), ':')
}

func (a args) int(name string, n int64) args { return strconv.AppendInt(a.name(name), n, 10) }

func (a args) number(name string, x float64) args {
	return strconv.AppendFloat(a.name(name), x, 'g', 9, 64)
}

func (a args) text(name, value string) args { return appendText(a.name(name), value) }

// appendText writes text of any origin and replaces characters that could steer a viewer or
// a terminal.
func appendText(b []byte, text string) []byte {
	quoted, _ := json.Marshal(ledger.Printable(text))
	return append(b, quoted...)
}

// appendMicroseconds writes a time exactly.
func appendMicroseconds(b []byte, d time.Duration) []byte {
	b = strconv.AppendInt(b, int64(d/time.Microsecond), 10)
	ns := int64(d % time.Microsecond)
	if ns == 0 {
		return b
	}
	return append(b, '.', byte('0'+ns/100), byte('0'+ns/10%10), byte('0'+ns%10))
}
