package draft

import (
	"strings"
	"time"

	"darkroom/state"
	"darkroom/ui/env"
)

// expiresSoon is how little time a signed link may have left before that is a
// warning.
const expiresSoon = time.Hour

// Links holds what is known about the materials' links: whether everybody can read
// them, as the service has to. No host is asked before the person has agreed,
// once.
type Links struct {
	Allowed bool
	Asking  map[string]bool
	Found   map[string]Link // by address
	// Uploading are paths as they stand in the rows.
	Uploading map[string]bool
}

// Link is the answer at an address.
type Link struct {
	state.Link
	Why string // why the service cannot use it; "" when it can
}

// Problem is why the service cannot use an address, "" when it can or when that
// is not known.
func (l *Links) Problem(address string) string { return l.Found[address].Why }

// facts describes the answer at an address that is public.
func (l *Links) facts(k *env.Env, address string) []string {
	if l.Uploading[address] {
		return []string{k.Say("uploading …")}
	}
	if l.Asking[address] {
		return []string{k.Say("checking …")}
	}
	found, known := l.Found[address]
	if !known || found.Why != "" {
		return nil
	}
	var out []string
	if found.Type != "" {
		_, name, _ := strings.Cut(found.Type, "/")
		out = append(out, name)
	}
	if found.Bytes > 0 {
		out = append(out, fileSize(k, found.Bytes))
	}
	return append(out, k.Say("public")+" ✓")
}

// fileSize writes a length as people read it.
func fileSize(k *env.Env, n int64) string {
	if n < 1e6 {
		return k.Say("%d KB", (n+999)/1000)
	}
	return k.Say("%.1f MB", float64(n)/1e6)
}
