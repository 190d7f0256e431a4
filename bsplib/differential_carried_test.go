package bsplib_test

// A state has no interfaces in it: areas and queues of several types stand in
// structs with one field for each.

type anyArea struct {
	Long   areaOf[int64]
	Byte   areaOf[byte]
	Float  areaOf[float32]
	Triple areaOf[triple]
	Kind   int // which of these it is, from 1; 0 for none
}

func keepArea(r remote) (a anyArea) {
	switch r := r.(type) {
	case areaOf[int64]:
		a.Long, a.Kind = r, 1
	case areaOf[byte]:
		a.Byte, a.Kind = r, 2
	case areaOf[float32]:
		a.Float, a.Kind = r, 3
	case areaOf[triple]:
		a.Triple, a.Kind = r, 4
	}
	return a
}

func (a *anyArea) area() remote {
	return [...]remote{nil, a.Long, a.Byte, a.Float, a.Triple}[a.Kind]
}

type anyQueue struct {
	First  queueOf[int32, byte]
	Second queueOf[triple, int64]
	Third  queueOf[byte, float32]
	Fourth queueOf[int64, triple]
	Words  queueOf[int32, int64]
	Kind   int
}

func keepQueue(m mailbox) (q anyQueue) {
	switch m := m.(type) {
	case queueOf[int32, byte]:
		q.First, q.Kind = m, 1
	case queueOf[triple, int64]:
		q.Second, q.Kind = m, 2
	case queueOf[byte, float32]:
		q.Third, q.Kind = m, 3
	case queueOf[int64, triple]:
		q.Fourth, q.Kind = m, 4
	case queueOf[int32, int64]:
		q.Words, q.Kind = m, 5
	}
	return q
}

func (q *anyQueue) queue() mailbox {
	return [...]mailbox{nil, q.First, q.Second, q.Third, q.Fourth, q.Words}[q.Kind]
}
