package main

import "math/rand/v2"

// generate makes a pair of sequences of n letters: the middle half of the query is a copy
// of the target's with some changes; all else is random.
func generate(n int, seed uint64, s *scoring) (query, target []byte) {
	r := rand.New(rand.NewPCG(seed, 0))
	kinds := 20
	if s.letters == dnaLetters {
		kinds = 4
	}
	letter := func() byte { return byte(r.IntN(kinds)) }
	target = make([]byte, n)
	for i := range target {
		target[i] = letter()
	}
	for range n / 4 {
		query = append(query, letter())
	}
	query = append(query, change(target[n/4:n-n/4], r, letter)...)
	for len(query) < n {
		query = append(query, letter())
	}
	return query[:n], target
}

// change copies a sequence. Of 100 letters it changes 15, and at two positions each it removes or
// inserts some.
func change(from []byte, r *rand.Rand, letter func() byte) []byte {
	var to []byte
	for i := 0; i < len(from); i++ {
		switch x := r.IntN(100); {
		case x < 15:
			to = append(to, letter())
		case x < 17:
			i += r.IntN(6)
		case x < 19:
			for range 1 + r.IntN(6) {
				to = append(to, letter())
			}
			to = append(to, from[i])
		default:
			to = append(to, from[i])
		}
	}
	return to
}
