//go:build !crashtest

package crash

// crashAt does nothing but in a binary built to be broken by tests.
func crashAt(string) {}
