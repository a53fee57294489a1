import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isPublicAddress } from './public-address.ts'

/** The first and the last address of each range, and the neighbours outside of it that are public. */
const closed: Record<string, string[]> = {
  'this host': ['0.0.0.0', '0.255.255.255'],
  private: ['10.0.0.0', '10.255.255.255', '172.16.0.0', '172.31.255.255', '192.168.0.0', '192.168.255.255'],
  'carrier-grade NAT': ['100.64.0.0', '100.127.255.255', '100.100.100.200'],
  loopback: ['127.0.0.0', '127.0.0.1', '127.255.255.255'],
  'link-local, and metadata of clouds': ['169.254.0.0', '169.254.169.254', '169.254.255.255'],
  'other metadata': ['168.63.129.16', '192.0.0.192', 'fd00:ec2::254', 'fd20:ce::254'],
  'protocol assignments': ['192.0.0.0', '192.0.0.255'],
  documentation: ['192.0.2.1', '198.51.100.1', '203.0.113.255', '2001:db8::1', '3fff::1', '3fff:fff:ffff::1'],
  'AS112 and AMT': ['192.31.196.1', '192.52.193.1', '192.175.48.1', '2620:4f:8000::1'],
  '6to4': ['192.88.99.1', '2002::1', '2002:7f00:1::', '2002:a9fe:a9fe::', '2002:ffff:ffff::'],
  benchmarks: ['198.18.0.0', '198.19.255.255', '2001:2::1'],
  multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1', 'ff0e::1'],
  'reserved, and broadcast': ['240.0.0.1', '255.255.255.254', '255.255.255.255'],
  'unspecified and loopback': ['::', '::1'],
  'IPv4-compatible': ['::7f00:1', '::127.0.0.1', '::8.8.8.8'],
  'IPv4-mapped': ['::ffff:7f00:1', '::ffff:127.0.0.1', '::ffff:8.8.8.8', '0:0:0:0:0:ffff:0a00:0001'],
  'IPv4-translated': ['::ffff:0:7f00:1', '::ffff:0:127.0.0.1'],
  NAT64: ['64:ff9b::7f00:1', '64:ff9b::8.8.8.8', '64:ff9b:1::a00:1', '64:ff9b:1:fffe::1'],
  'discard, and dummy prefix': ['100::1', '100:0:0:1::1'],
  'Teredo, ORCHID': ['2001::1', '2001:0:7f00:1::', '2001:10::1', '2001:20::1', '2001:1ff:ffff::1'],
  'unique local': ['fc00::1', 'fd00::1', 'fdff:ffff::1'],
  'IPv6 link-local and site-local': ['fe80::1', 'febf::1', 'fec0::1'],
  'segment routing, and never assigned': ['5f00::1', '4000::1', '8000::1', '1fff:ffff::1', 'e000::1'],
  'with a zone': ['fe80::1%eth0', '::1%lo', '2606:4700::1111%1'],
  'short, octal, hex and whole forms': ['127.1', '0177.0.0.1', '0x7f.1', '2130706433', '0', '0x7f000001'],
  'no address': ['', 'localhost', '256.1.1.1', '1.2.3.4.5', '[::1]', 'dns.google', '1.1.1.1 ', ':::'],
}

const open = [
  ...['1.1.1.1', '8.8.8.8', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255'],
  ...['128.0.0.0', '168.63.129.15', '168.63.129.17', '169.253.255.255', '169.255.0.0', '172.15.255.255'],
  ...['172.32.0.0', '191.255.255.255', '192.0.1.0', '192.0.3.0', '192.167.255.255', '192.169.0.0'],
  ...['198.17.255.255', '198.20.0.0', '223.255.255.255'],
  ...[
    '2000::1',
    '2001:200::1',
    '2001:4860:4860::8888',
    '2001:db7::1',
    '2001:db9::1',
    '2003::1',
    '2606:4700::1111',
  ],
  ...['2620:4f:7fff::1', '2620:4f:8001::1', '2A00:1450::1', '3ffe:ffff::1', '3fff:1000::1'],
]

for (const [range, addresses] of Object.entries(closed)) {
  test(`not public: ${range}`, () => {
    for (const address of addresses) assert.equal(isPublicAddress(address), false, address)
  })
}

test('everything else is public, up to the limits of the ranges', () => {
  for (const address of open) assert.equal(isPublicAddress(address), true, address)
})
