package main

import (
	"fmt"
	"testing"
)

func BenchmarkBlock(b *testing.B) {
	for _, shape := range [][2]int{{1000, 1000}, {250, 1000}, {1000, 50}, {4000, 8000}} {
		b.Run(fmt.Sprintf("%dx%d", shape[0], shape[1]), func(b *testing.B) {
			s := proteinScoring()
			query, target := generate(max(shape[0], shape[1]), 1, s)
			query, target = query[:shape[0]], target[:shape[1]]
			p := s.profileOf(target)
			above, left := make([]cell, len(target)), make([]cell, len(query))
			right := make([]cell, len(query))
			b.SetBytes(int64(len(query) * len(target)))
			for b.Loop() {
				s.block(query, p, 0, above, left, right, 0, peak{})
			}
		})
	}
}

func BenchmarkRetrace(b *testing.B) {
	const n = 1000
	s := proteinScoring()
	query, target := generate(n, 1, s)
	above, origin := make([]cell, n), make([]byte, n)
	b.SetBytes(n * n)
	for b.Loop() {
		for _, letter := range query {
			s.retraceRow(letter, target, origin, above, nothing, 0)
		}
	}
}
