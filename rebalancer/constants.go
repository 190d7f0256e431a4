package rebalancer

import (
	"fmt"

	"github.com/migbsp/migbsp/rebalancer/internal/params"
)

// Constant is a number that auto decides by, or an ingredient that it has.
type Constant = params.Param

// Constants are all of them; their reasons are in package params.
func Constants() []Constant { return params.Default.List() }

// Scaled is a Spec of the same strategy for which one constant has another value: the
// default times a factor. Times 0 an ingredient is left out. It is for measuring what they
// bring: a Spec's text does not have it.
//
// Errors: there is no such constant.
func (s Spec) Scaled(constant string, factor float64) (Spec, error) {
	set, err := s.tuned.Or().Scaled(constant, factor)
	if err != nil {
		return Spec{}, fmt.Errorf("rebalancer: %w", err)
	}
	s.tuned = set
	return s, nil
}
