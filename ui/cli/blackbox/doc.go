// Package blackbox breaks darkroom on purpose. It has only tests: the built
// binary, as a command and in a pseudo terminal, against the built-in service
// with faults, kills at chosen moments, full disks and read-only homes. The
// quick forms run in 'go test ./...'; -long runs the full numbers.
package blackbox
