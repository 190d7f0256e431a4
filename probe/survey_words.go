package probe

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"time"
)

// mostWords bounds what a rank is believed to have to say, in bytes.
const mostWords = 1 << 28

// say sends a value to a rank that hears it.
func (s *surveyor) say(to int, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	if err := s.comm.Send(to, binary.LittleEndian.AppendUint64(nil, uint64(len(text)))); err != nil {
		return err
	}
	return s.comm.Send(to, text)
}

// hear waits for what a rank says, and for as long as it may take to do what it
// is to do first.
func (s *surveyor) hear(from int, value any, what string, limit time.Duration) error {
	s.vigil.await(from, what, limit)
	length := make([]byte, 8)
	if err := s.comm.Recv(from, length); err != nil {
		return err
	}
	n := binary.LittleEndian.Uint64(length)
	if n > mostWords {
		return fmt.Errorf("rank %d announces %d bytes", from, n)
	}
	text := make([]byte, n)
	if err := s.comm.Recv(from, text); err != nil {
		return err
	}
	if err := json.Unmarshal(text, value); err != nil {
		return fmt.Errorf("what rank %d says: %w", from, err)
	}
	return nil
}

// gather brings a value of each rank to rank 0, where it returns them by rank.
// Rank 0 waits for each as long as limit says, the others longer, so that it is
// rank 0 that speaks.
func gather[T any](s *surveyor, mine T, what string, limit time.Duration) ([]T, error) {
	if s.comm.Rank() != 0 {
		s.vigil.await(0, what, 2*limit)
		return nil, s.say(0, mine)
	}
	all := make([]T, s.comm.Size())
	all[0] = mine
	for rank := 1; rank < len(all); rank++ {
		if err := s.hear(rank, &all[rank], what, limit); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// tell gives all ranks rank 0's value.
func tell[T any](s *surveyor, value *T, what string, limit time.Duration) error {
	if s.comm.Rank() != 0 {
		return s.hear(0, value, what, limit)
	}
	for rank := 1; rank < s.comm.Size(); rank++ {
		if err := s.say(rank, value); err != nil {
			return err
		}
	}
	return nil
}
