package rebalancer

// Few texts say why many processes move: each is written once, behind its length, and
// from then on as minus its number, counted from 1. The empty text has no number.

// text appends a text.
func (w *writer) text(s string) {
	if number, known := w.texts[s]; known {
		w.int(-number)
		return
	}
	w.int(len(s))
	w.b = append(w.b, s...)
	if s == "" {
		return
	}
	if w.texts == nil {
		w.texts = make(map[string]int)
	}
	w.texts[s] = len(w.texts) + 1
}

// text takes a text.
func (r *reader) text() string {
	n := r.int()
	switch {
	case n < -len(r.texts):
		r.bad, r.b = true, nil
		return ""
	case n < 0:
		return r.texts[-n-1]
	}
	s := string(r.take(n))
	if s != "" {
		r.texts = append(r.texts, s)
	}
	return s
}
