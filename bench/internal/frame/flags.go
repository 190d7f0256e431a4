package frame

import (
	"flag"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Numbers is the value of a flag that takes numbers with commas between them, each in a
// range, into list.
func Numbers(list *[]int, least, most int) flag.Value { return &numbers{list, least, most} }

type numbers struct {
	list        *[]int
	least, most int
}

// String is also called on the zero value, by package flag.
func (n *numbers) String() string {
	if n.list == nil {
		return ""
	}
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(*n.list), "[]"), " ", ",")
}

func (n *numbers) Set(text string) error {
	*n.list = nil
	for item := range strings.SplitSeq(text, ",") {
		x, err := strconv.Atoi(strings.TrimSpace(item))
		if err != nil || x < n.least || x > n.most {
			return fmt.Errorf("%q: expected %s", item, n.expected())
		}
		*n.list = append(*n.list, x)
	}
	return nil
}

func (n *numbers) expected() string {
	if n.most == math.MaxInt {
		return fmt.Sprintf("a number from %d on", n.least)
	}
	return fmt.Sprintf("a number from %d to %d", n.least, n.most)
}
