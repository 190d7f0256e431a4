package rebalancer

// Few texts say why many processes move: each is written once, behind a 0, and from then
// on as its number, counted from 1.

// text appends a text.
func (w *writer) text(s string) {
	if number, known := w.texts[s]; known {
		w.int(number)
		return
	}
	if w.texts == nil {
		w.texts = make(map[string]int)
	}
	w.texts[s] = len(w.texts) + 1
	w.int(0)
	w.int(len(s))
	w.b = append(w.b, s...)
}

// text takes a text.
func (r *reader) text() string {
	number := r.int()
	switch {
	case number < 0 || number > len(r.texts):
		r.bad, r.b = true, nil
		return ""
	case number > 0:
		return r.texts[number-1]
	}
	s := string(r.take(r.int()))
	r.texts = append(r.texts, s)
	return s
}
