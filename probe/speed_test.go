package probe

import "testing"

func TestQuickSpeedIsThatOfIndependentSteps(t *testing.T) {
	quick, whole := QuickSpeed(), MeasureSpeed().Independent.PerSecond
	if !(quick > whole/4 && quick < 4*whole) {
		t.Errorf("%g steps per second, and %g when measured with the rest", quick, whole)
	}
}

func TestRateOf(t *testing.T) {
	got := rateOf([]float64{4, 1, 100, 3, 2, 5, 6, 7})
	if got != (Rate{PerSecond: 5, Spread: (6.0 - 3) / 5}) {
		t.Errorf("got %+v", got)
	}
	if got := rateOf([]float64{7}); got != (Rate{PerSecond: 7}) {
		t.Errorf("one round: %+v", got)
	}
}
