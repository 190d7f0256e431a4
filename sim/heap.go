package sim

// heap keeps things in order: pop gives the first of them.
type heap[T any] struct {
	all    []T
	before func(a, b T) bool
}

func (h *heap[T]) push(x T) {
	h.all = append(h.all, x)
	for i := len(h.all) - 1; i > 0 && h.before(h.all[i], h.all[(i-1)/2]); i = (i - 1) / 2 {
		h.all[i], h.all[(i-1)/2] = h.all[(i-1)/2], h.all[i]
	}
}

// pop takes the first one out; there must be one.
func (h *heap[T]) pop() T {
	first, last := h.all[0], len(h.all)-1
	h.all[0] = h.all[last]
	h.all = h.all[:last]
	for i := 0; ; {
		child := 2*i + 1
		if child+1 < last && h.before(h.all[child+1], h.all[child]) {
			child++
		}
		if child >= last || !h.before(h.all[child], h.all[i]) {
			return first
		}
		h.all[i], h.all[child] = h.all[child], h.all[i]
		i = child
	}
}
