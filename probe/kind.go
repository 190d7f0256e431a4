package probe

import (
	"io/fs"
	"strings"
)

// Kinds of interfaces that are told apart by files; others have the name that
// the kernel gives their driver.
const (
	kindEthernet   = "ethernet"
	kindInfiniBand = "infiniband"
	kindLoopback   = "loopback"
	kindWireless   = "wireless"
)

// plainDevice is what the kernel says of drivers that are of no kind.
const plainDevice = "device"

// hardware has kinds by the number of the link layer's protocol.
var hardware = map[int64]string{1: kindEthernet, 32: kindInfiniBand, 772: kindLoopback}

// kindOf is the kind of an interface of which Kind is what netlink says, "" if
// it was not asked.
func kindOf(root fs.FS, is *Interface) string {
	if is.Kind != "" && is.Kind != plainDevice {
		return is.Kind
	}
	if is.Loopback {
		return kindLoopback
	}
	if strings.ContainsAny(is.Name, "/") {
		return ""
	}
	dir := "sys/class/net/" + is.Name
	for _, kind := range []string{"bridge", "bonding"} {
		if exists(root, dir+"/"+kind) {
			return kind
		}
	}
	switch {
	case exists(root, dir+"/wireless") || exists(root, dir+"/phy80211"):
		return kindWireless
	case exists(root, dir+"/tun_flags"):
		return "tun"
	}
	number, _ := whole(root, dir+"/type")
	if is.Kind == "" && !exists(root, dir+"/device") {
		return "" // made by software, of a kind that files do not tell
	}
	return hardware[number]
}

// hasLine tells whether what the driver says of its speed is that of a line.
// Drivers of links that are only software name one too, which means nothing.
func hasLine(kind string) bool {
	switch kind {
	case kindEthernet, kindInfiniBand, kindWireless, "bond", "bonding", "team", "vlan", "ipoib":
		return true
	}
	return false
}

func exists(root fs.FS, name string) bool {
	_, err := fs.Stat(root, name)
	return err == nil
}
