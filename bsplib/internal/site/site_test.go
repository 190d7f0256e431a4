package site

import "testing"

func TestFramePointersLeadToTheCaller(t *testing.T) {
	if hasSecondCaller && !framesWork {
		t.Error("following frame pointers does not lead to the caller: every Sync walks the stack")
	}
}
