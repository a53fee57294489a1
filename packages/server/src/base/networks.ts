import { BlockList, isIP } from 'node:net'

/** Whether a text is an IP address or a network such as `10.0.0.0/8`. */
export function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const most = isIP(address) === 6 ? 128 : 32
  const hasBits = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most)
  // An address with a zone (`fe80::1%eth0`) means another one on each machine.
  return isIP(address) !== 0 && !address.includes('%') && hasBits && rest.length === 0
}

/**
 * Whether an address is in one of the networks. An IPv4 address counts as the same one when it is written as an address of
 * IPv6 (`::ffff:192.0.2.1`).
 * @param networks texts that {@link isNetwork} accepts
 */
export function isWithin(address: string, networks: readonly string[]): boolean {
  const version = isIP(address)
  if (version === 0) return false
  const list = new BlockList()
  for (const network of networks) {
    const [start = '', bits] = network.split('/')
    const family = isIP(start) === 6 ? 'ipv6' : 'ipv4'
    if (bits === undefined) list.addAddress(start, family)
    else list.addSubnet(start, Number(bits), family)
  }
  return list.check(address, version === 6 ? 'ipv6' : 'ipv4')
}
