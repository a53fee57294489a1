import ipaddr from 'ipaddr.js'

/**
 * IPv4 addresses that are not public: the special-purpose registry of IANA (RFC 6890 and later additions), multicast,
 * and the address of one cloud's own services. The other metadata addresses, such as 169.254.169.254 and
 * 100.100.100.200, are within these ranges.
 */
const closedIpv4 = ranges([
  '0.0.0.0/8', // this host
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT
  '127.0.0.0/8', // loopback
  '168.63.129.16/32', // Azure's services, in all of its networks
  '169.254.0.0/16', // link-local
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // automatic multicast tunnels
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and broadcast
])

/**
 * The only block from which public IPv6 addresses are assigned. Loopback, private, link-local and multicast addresses
 * are outside of it, and so is every form that contains an IPv4 address: mapped, compatible, translated, NAT64.
 */
const openIpv6 = ranges(['2000::/3'])

/** The exceptions within it, by the special-purpose registry of IANA. */
const closedIpv6 = ranges([
  '2001::/23', // protocol assignments: Teredo, benchmarks, ORCHID
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4: contains an IPv4 address
  '2620:4f:8000::/48', // AS112
  '3fff::/20', // documentation
])

/**
 * Whether `address` is an address of the public Internet. An invalid address is not public. An address with a zone is
 * not public either, since it is local to this machine.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.parse(address)
  if (parsed.kind() === 'ipv4') return !isIn(closedIpv4, parsed)
  if (address.includes('%')) return false
  return isIn(openIpv6, parsed) && !isIn(closedIpv6, parsed)
}

type Address = ReturnType<typeof ipaddr.parse>
type Range = ReturnType<typeof ipaddr.parseCIDR>

function ranges(texts: string[]): Range[] {
  return texts.map((text) => ipaddr.parseCIDR(text))
}

function isIn(of: Range[], address: Address): boolean {
  return of.some(([base, bits]) => address.match(base, bits))
}
