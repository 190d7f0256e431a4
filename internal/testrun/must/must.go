// Package must ends tests at errors of what they prepare, so that tests need no words for
// errors that they are not about.
package must

import "testing"

// Do ends the test if there is an error.
func Do(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Get returns what a call returns, or ends the test if that has failed:
//
//	text := must.Get(os.ReadFile(name))(t)
func Get[T any](value T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		Do(t, err)
		return value
	}
}
