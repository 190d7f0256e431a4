package state

// Identity is the name of the plan's type and a number that is equal for types
// whose images are read the same way.
func (p *Plan) Identity() (name string, layout uint64) { return p.name, p.layout }
