package probe

import "testing"

func TestQuickSpeedIsThatOfIndependentSteps(t *testing.T) {
	quick, whole := QuickSpeed(), MeasureSpeed().Independent.PerSecond
	if !(quick > whole/4 && quick < 4*whole) {
		t.Errorf("%g steps per second, and %g when measured with the rest", quick, whole)
	}
}
