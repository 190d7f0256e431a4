package kernel

import "testing"

func TestNumbers(t *testing.T) {
	for list, want := range map[string]int{
		"0": 1, "0-3": 4, "0-1,4,8-9": 5, " 2 , 3": 2,
		"": 0, "x": 0, "3-1": 0, "-1": 0, "1-": 0, "0-99999999999": 0, "3,1": 0, "0-4,4": 0,
	} {
		if got := Numbers(list); len(got) != want {
			t.Errorf("%q: %v, want %d numbers", list, got, want)
		}
	}
}

func FuzzNumbers(f *testing.F) {
	f.Add("0-3,8")
	f.Add("0-1048575,7")
	f.Add(" 1 ,2-,x")
	f.Fuzz(func(t *testing.T, list string) {
		all := Numbers(list)
		if len(all) > maxCores {
			t.Errorf("%q: %d numbers", list, len(all))
		}
		for i := 1; i < len(all); i++ {
			if all[i] <= all[i-1] {
				t.Fatalf("%q: %d after %d", list, all[i], all[i-1])
			}
		}
	})
}
