package api

import (
	"net/netip"
	"testing"
)

func TestReachOf(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]Reach{
		"93.184.216.34": ReachPublic, "2606:2800:220:1::1": ReachPublic, "198.18.0.7": ReachPublic,
		"127.0.0.1": ReachLoopback, "127.9.9.9": ReachLoopback, "::1": ReachLoopback, "::ffff:127.0.0.1": ReachLoopback,
		"64:ff9b::7f00:1": ReachLoopback, "2002:7f00:1::": ReachLoopback, "::127.0.0.1": ReachLoopback,
		"10.0.0.1": ReachPrivate, "172.31.0.1": ReachPrivate, "192.168.1.1": ReachPrivate, "100.64.1.1": ReachPrivate,
		"169.254.1.1": ReachPrivate, "fe80::1%eth0": ReachPrivate, "fd12::1": ReachPrivate, "64:ff9b::a00:1": ReachPrivate,
		"0.0.0.0": ReachNever, "::": ReachNever, "224.0.0.1": ReachNever, "ff02::1": ReachNever, "255.255.255.255": ReachNever,
		"169.254.169.254": ReachNever, "::ffff:169.254.169.254": ReachNever, "100.100.100.200": ReachNever,
		"fd00:ec2::254": ReachNever, "64:ff9b::a9fe:a9fe": ReachNever, "2001::1": ReachNever, "192.0.2.1": ReachNever,
	} {
		if got := ReachOf(netip.MustParseAddr(address)); got != want {
			t.Errorf("%s: got %d, want %d", address, got, want)
		}
	}
}
