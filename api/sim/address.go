package sim

import (
	"net/netip"
	"net/url"
	"strings"

	"darkroom/api"
	"darkroom/api/sim/dialect"
)

// checkAddresses refuses a material that nobody could fetch ("Reference URLs
// must be publicly reachable"). Nothing is fetched. Addresses of this service
// itself are good: it reaches its own results.
func (o *request) checkAddresses(base string) *dialect.Refusal {
	single := []struct{ field, value string }{
		{api.FieldImageURL, o.image}, {api.FieldEndImageURL, o.last}, {api.FieldVideoURL, o.video},
	}
	for _, a := range single {
		if a.value != "" && !reachable(a.value, base) {
			return invalid(a.field, "url", "give a publicly reachable http or https address")
		}
	}
	lists := []struct {
		field  string
		values []string
	}{{api.FieldImageFiles, o.images}, {api.FieldVideoFiles, o.videos}, {api.FieldAudioFiles, o.audios}}
	for _, l := range lists {
		for _, value := range l.values {
			if !reachable(value, base) {
				return invalid(l.field, "url", "give publicly reachable http or https addresses")
			}
		}
	}
	return nil
}

// reachable reports whether an address could be reached by anybody or is of
// the service at base, as far as its text tells.
func reachable(address, base string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil {
		return false
	}
	if own, err := url.Parse(base); err == nil && u.Scheme == own.Scheme && u.Host == own.Host {
		return true
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if ip, err := netip.ParseAddr(host); err == nil {
		ip = ip.Unmap()
		return ip.IsGlobalUnicast() && !ip.IsPrivate()
	}
	return strings.Contains(host, ".") && !strings.HasSuffix(host, ".local") && !strings.HasSuffix(host, ".localhost") &&
		!strings.HasSuffix(host, ".internal")
}
