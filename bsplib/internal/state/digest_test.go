package state

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Any single bit that changes, anywhere, changes the digest.
func TestDigestBits(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, sizes := range [][]int{{0}, {1}, {7}, {8}, {9}, {63}, {64}, {65}, {255}, {256}, {257}, {600, 512}, {200, 64}, {3, 0, 130, 1}} {
		image := Image{Skeleton: randomBytes(r, sizes[0])}
		for _, n := range sizes[1:] {
			image.Spans = append(image.Spans, randomBytes(r, n))
		}
		seen := map[uint64]bool{Digest(image): true}
		bits := 0
		for _, piece := range append([][]byte{image.Skeleton}, image.Spans...) {
			for i := range 8 * len(piece) {
				piece[i/8] ^= 1 << (i % 8)
				seen[Digest(image)] = true
				piece[i/8] ^= 1 << (i % 8)
				bits++
			}
		}
		if len(seen) != bits+1 {
			t.Errorf("%v: %d digests of %d images", sizes, len(seen), bits+1)
		}
	}
}

func randomBytes(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// Two bits that change do not hide one another.
func TestDigestPairs(t *testing.T) {
	b := make([]byte, 320)
	image := Image{Skeleton: b}
	seen, n := map[uint64]bool{}, 0
	for i := range 8 * len(b) {
		for k := i + 1; k < 8*len(b); k += 1 + i%7 {
			b[i/8] ^= 1 << (i % 8)
			b[k/8] ^= 1 << (k % 8)
			seen[Digest(image)] = true
			b[i/8] ^= 1 << (i % 8)
			b[k/8] ^= 1 << (k % 8)
			n++
		}
	}
	if len(seen) != n {
		t.Errorf("%d digests of %d images", len(seen), n)
	}
}

// Where a span begins counts, so do empty spans, zeros and the order.
func TestDigestPieces(t *testing.T) {
	a, b := []byte("skeleton"), []byte("spans")
	images := []Image{
		{}, {Spans: [][]byte{{}}}, {Spans: [][]byte{{}, {}}}, {Skeleton: make([]byte, 1)}, {Skeleton: make([]byte, 8)},
		{Skeleton: make([]byte, 64)}, {Skeleton: a}, {Spans: [][]byte{a}}, {a, [][]byte{b}}, {b, [][]byte{a}},
		{Skeleton: []byte("skeletonspans")}, {a, [][]byte{b[:2], b[2:]}}, {a, [][]byte{b[2:], b[:2]}},
	}
	seen := map[uint64]int{}
	for i, image := range images {
		if k, ok := seen[Digest(image)]; ok {
			t.Errorf("images %d and %d have the same digest", i, k)
		}
		seen[Digest(image)] = i
	}
}

// A digest is the same in every process, today and tomorrow: it is kept in
// checkpoints.
func TestDigestValue(t *testing.T) {
	b := make([]byte, 1000)
	for i := range b {
		b[i] = byte(i * i)
	}
	if got := Digest(Image{b[:77], [][]byte{b, b[:5]}}); got != 0xc2b44b51b2f3c07a {
		t.Errorf("the digest is %#x", got)
	}
}

// The sum of a span does not depend on its division into pieces, if these end between lines.
func TestDigestOfPieces(t *testing.T) {
	b := randomBytes(rand.New(rand.NewPCG(5, 6)), 5*DigestLine+99)
	want := Sum(b)
	for _, n := range []int{DigestLine, 2 * DigestLine, 3 * DigestLine, 8 * DigestLine} {
		var d spanDigest
		for piece := range slices.Chunk(b, n) {
			d.add(piece)
		}
		if got := d.sum(); got != want {
			t.Errorf("in pieces of %d: %#x, want %#x", n, got, want)
		}
	}
}

// Mixing lines eight words at a time has the same result as word by word.
func TestDigestLines(t *testing.T) {
	if !hasMixLines {
		t.Skip("this processor does not multiply eight words at a time")
	}
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{64, 256, 300, 512, 1000, digestBlock, digestBlock + 256, 1 << 16, 1<<16 + 512} {
		b := randomBytes(r, n+8)[n%8:][:n]
		var fast, plain digestLanes
		for i := range fast {
			fast[i] = r.Uint64()
		}
		plain = fast
		left, rest := digestLines(&fast, b), digestLinesPlain(&plain, b)
		if fast != plain || len(left) != len(rest) {
			t.Errorf("%d bytes: %x, want %x; %d bytes are left, want %d", n, fast, plain, len(left), len(rest))
		}
	}
}
