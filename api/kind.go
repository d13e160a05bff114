// Package api is the generation service in Go: its requests and their rules,
// a client that sends them, and a tolerant reader of its answers. It knows no
// disk and no screen. Sections named in comments are those of the service's
// interface specification.
package api

// Kind says what a request makes: an image or a video.
type Kind string

// The two kinds. The zero Kind means that it is not known, as for a model
// whose listing does not say.
const (
	KindImage Kind = "image"
	KindVideo Kind = "video"
)

// Seedance2 is the id of the one video model the spec lists by name.
const Seedance2 = "seedance2"
