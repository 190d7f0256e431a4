package main

import (
	"testing"

	"github.com/migbsp/migbsp/apps/sw/cells"
)

func BenchmarkRetrace(b *testing.B) {
	const n = 1000
	s := proteinScoring()
	query, target := generate(n, 1, s)
	above, origin := make([]cells.Cell, n), make([]byte, n)
	b.SetBytes(n * n)
	for b.Loop() {
		for _, letter := range query {
			s.retraceRow(letter, target, origin, above, cells.Nothing, 0)
		}
	}
}
