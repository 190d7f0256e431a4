package live

import "time"

// frame lays out a state in exactly the lines of its size, none longer than its width.
type frame struct {
	State   *State
	from    Source
	view    View
	size    Size
	unicode bool
	lines   []line
	scroll  int // rows of the table that were passed
	first   int // row of the table that is shown first, from 1
	last    int
	rows    int
}

// Picture is a state laid out for a size.
type Picture struct {
	Lines  []string // exactly the height of the size
	Scroll int      // rows of the table above the shown ones: at most View.Scroll, and fewer in a short table
	Page   int      // rows of the table that are shown
}

// Frame lays out the state of a run: size.Height lines, none of them longer
// than size.Width columns. With color they have escape sequences besides.
func Frame(s *State, from Source, v View, size Size, unicode, color bool) Picture {
	f := &frame{State: s, from: from, view: v, size: size, unicode: unicode}
	f.draw()
	return f.picture(color)
}

// Snapshot is Frame for a file: it takes the lines that it needs.
func Snapshot(s *State, from Source, v View, width int, unicode, color bool) []string {
	const plenty = 1 << 10
	f := &frame{State: s, from: from, view: v, size: Size{width, plenty}, unicode: unicode}
	f.head()
	f.add(nil)
	f.add(f.table(v.Table).lay(width)...)
	if v.Table != "calls" && len(f.State.calls) > 0 {
		const most = 1 + 10
		calls := f.callTable().lay(width)
		f.add(nil)
		f.add(calls[:min(most, len(calls))]...)
	}
	f.add(nil)
	f.add(f.notes()...)
	f.add(f.source())
	return f.picture(color).Lines
}

func (f *frame) picture(color bool) Picture {
	show := line.String
	if color {
		show = line.painted
	}
	return Picture{f.strings(show), f.scroll, max(0, f.last-f.first+1)}
}

func (f *frame) strings(show func(line) string) []string {
	texts := make([]string, len(f.lines))
	for i, l := range f.lines {
		if !f.unicode {
			l = l.ascii()
		}
		texts[i] = show(l.cut(f.size.Width))
	}
	return texts
}

// draw fills the lines from above and from below.
func (f *frame) draw() {
	switch {
	case f.size.Width < Smallest.Width || f.size.Height < Smallest.Height:
		f.add(text("too small", warn), text("needs 20x5", plain))
		f.close()
	case f.view.Help:
		f.add(help...)
		f.close(f.keys())
	case !f.State.Begun():
		f.add(text("migbsp top", strong), nil, text("waiting for "+clean(f.from.Name), plain), text(clean(f.from.Wait), warn))
		f.close(text("q quit", faint))
	default:
		f.head()
		f.body(f.size.Height - len(f.lines) - len(f.foot()))
		f.close(f.foot()...)
	}
}

func (f *frame) add(lines ...line) { f.lines = append(f.lines, lines...) }

// close puts lines at the lower edge.
func (f *frame) close(below ...line) {
	room := max(0, f.size.Height-len(below))
	f.lines = f.lines[:min(room, len(f.lines))]
	for len(f.lines) < room {
		f.lines = append(f.lines, nil)
	}
	f.lines = append(f.lines, below[:min(len(below), f.size.Height)]...)
}

// body shows the table of the view and the last calls, and other tables if they fit.
func (f *frame) body(room int) {
	if room >= 12 {
		f.add(nil)
		room--
	}
	end := len(f.lines) + room
	main := f.table(f.view.Table).lay(f.size.Width)
	calls := f.callsBelow(room, len(main))
	f.window(main, room-len(calls))
	for _, name := range []string{"sets", "ranks", "sites"} {
		if name == f.view.Table {
			continue
		}
		if more := f.table(name).lay(f.size.Width); len(more) > 1 && len(f.lines)+1+len(more)+len(calls) <= end {
			f.add(nil)
			f.add(more...)
		}
	}
	f.add(calls...)
}

// callsBelow returns an empty line and the table of calls, for the room that another table leaves.
func (f *frame) callsBelow(room, main int) []line {
	const least, most = 3, 10 // lines, and rows next to a complete table
	if f.view.Table == "calls" || len(f.State.calls) == 0 || room < 2*least {
		return nil
	}
	calls := f.callTable().lay(f.size.Width)
	share := max(least, room/3, min(room-main-1, 1+most))
	return append([]line{nil}, calls[:min(len(calls), share)]...)
}

// window shows the rows of a table that have been scrolled to.
func (f *frame) window(lines []line, room int) {
	if room < 1 {
		return
	}
	head, rows := lines[0], lines[1:]
	f.add(head)
	room--
	f.scroll = max(0, min(f.view.Scroll, len(rows)-room))
	end := min(len(rows), f.scroll+room)
	f.add(rows[f.scroll:end]...)
	f.rows, f.first, f.last = len(rows), f.scroll+1, end
}

// help explains keys and figures.
var help = []line{
	text("migbsp top", strong),
	nil,
	text("e  Sets     r  ranks     s  sites     c  rescheduling calls", plain),
	text("w  figures of the last supersteps, or of the whole run", plain),
	text("j k, arrows, PgUp PgDn, g G  move in the table", plain),
	text("p  pause     ?  this help, and back     q  quit", plain),
	nil,
	text("PE   parallel efficiency = LB x Ser x Cap x Tr; 0.80 is fine", plain),
	text("LB   load balance = in Sets x between Sets, of all work", plain),
	text("Ser  serialisation: the largest work of a rank over the sum", plain),
	text("     of each superstep's largest", plain),
	text("Cap  capacity: part of the work in which a rank had a core", plain),
	text("Tr   transfer: that sum over the elapsed time", plain),
	text("w    work of a rank in a superstep: largest and mean", plain),
	text("idle part of the largest work in which a rank had none", plain),
	text("PM   potential of migration = Comp + Comm - Mem", plain),
	text("pred saving forecast for the moves, seen: what they saved", plain),
	text("With ranks of different speed, equal times are the aim.", plain),
}

// Size is the size of a screen in characters.
type Size struct{ Width, Height int }

// Smallest is the smallest size that a Frame has room in.
var Smallest = Size{20, 5}

// Tables are the tables that a View can show.
var Tables = []string{"sets", "ranks", "sites", "calls"}

// View is the part of the state that the user chose to see.
type View struct {
	Table  string // one of Tables
	Whole  bool   // figures of the whole run, not of its last supersteps
	Scroll int    // rows of the table that have been passed
	Help   bool
	Paused bool
}

// Source describes the record as a file.
type Source struct {
	Name string
	Wait string        // the reason for waiting, "" once the head has been read
	Age  time.Duration // since the file last changed
	Wall time.Duration // from the start of the run to that change
	Cut  bool          // the file ends within an entry
}

// Options choose the record and its display.
type Options struct {
	Path     string // the record, or the directory that has it or will
	Table    string // one of Tables, to begin with
	Interval time.Duration
	Color    bool
	Unicode  bool
}
