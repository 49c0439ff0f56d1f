package platform

// BridgesName is the name of the DaemonSet that makes the host bridges, and of its Role.
const BridgesName = "virtfoundry-bridge-setup"

// BridgeScript makes one bridge and puts it right again for as long as it runs. What the configuration says reaches it
// in variables alone, never as text of the script. It refuses an uplink that carries an address or a route: that would
// cut the node off. It never takes an interface out of what it is part of.
const BridgeScript = `set -eu
refuse() { echo "$1" >&2; exit 1; }
while true; do
  if [ ! -e "/sys/class/net/$BRIDGE" ]; then ip link add name "$BRIDGE" type bridge; fi
  [ -d "/sys/class/net/$BRIDGE/bridge" ] || refuse "$BRIDGE is an interface of this node and no bridge: choose another name"
  ip link set dev "$BRIDGE" up
  if [ -n "$UPLINK" ] && [ "$(basename "$(readlink "/sys/class/net/$UPLINK/master" 2>/dev/null || true)")" != "$BRIDGE" ]; then
    [ -e "/sys/class/net/$UPLINK" ] || refuse "this node has no interface $UPLINK: name one that every node has"
    [ ! -e "/sys/class/net/$UPLINK/master" ] || refuse "$UPLINK is part of another bridge: name another interface"
    [ -z "$(ip -o addr show dev "$UPLINK" scope global)" ] || refuse "$UPLINK carries an address of this node: name a VLAN or a second interface"
    [ -z "$(ip route show dev "$UPLINK")" ] || refuse "$UPLINK carries a route of this node: name a VLAN or a second interface"
    ip link set dev "$UPLINK" master "$BRIDGE"
    ip link set dev "$UPLINK" up
  fi
  if [ -n "$ADDRESS" ]; then ip addr replace "${ADDRESS%.*}.${HOST_IP##*.}/$PREFIX_LENGTH" dev "$BRIDGE"; fi
  sleep "$INTERVAL"
done
`

// DHCPScript serves what its arguments name on the bridge, and names on no port.
const DHCPScript = `set -eu
command -v dnsmasq >/dev/null || { echo "the image of networking.bridge.image has no dnsmasq: name one that has it, or set networking.public.dhcp.enabled to false" >&2; exit 1; }
exec dnsmasq --keep-in-foreground --user=root --port=0 --bind-interfaces --dhcp-leasefile=/run/dnsmasq/leases --pid-file= "$@"
`
