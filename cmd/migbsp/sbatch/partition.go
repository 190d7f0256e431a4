package sbatch

import (
	"errors"
	"strings"
)

// most is how many nodes or tasks a job may ask for.
const most = 1 << 24

// ParseComponents reads partitions between commas, each by its name or as
// PARTITION:NODES:TASKS.
func ParseComponents(text string) ([]Component, error) {
	var parts []Component
	for field := range strings.SplitSeq(text, ",") {
		words := strings.Split(field, ":")
		c := Component{Partition: words[0]}
		err := CheckIdentifier(c.Partition)
		if len(words) == 3 && err == nil {
			if c.Nodes, err = number(words[1], most); err == nil {
				c.Tasks, err = number(words[2], most)
			}
		}
		if err != nil || len(words) != 1 && (len(words) != 3 || c.Nodes == 0 || c.Tasks == 0) {
			return nil, errors.New(quoted(field) + ", expected PARTITION or PARTITION:NODES:TASKS, several between commas")
		}
		parts = append(parts, c)
	}
	return parts, nil
}
