package sim

// LU is the decomposition of a square matrix. Process (s, t) of a grid of M x N has the
// elements (i, j) with i = s mod M and j = t mod N. Each of the Size stages is two
// supersteps: in the first the owners of column k divide it and send it along their rows,
// and the owners of row k send the row along their columns; in the second all update the
// rest. One superstep before passes the first pivot on.
type LU struct {
	Size    int     // of the matrix
	M, N    int     // grid of processes
	Flops   float64 // operations for each element that is updated
	Element float64 // bytes
	Even    bool    // all processes update equally much: the mean of their parts
}

// Processes implements Workload, as do the other exported methods.
func (l *LU) Processes() int { return l.M * l.N }
func (l *LU) Steps() int     { return 2*l.Size + 1 }

// State returns the bytes of a process's part of the matrix.
func (l *LU) State(pid int) float64 {
	return float64(owned(l.Size, l.M, pid/l.N, 0)*owned(l.Size, l.N, pid%l.N, 0)) * l.Element
}

// owned counts the numbers from first to below n that are equal to part modulo parts.
func owned(n, parts, part, first int) int {
	before := func(n int) int { return (n - part + parts - 1) / parts }
	return max(0, before(n)) - max(0, before(first))
}

func (l *LU) Fill(step int, s *Step) error {
	if step == 0 {
		s.Site = "first pivot"
		l.passPivot(0, s)
		return nil
	}
	k := (step - 1) / 2
	if step%2 == 1 {
		s.Site = "divide"
		l.divide(k, s)
		return nil
	}
	s.Site = "update"
	for pid := range s.Work {
		s.Work[pid] = l.rows(pid/l.N, k+1) * l.columns(pid%l.N, k+1) * l.Flops
	}
	if k+1 < l.Size {
		l.passPivot(k+1, s)
	}
	return nil
}

// rows and columns return the number of rows or columns, from first on, of a row or column of
// processes.
func (l *LU) rows(row, first int) float64       { return l.part(l.M, row, first) }
func (l *LU) columns(column, first int) float64 { return l.part(l.N, column, first) }

func (l *LU) part(parts, part, first int) float64 {
	if l.Even {
		return float64(l.Size-first) / float64(parts)
	}
	return float64(owned(l.Size, parts, part, first))
}

// passPivot sends a pivot to the processes with the rest of its column.
func (l *LU) passPivot(k int, s *Step) {
	from := k%l.M*l.N + k%l.N
	for row := range l.M {
		if to := row*l.N + k%l.N; to != from && owned(l.Size, l.M, row, k+1) > 0 {
			s.Messages = append(s.Messages, Message{From: int32(from), To: int32(to), Bytes: l.Element})
		}
	}
}

// divide computes column k and sends it and row k to where they are needed.
func (l *LU) divide(k int, s *Step) {
	for row := range l.M {
		from := row*l.N + k%l.N
		elements := owned(l.Size, l.M, row, k+1)
		s.Work[from] = l.rows(row, k+1) * l.Flops
		for column := range l.N {
			if column != k%l.N && elements > 0 && owned(l.Size, l.N, column, k+1) > 0 {
				s.Messages = append(s.Messages, Message{From: int32(from), To: int32(row*l.N + column), Bytes: float64(elements) * l.Element})
			}
		}
	}
	for column := range l.N {
		from := k%l.M*l.N + column
		elements := owned(l.Size, l.N, column, k+1)
		for row := range l.M {
			if row != k%l.M && elements > 0 && owned(l.Size, l.M, row, k+1) > 0 {
				s.Messages = append(s.Messages, Message{From: int32(from), To: int32(row*l.N + column), Bytes: float64(elements) * l.Element})
			}
		}
	}
}
