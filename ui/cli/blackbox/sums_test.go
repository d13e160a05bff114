//go:build linux

package blackbox

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"testing"
)

// sumOf is the SHA-256 of a file, in hex.
func sumOf(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
