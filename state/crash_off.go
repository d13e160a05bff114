//go:build !crashtest

package state

// crashAt does nothing but in a binary built to be broken by tests.
func crashAt(string) {}
