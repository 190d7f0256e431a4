package rebalancer

// mostInRuns bounds the values that runs may stand for: damaged bytes cannot ask for
// more memory than that.
const mostInRuns = 1 << 22

// writeRuns appends values of which many that follow each other are the same, as
// speeds of hosts of one kind are: each value with how often it comes.
func writeRuns(w *writer, all []float64) {
	w.int(len(all))
	for i := 0; i < len(all); {
		n := 1
		for i+n < len(all) && all[i+n] == all[i] {
			n++
		}
		w.int(n)
		w.float(all[i])
		if w.counts {
			w.counted, w.b = w.counted+len(w.b), w.b[:0]
		}
		i += n
	}
}

// readRuns takes what writeRuns wrote.
func readRuns(r *reader) []float64 {
	total := r.int()
	if total < 0 || total > mostInRuns {
		r.bad, r.b = true, nil
		return nil
	}
	var all []float64
	for len(all) < total && !r.bad {
		n, x := r.int(), r.float()
		if n < 1 || n > total-len(all) {
			r.bad, r.b = true, nil
			return nil
		}
		for range n {
			all = append(all, x)
		}
	}
	return all
}
