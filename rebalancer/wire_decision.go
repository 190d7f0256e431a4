package rebalancer

import "slices"

// WithoutVerdicts is the decision without the reasons, which only an account
// needs.
func (d Decision) WithoutVerdicts() Decision {
	d.Verdicts = nil
	return d
}

// AppendBinary appends the decision's bytes to b.
func (d Decision) AppendBinary(b []byte) ([]byte, error) {
	w := &writer{b: b}
	d.write(w)
	return w.b, nil
}

// Size is how many bytes AppendBinary appends.
func (d Decision) Size() int { return size(d.write) }

func (d Decision) write(w *writer) {
	w.int(d.Step)
	w.int(d.Call)
	list(w, d.Moves, writeMove)
	w.int(d.Next)
	writePace(w, &d.Before)
	writePace(w, &d.After)
	w.bool(d.Balanced)
	list(w, d.Verdicts, writeVerdict)
	for _, x := range []float64{d.Bound.Step, d.Bound.Least, d.Bound.Longest, d.Bound.Share} {
		w.float(x)
	}
	w.int(d.Bound.Split)
	writeForecast(w, &d.Forecast)
	w.bool(d.Outcome != nil)
	if o := d.Outcome; o != nil {
		w.int(o.Call)
		w.int(o.Steps)
		w.float(o.Predicted)
		w.float(o.Realised)
		w.float(o.Cost)
		w.bool(o.Sure)
	}
	w.text(d.WhyNone)
	w.float(d.UnexplainedTime)
	w.int(d.Searched)
	writeLearned(w, &d.Learned, d.Moves)
}

// UnmarshalBinary reads what AppendBinary wrote.
func (d *Decision) UnmarshalBinary(b []byte) error {
	r := &reader{b: b}
	*d = Decision{Step: r.int(), Call: r.int(), Moves: readList(r, 5, readMove), Next: r.int()}
	readPace(r, &d.Before)
	readPace(r, &d.After)
	d.Balanced = r.bool()
	d.Verdicts = readList(r, 45, readVerdict)
	d.Bound = Bound{Step: r.float(), Least: r.float(), Longest: r.float(), Share: r.float(), Split: r.int()}
	readForecast(r, &d.Forecast)
	if r.bool() {
		d.Outcome = &Outcome{Call: r.int(), Steps: r.int(), Predicted: r.float(), Realised: r.float(), Cost: r.float(), Sure: r.bool()}
	}
	d.WhyNone, d.UnexplainedTime, d.Searched = r.text(), r.float(), r.int()
	readLearned(r, &d.Learned, d.Moves)
	return r.end()
}

func writeMove(w *writer, m *Move) {
	w.int(m.Pid)
	w.int(m.From)
	w.int(m.To)
	w.int64(m.Bytes)
	w.text(m.Reason)
}

func readMove(r *reader, m *Move) {
	*m = Move{Pid: r.int(), From: r.int(), To: r.int(), Bytes: r.int64(), Reason: r.text()}
}

func writePace(w *writer, p *Pace) {
	w.int(p.Alpha)
	w.float(p.D)
	w.int(p.Still)
}

func readPace(r *reader, p *Pace) { *p = Pace{Alpha: r.int(), D: r.float(), Still: r.int()} }

func writeVerdict(w *writer, v *Verdict) {
	w.int(v.Pid)
	writePotential(w, &v.Potential)
	w.int(v.To)
	w.float(v.T1)
	w.float(v.T2)
	w.bool(v.Moves)
	w.text(v.Rule)
}

func readVerdict(r *reader, v *Verdict) {
	v.Pid = r.int()
	readPotential(r, &v.Potential)
	v.To, v.T1, v.T2, v.Moves, v.Rule = r.int(), r.float(), r.float(), r.bool(), r.text()
}

func writeForecast(w *writer, f *Forecast) {
	w.int(f.Horizon)
	w.float(f.Before)
	w.float(f.After)
	w.float(f.Cost)
}

func readForecast(r *reader, f *Forecast) {
	*f = Forecast{Horizon: r.int(), Before: r.float(), After: r.float(), Cost: r.float()}
}

// writeMemory appends what is remembered. Moves that have still to prove themselves are
// mostly those of the decision, and then not written again.
func writeLearned(w *writer, m *Learned, moves []Move) {
	writeRuns(w, m.Speeds)
	writeRuns(w, m.Available)
	w.float(m.Trust)
	w.float(m.Unexplained)
	w.bool(m.Pending != nil)
	if p := m.Pending; p != nil {
		w.int(p.Call)
		w.int(p.Step)
		again := slices.Equal(p.Moves, moves)
		w.bool(again)
		if !again {
			list(w, p.Moves, writeMove)
		}
		writeForecast(w, &p.Forecast)
		w.float(p.Rate)
		list(w, p.Work, writeFloat)
	}
}

func readLearned(r *reader, m *Learned, moves []Move) {
	*m = Learned{Speeds: readRuns(r), Available: readRuns(r), Trust: r.float(), Unexplained: r.float()}
	if r.bool() {
		p := &Pending{Call: r.int(), Step: r.int()}
		if r.bool() {
			p.Moves = slices.Clone(moves)
		} else {
			p.Moves = readList(r, 5, readMove)
		}
		readForecast(r, &p.Forecast)
		p.Rate, p.Work = r.float(), readList(r, 8, readFloat)
		m.Pending = p
	}
}

func writeFloat(w *writer, x *float64) { w.float(*x) }
func readFloat(r *reader, x *float64)  { *x = r.float() }
