package ledger_test

import (
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	. "github.com/migbsp/migbsp/ledger"
)

// Every field of a sum is the sum of that field, but for those that are listed here.
func TestStepsAddUp(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 8))
	for range 100 {
		steps := make([]Step, 1+random.IntN(5))
		for i := range steps {
			fill(random, reflect.ValueOf(&steps[i]).Elem())
			if random.IntN(2) == 0 {
				steps[i].Count = 1
			}
		}
		sum := Step{Site: "kept", Work: make([]time.Duration, 3)}
		longest, last := &steps[0], 0
		for i := range steps {
			sum.Add(&steps[i])
			last = max(last, steps[i].Last)
			if steps[i].LongestOfOne() > longest.LongestOfOne() {
				longest = &steps[i]
			}
		}
		other := map[string]any{
			"First": steps[0].First, "At": steps[0].At, "Last": last, "Site": "kept", "Ranks": steps[len(steps)-1].Ranks,
			"Longest": longest.LongestOfOne(), "SlowestRank": longest.SlowestRank, "Slowest": longest.Slowest, "SlowestWork": longest.SlowestWork,
		}
		got := reflect.ValueOf(sum)
		for i := range got.NumField() {
			name := got.Type().Field(i).Name
			want, listed := other[name]
			if !listed {
				all := reflect.ValueOf(&Step{Work: make([]time.Duration, 3)}).Elem().Field(i)
				for k := range steps {
					addTo(all, reflect.ValueOf(&steps[k]).Elem().Field(i))
				}
				want = all.Interface()
			}
			if !reflect.DeepEqual(got.Field(i).Interface(), want) {
				t.Errorf("%s of the sum is %v, want %v, of %+v", name, got.Field(i), want, steps)
			}
		}
	}
}

// fill sets all that a value consists of to numbers above 0.
func fill(random *rand.Rand, v reflect.Value) {
	switch {
	case v.CanInt():
		v.SetInt(1 + random.Int64N(1000))
	case v.Kind() == reflect.String:
		v.SetString("somewhere")
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			fill(random, v.Field(i))
		}
	case v.Kind() == reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 3, 3))
		fallthrough
	default:
		for i := range v.Len() {
			fill(random, v.Index(i))
		}
	}
}

// addTo adds x to sum, number by number.
func addTo(sum, x reflect.Value) {
	if sum.CanInt() {
		sum.SetInt(sum.Int() + x.Int())
		return
	}
	for i := range sum.Len() {
		addTo(sum.Index(i), x.Index(i))
	}
}
