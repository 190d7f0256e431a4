package rebalancer

import (
	"slices"
	"testing"
)

// chosenBy is which pids of a list are candidates.
func chosenBy(name string, list []*Process, values map[string]float64) []int {
	var pids []int
	for _, d := range Definitions() {
		if s, ok := d.New(values).(potentialStrategy); ok && d.Name == name {
			chosen, _ := s.choose(values, list)
			for i, c := range list {
				if chosen(i) {
					pids = append(pids, c.Pid)
				}
			}
		}
	}
	slices.Sort(pids)
	return pids
}

// cloud returns potentials of processes whose pids count from 0.
func cloud(points ...[3]float64) []*Process {
	v := View{Platform: &Platform{Sets: []Set{{}}}, Snapshot: new(Snapshot)}
	for pid, at := range points {
		v.Snapshot.Processes = append(v.Snapshot.Processes, Process{Pid: pid, Best: Potential{Comp: at[0], Comm: at[1], Mem: at[2]}})
	}
	return (&trial{v: v}).candidates()
}

// Equations 3.1 to 3.3 and algorithm 1: distances 1, 1 and 4 give a cube of half
// edge 2 around the largest; its faces are part of it.
func TestMigCube(t *testing.T) {
	list := cloud([3]float64{10, 0, 0}, [3]float64{9, 0, 0}, [3]float64{9, 0, 0}, [3]float64{6, 0, 0})
	if half := cubeHalfEdge(list); half != 2 {
		t.Errorf("half edge %g, want 2", half)
	}
	for _, c := range []struct {
		name string
		list []*Process
		want []int
	}{
		{"one far away", list, []int{0, 1, 2}},
		{"all at the mean distance", cloud([3]float64{1, 0, 0}, [3]float64{0.9, 0, 0}, [3]float64{0.9, 0, 0}, [3]float64{0.9, 0, 0}), []int{0, 1, 2, 3}},
		{"a single one", cloud([3]float64{1, 0, 0}), []int{0}},
		{"in a corner of the cube", cloud([3]float64{9, 9, 0}, [3]float64{8, 8, 0}, [3]float64{4, 9, 0}, [3]float64{9, 8.9, 0}), []int{0, 1, 3}},
		{"two", cloud([3]float64{9, 0, 0}, [3]float64{1, 0, 0}), []int{0, 1}},
	} {
		if got := chosenBy("migcube", c.list, nil); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// Equation 3.4 and algorithms 2 and 3: the two largest always; the others if
// they are near the segment in all three planes.
func TestMigHull(t *testing.T) {
	line := [][3]float64{{10, 0, 0}, {6, 3, 0}}
	for _, c := range []struct {
		name  string
		other [][3]float64
		want  []int
	}{
		{"alone", nil, []int{0, 1}},
		{"on the segment", [][3]float64{{8, 0.5, 0}}, []int{0, 1, 2}},
		{"below the line as above it", [][3]float64{{7, 1, 0}, {7.5, 1.4, 0}, {0, 0.2, 0}}, []int{0, 1, 2, 3}},
		{"far in the first plane only", [][3]float64{{1, 0.1, 0}, {8, 0.9, 0}, {7.9, 0.8, 0}, {7.8, 0.8, 0}}, []int{0, 1, 3, 4, 5}},
	} {
		if got := chosenBy("mighull", cloud(append(slices.Clone(line), c.other...)...), nil); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
