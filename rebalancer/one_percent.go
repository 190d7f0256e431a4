package rebalancer

import "fmt"

var oneDefinition = potentialDefinition("one", "MigBSP: the process with the largest potential of migration", "jMigBSP dissertation, 5; irregular DP",
	func(_ map[string]float64, list []candidate) ([]bool, string) {
		chosen := make([]bool, len(list))
		chosen[0] = true
		return chosen, "only the largest is"
	})

var percentDefinition = potentialDefinition("percent", "MigBSP: all processes near the largest potential of migration", "LU on clusters of clusters, 4; irregular DP",
	func(values map[string]float64, list []candidate) ([]bool, string) {
		x := values["x"]
		chosen := make([]bool, len(list))
		for i, c := range list {
			chosen[i] = c.pm >= x*list[0].pm
		}
		return chosen, fmt.Sprintf("it is below %.3g of the largest, %.3g s", x, list[0].pm)
	}, Parameter{"x", 0.8, 0, 1, "part of the largest potential from which on processes are candidates"})
