package bsplib

// listen notes for each process which processes sent to it in this superstep,
// and how much. Gets are heard where they are asked for.
func (r *rank) listen() {
	for _, in := range r.data.In {
		speaker := 0
		for i := 0; i < len(in); i = recordEnd(in, i) {
			w := *wordAt(in, i)
			bytes := 0
			switch kindOf(w) {
			case kindSegment:
				speaker = pidOf(w)
				continue
			case kindPut:
				bytes = int(*wordAt(in, i+8) & (shortLimit - 1))
			case kindPutLong:
				_, bytes = longSizes(*wordAt(in, i+16))
			case kindSend:
				count, tag, n := messages(*wordAt(in, i+8), *wordAt(in, i+16))
				bytes = count * (tag + n)
			case kindReceived:
				bytes = int(*wordAt(in, i+8))
			default:
				continue
			}
			r.local[pidOf(w)].did.Hear(speaker, bytes)
		}
	}
}

// listenTimed listens, and keeps the account of what that takes where rescheduling asks
// for it.
func (r *rank) listenTimed() {
	if r.balance == nil || !r.balance.Watching() {
		r.listen()
		return
	}
	begun := r.clock.Wall()
	r.listen()
	r.balance.Recorded(r.clock.Wall() - begun)
}
