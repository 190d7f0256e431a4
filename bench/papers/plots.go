package main

import "fmt"

func luPlot(path string, cells []*cell) error {
	c := &chart{
		title:  "LU decomposition: time saved, by order and processes (simulated, but for what was published)",
		series: []string{"published", "percentage", "auto"},
	}
	for k, one := range cells {
		r := &luPublished[k]
		c.groups = append(c.groups, group{
			name:     fmt.Sprintf("%d\np=%d", r.n, r.p),
			bars:     []float64{1 - r.iii/r.i, one.saved(withAlpha(paperPercent, luAlpha)), one.saved(withAlpha(ours, luAlpha))},
			possible: one.possible(luAlpha),
		})
	}
	return c.write(path)
}

func dpPlot(path string, cells []*cell) error {
	c := &chart{
		title:  "Wavefronts: time saved, by processes and first alpha (simulated, but for what was published)",
		series: []string{"published", "percentage", "auto"},
	}
	for k, r := range dpPublished {
		one := cells[k]
		for a, alpha := range dpAlphas {
			c.groups = append(c.groups, group{
				name:     fmt.Sprintf("p=%d\n%d", r.n, alpha),
				bars:     []float64{1 - r.iii[a]/r.i, one.saved(withAlpha(paperPercent, alpha)), one.saved(withAlpha(ours, alpha))},
				possible: one.possible(alpha),
			})
		}
	}
	return c.write(path)
}

func gridPlot(path string, cells []*cell) error {
	c := &chart{
		title:  "Grid'5000, 100 supersteps: time saved, by mapping and alpha (simulated, but for what was published)",
		series: []string{"better published one", "MigCube", "MigHull", "auto"},
	}
	for k, one := range cells {
		if gridSteps[k%len(gridSteps)] != 100 {
			continue
		}
		cube, hull := gridCell(k)
		for a, alpha := range gridAlphas {
			c.groups = append(c.groups, group{
				name: fmt.Sprintf("%s\n%d", gridPublished[k/len(gridSteps)].mapping, alpha),
				bars: []float64{
					max(1-cube.iii[a]/cube.i, 1-hull.iii[a]/hull.i),
					one.saved(withAlpha(paperCube, alpha)), one.saved(withAlpha(paperHull, alpha)), one.saved(withAlpha(ours, alpha)),
				},
				possible: one.possible(alpha),
			})
		}
	}
	return c.write(path)
}
