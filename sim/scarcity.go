package sim

// scarcity keeps links in a heap, the one with the least value first, of equal ones
// that which was added first.
type scarcity struct {
	heap    []int32
	at      []int32   // by link, its place in the heap
	value   []float64 // by link
	number  []int32   // by link, the how-manieth it is
	touched []int32   // links whose values are no longer right, each once
	marked  []bool    // by link: it is touched
}

func newScarcity(links int) scarcity {
	return scarcity{at: make([]int32, links), value: make([]float64, links), number: make([]int32, links), marked: make([]bool, links)}
}

func (s *scarcity) clear() { s.heap = s.heap[:0] }

// add adds a link, for order to put it in its place.
func (s *scarcity) add(link int32) {
	s.at[link], s.number[link] = int32(len(s.heap)), int32(len(s.heap))
	s.heap = append(s.heap, link)
}

// order puts all links that were added in their places.
func (s *scarcity) order(value func(link int32) float64) {
	for _, link := range s.heap {
		s.value[link] = value(link)
	}
	for i := len(s.heap)/2 - 1; i >= 0; i-- {
		s.down(int32(i))
	}
}

// least is the first link with its value; there must be one.
func (s *scarcity) least() (value float64, link int32) {
	link = s.heap[0]
	return s.value[link], link
}

// touch notes that a link's value is no longer right.
func (s *scarcity) touch(link int32) {
	if !s.marked[link] {
		s.marked[link] = true
		s.touched = append(s.touched, link)
	}
}

// set gives a touched link its value.
func (s *scarcity) set(link int32, value float64) {
	s.marked[link] = false
	s.value[link] = value
	s.up(s.at[link])
	s.down(s.at[link])
}

// remove takes a touched link out.
func (s *scarcity) remove(link int32) {
	s.marked[link] = false
	at, last := s.at[link], s.heap[len(s.heap)-1]
	s.heap = s.heap[:len(s.heap)-1]
	if last != link {
		s.heap[at], s.at[last] = last, at
		s.up(at)
		s.down(s.at[last])
	}
}

func (s *scarcity) before(a, b int32) bool {
	if s.value[a] != s.value[b] {
		return s.value[a] < s.value[b]
	}
	return s.number[a] < s.number[b]
}

func (s *scarcity) up(i int32) {
	for i > 0 && s.before(s.heap[i], s.heap[(i-1)/2]) {
		s.swap(i, (i-1)/2)
		i = (i - 1) / 2
	}
}

func (s *scarcity) down(i int32) {
	for {
		child := 2*i + 1
		if child+1 < int32(len(s.heap)) && s.before(s.heap[child+1], s.heap[child]) {
			child++
		}
		if child >= int32(len(s.heap)) || !s.before(s.heap[child], s.heap[i]) {
			return
		}
		s.swap(i, child)
		i = child
	}
}

func (s *scarcity) swap(i, j int32) {
	a, b := s.heap[i], s.heap[j]
	s.heap[i], s.heap[j], s.at[a], s.at[b] = b, a, j, i
}
