package api

import (
	"net/netip"
	"slices"
	"strings"
)

// Reach is how far away an address is.
type Reach int

// Reaches, the farthest first.
const (
	ReachPublic Reach = iota
	ReachPrivate
	ReachLoopback
	ReachNever // multicast, unspecified, metadata services, reserved
)

// Networks without public hosts that netip has no method for. The single
// addresses are those at which clouds keep a machine's credentials.
// 198.18.0.0/15 is not among them on purpose: local proxies answer every look-up
// with addresses from it. Teredo (2001::/32) hides another address.
var (
	closedNets = prefixes(`0.0.0.0/8 192.0.0.0/24 192.0.2.0/24 198.51.100.0/24 203.0.113.0/24 240.0.0.0/4
		100::/64 2001::/32 2001:db8::/32
		169.254.169.254/32 169.254.170.2/32 169.254.170.23/32 100.100.100.200/32 168.63.129.16/32
		fd00:ec2::254/128 fd00:ec2::23/128 fd20:ce::254/128`)
	sharedNets = prefixes("100.64.0.0/10 fec0::/10") // carriers' NAT, site-local

	// Networks whose addresses end in an IPv4 address (NAT64, IPv4-compatible),
	// and the one that begins with it (6to4).
	endingNets = prefixes("64:ff9b::/96 64:ff9b:1::/48 ::/96")
	sixToFour  = netip.MustParsePrefix("2002::/16")
)

func prefixes(text string) []netip.Prefix {
	var list []netip.Prefix
	for s := range strings.FieldsSeq(text) {
		list = append(list, netip.MustParsePrefix(s))
	}
	return list
}

// ReachOf tells how far away an address is, also one that carries another one
// inside.
func ReachOf(ip netip.Addr) Reach {
	ip = ip.Unmap().WithZone("")
	within := func(nets []netip.Prefix) bool { return withinAny(nets, ip) }
	inside := carried(ip)
	switch {
	case !ip.IsValid(), ip.IsUnspecified(), ip.IsMulticast(), within(closedNets):
		return ReachNever
	case ip.IsLoopback():
		return ReachLoopback
	case inside != ip:
		return ReachOf(inside)
	case ip.IsPrivate(), ip.IsLinkLocalUnicast(), within(sharedNets):
		return ReachPrivate
	}
	return ReachPublic
}

// carried is the IPv4 address that an address has inside, or the address itself.
func carried(ip netip.Addr) netip.Addr {
	b := ip.As16()
	switch {
	case withinAny(endingNets, ip):
		return netip.AddrFrom4([4]byte(b[12:]))
	case sixToFour.Contains(ip):
		return netip.AddrFrom4([4]byte(b[2:6]))
	}
	return ip
}

func withinAny(nets []netip.Prefix, ip netip.Addr) bool {
	return slices.ContainsFunc(nets, func(n netip.Prefix) bool { return n.Contains(ip) })
}
