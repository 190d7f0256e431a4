package hostfile

import (
	"slices"
	"strings"
)

// vertex is a switch or a block.
type vertex struct {
	name  token
	nodes []pattern
	named []pattern // switches below it, by name
	below []*vertex
	above bool // there is a switch above it
	state int  // of the search for loops: 0 before, 1 within, 2 after
}

// connect finds the switches that Switches= names.
func (t *topology) connect() {
	for _, v := range t.vertices {
		for _, one := range v.named {
			t.p.each(one, func(name string) {
				child := t.byName[strings.ToLower(name)]
				if child == nil {
					t.p.fail(one.from.problem(0, "switch "+quote(name), "one that a line SwitchName= names"))
					return
				}
				child.above = true
				v.below = append(v.below, child)
			})
		}
	}
	for _, v := range t.vertices {
		t.checkLoops(v)
	}
}

// checkLoops fails for a switch that is below itself.
func (t *topology) checkLoops(v *vertex) {
	switch v.state {
	case 1:
		t.p.fail(v.name.problem(0, "switch "+quote(v.name.text)+" below itself", "a tree of switches"))
	case 0:
		v.state = 1
		for _, child := range v.below {
			t.checkLoops(child)
		}
		v.state = 2
	}
}

// sets returns the switches of the highest level at which nodes are below different
// switches, else the switches that have nodes.
func (t *topology) sets() []*vertex {
	var level []*vertex
	for _, v := range t.vertices {
		if !v.above {
			level = append(level, v)
		}
	}
	for {
		level = slices.DeleteFunc(level, func(v *vertex) bool { return len(v.leaves()) == 0 })
		if len(level) > 1 && apart(level) {
			return level
		}
		next, deeper := t.under(level)
		if !deeper {
			return next
		}
		level = next
	}
}

// under returns the level below. Switches without others below them stay.
func (t *topology) under(level []*vertex) (next []*vertex, deeper bool) {
	wanted := map[*vertex]bool{}
	for _, v := range level {
		if len(v.below) == 0 || len(v.nodes) > 0 {
			wanted[v] = true
			continue
		}
		deeper = true
		for _, child := range v.below {
			wanted[child] = true
		}
	}
	for _, v := range t.vertices {
		if wanted[v] {
			next = append(next, v)
		}
	}
	return next, deeper
}

// apart reports whether no switch with nodes is below two of the level.
func apart(level []*vertex) bool {
	seen := map[*vertex]bool{}
	for _, v := range level {
		for _, leaf := range v.leaves() {
			if seen[leaf] {
				return false
			}
			seen[leaf] = true
		}
	}
	return true
}

// leaves returns the switches with nodes that are below a switch, or it itself.
func (v *vertex) leaves() []*vertex {
	var leaves []*vertex
	seen := map[*vertex]bool{v: true}
	for queue := []*vertex{v}; len(queue) > 0; queue = queue[1:] {
		one := queue[0]
		if len(one.nodes) > 0 {
			leaves = append(leaves, one)
		}
		for _, child := range one.below {
			if !seen[child] {
				seen[child] = true
				queue = append(queue, child)
			}
		}
	}
	return leaves
}

// hosts returns all nodes below a switch.
func (v *vertex) hosts() []pattern {
	var hosts []pattern
	for _, leaf := range v.leaves() {
		hosts = append(hosts, leaf.nodes...)
	}
	return hosts
}
