package rebalancer

// AppendBinary appends the report's bytes to b.
func (r Report) AppendBinary(b []byte) ([]byte, error) {
	w := &writer{b: b}
	r.write(w)
	return w.b, nil
}

// Size is how many bytes AppendBinary appends.
func (r Report) Size() int { return size(r.write) }

func (r Report) write(w *writer) {
	list(w, r.Ranks, writeRank)
	list(w, r.Processes, writeProcess)
	list(w, r.Spreads, func(w *writer, e *StepSpread) {
		w.int(e.Steps)
		w.int(e.Count)
		w.float(e.Sum)
		w.float(e.Min)
		w.float(e.Max)
	})
	list(w, r.Classes, func(w *writer, c *int) { w.int(*c) })
}

// UnmarshalBinary reads what AppendBinary wrote.
func (r *Report) UnmarshalBinary(b []byte) error {
	in := &reader{b: b}
	r.Ranks = readList(in, 45, readRank)
	r.Processes = readList(in, 30, readProcess)
	r.Spreads = readList(in, 26, func(in *reader, e *StepSpread) {
		*e = StepSpread{Steps: in.int(), Count: in.int(), Sum: in.float(), Min: in.float(), Max: in.float()}
	})
	r.Classes = readList(in, 1, func(in *reader, c *int) { *c = in.int() })
	return in.end()
}

func writeRank(w *writer, s *RankState) {
	w.int(s.Rank)
	w.float(s.Available)
	w.int64(s.Free)
	w.bool(s.Drained)
	w.float(s.Elapsed)
	w.int(s.Steps)
	w.float(s.Recent)
	w.float(s.Called)
	w.float(s.Moved)
	w.int(s.Remaining)
}

func readRank(r *reader, s *RankState) {
	*s = RankState{
		Rank: r.int(), Available: r.float(), Free: r.int64(), Drained: r.bool(),
		Elapsed: r.float(), Steps: r.int(), Recent: r.float(), Called: r.float(), Moved: r.float(), Remaining: r.int(),
	}
}

func writeProcess(w *writer, p *Process) {
	w.int(p.Pid)
	w.int(p.Rank)
	w.int64(p.State)
	w.bool(p.Pinned)
	w.int(p.Request)
	w.float(p.Work)
	w.float(p.Time)
	w.float(p.Regularity)
	list(w, p.Sets, writeSet)
	writePotential(w, &p.Best)
	list(w, p.RecentWork, writeWork)
	w.int(p.SinceMove)
	list(w, p.Partners, writeTraffic)
}

func readProcess(r *reader, p *Process) {
	*p = Process{
		Pid: r.int(), Rank: r.int(), State: r.int64(), Pinned: r.bool(), Request: r.int(),
		Work: r.float(), Time: r.float(), Regularity: r.float(),
		Sets: readList(r, 25, readSet),
	}
	readPotential(r, &p.Best)
	p.RecentWork = readList(r, 4, readWork)
	p.SinceMove = r.int()
	p.Partners = readList(r, 2, readTraffic)
}

func writeSet(w *writer, s *SetTraffic) {
	w.int(s.Set)
	w.float(s.Bytes)
	w.float(s.Time)
	w.float(s.Regularity)
}

func readSet(r *reader, s *SetTraffic) {
	*s = SetTraffic{Set: r.int(), Bytes: r.float(), Time: r.float(), Regularity: r.float()}
}

func writePotential(w *writer, p *Potential) {
	w.int(p.Set)
	w.float(p.Comp)
	w.float(p.Comm)
	w.float(p.Mem)
}

func readPotential(r *reader, p *Potential) {
	*p = Potential{Set: r.int(), Comp: r.float(), Comm: r.float(), Mem: r.float()}
}

func writeWork(w *writer, x *float32) { w.float32(*x) }
func readWork(r *reader, x *float32)  { *x = r.float32() }

func writeTraffic(w *writer, t *Traffic) {
	w.int(t.Pid)
	w.int64(t.Bytes)
}

func readTraffic(r *reader, t *Traffic) { *t = Traffic{Pid: r.int(), Bytes: r.int64()} }

// AppendBinary appends the history's bytes to b.
func (h History) AppendBinary(b []byte) ([]byte, error) {
	w := &writer{b: b}
	w.float(h.Regularity)
	list(w, h.Sets, writeSet)
	list(w, h.RecentWork, writeWork)
	w.float(h.work)
	w.float(h.time)
	w.int(h.sinceMove)
	w.int(h.seen)
	w.int(h.withTraffic)
	list(w, h.partners, writeTraffic)
	return w.b, nil
}

// UnmarshalBinary reads what AppendBinary wrote.
func (h *History) UnmarshalBinary(b []byte) error {
	r := &reader{b: b}
	*h = History{
		Regularity: r.float(), Sets: readList(r, 25, readSet), RecentWork: readList(r, 4, readWork),
		work: r.float(), time: r.float(), sinceMove: r.int(), seen: r.int(), withTraffic: r.int(),
		partners: readList(r, 2, readTraffic),
	}
	return r.end()
}
