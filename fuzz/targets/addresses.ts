import assert from 'node:assert/strict'
import { BlockList, isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { isPublicAddress } from '../../packages/server/src/outgoing/public-address.ts'
import { hostOf, portOf, RefusedAddress, TargetRules } from '../../packages/server/src/outgoing/target.ts'
import { textTarget, words } from '../target.ts'

/** A list for Node's own check, written independently of the service. */
const closed = {
  ipv4: '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.168.0.0/16 198.18.0.0/15 224.0.0.0/3',
  ipv6: '::/3 fc00::/7 fe80::/9 ff00::/8 2002::/16 2001::/32 2001:db8::/32',
}
const lists = Object.entries(closed).map(([family, networks]) => {
  const list = new BlockList()
  for (const network of networks.split(' ')) {
    const [address = '', bits] = network.split('/')
    list.addSubnet(address, Number(bits), family as 'ipv4' | 'ipv6')
  }
  return list
})

const rules = new TargetRules('https://tickwright.example', ['127.0.0.1:8080'])

/** For any spelling of an address, a request goes only to an address that two other checks call public. */
export default textTarget({
  seeds: [
    ...words('example.com 8.8.8.8:8443 127.1 0x7f.0.0.1 2130706433 017700000001 [::1] [::ffff:10.0.0.1]'),
    ...words(
      '[64:ff9b::7f00:1] [2606:4700::1111] [fe80::1%25eth0] localhost. a.internal 1.1.1.1. user@8.8.8.8',
    ),
    ...words('127.0.0.1:8080 tickwright.example ①②⑦.0.0.1 [2002:7f00:1::] 169.254.169.254 8.8.8.8:22'),
  ],
  words: [
    '0x',
    '.',
    '::',
    'ffff:',
    '%',
    '@',
    '\\',
    '/',
    '#',
    '?',
    '。',
    '％',
    '127',
    '10.',
    '192.168.',
    '[',
    ']',
    '2001:',
    'localhost',
    '0177',
  ],
  byteLimit: 120,
  libraries: ['ipaddr.js'],
  check: (text) => {
    for (const url of [URL.parse(`http://${text}/`), URL.parse(`https:${text}`), URL.parse(text)]) {
      if (url === null || !/^https?:$/.test(url.protocol)) continue
      try {
        const target = rules.check(url)
        if (target.trusted) assert.match(url.host, /^(127\.0\.0\.1:8080|tickwright\.example)$/)
        else judged(url)
      } catch (error) {
        if (!(error instanceof RefusedAddress)) throw error
      }
    }
    if (isIP(text) !== 0 && isPublicAddress(text)) judgedPublic(text)
  },
})

function judged(url: URL): void {
  const host = hostOf(url)
  assert.equal(url.username + url.password, '')
  const port = portOf(url)
  assert.ok(port === 80 || port === 443 || port >= 1024)
  if (isIP(host) !== 0) judgedPublic(host)
  else assert.doesNotMatch(host, /^\[|(^|\.)(localhost|local|internal)?\.*$/i)
}

function judgedPublic(address: string): void {
  // A list of IPv6 networks would also match IPv4 addresses, as mapped ones.
  const isClosed = isIP(address) === 6 ? lists[1]!.check(address, 'ipv6') : lists[0]!.check(address)
  assert.equal(isClosed, false, address)
  assert.equal(ipaddr.process(address).range(), 'unicast', address)
}
