package main

// cyclic deals the indices 0 .. n-1 of one matrix dimension to parts in blocks,
// in turn: block-cyclic, and cyclic with blocks of one.
type cyclic struct{ N, Block, Parts int }

// owner is the part that index g belongs to.
func (c cyclic) owner(g int) int { return g / c.Block % c.Parts }

// local is the index of g within its part.
func (c cyclic) local(g int) int { return g/c.Block/c.Parts*c.Block + g%c.Block }

// global is the index of element l of a part.
func (c cyclic) global(part, l int) int {
	return (l/c.Block*c.Parts+part)*c.Block + l%c.Block
}

// before is the number of indices below g that a part has: the local index of its first one
// from g on.
func (c cyclic) before(part, g int) int {
	blocks := g / c.Block
	own := blocks / c.Parts * c.Block
	switch last := blocks % c.Parts; {
	case last > part:
		return own + c.Block
	case last == part:
		return own + g%c.Block
	default:
		return own
	}
}

// count is how many indices a part has.
func (c cyclic) count(part int) int { return c.before(part, c.N) }

// blocks is the number of blocks, the last of which may be short.
func (c cyclic) blocks() int { return (c.N + c.Block - 1) / c.Block }
