import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startWatchedServer } from '../../test/watched-server.ts'
import { OutgoingHttp } from './outgoing-http.ts'
import { noPublicAddress } from './target.ts'

/** Spellings of addresses of this machine or its network. A server listens on `PORT`. */
const spellings: Record<string, string[]> = {
  'dotted decimal': [
    ...['127.0.0.1', '127.0.0.2', '127.1.2.3', '127.255.255.254', '0.0.0.0', '10.0.0.1', '10.255.255.255'],
    ...['172.16.0.1', '172.31.255.255', '192.168.0.1', '192.168.1.1', '169.254.169.254', '169.254.170.2'],
    ...['100.64.0.1', '100.100.100.200', '168.63.129.16', '192.0.0.192', '198.18.0.1', '192.0.2.1'],
    ...['198.51.100.7', '203.0.113.9', '224.0.0.1', '239.255.255.250', '240.0.0.1', '255.255.255.255'],
  ],
  'short forms': [
    '127.1',
    '127.0.1',
    '0',
    '0.0',
    '10.1',
    '192.168.1',
    '172.16.1',
    '169.254.43518',
    '127.65530',
  ],
  decimal: ['2130706433', '2130706434', '3232235521', '167772161', '2886729729', '2852039166', '4294967295'],
  octal: [
    ...['0177.0.0.1', '0177.1', '017700000001', '00000000177.0.0.1', '0177.0000.0000.0001', '0300.0250.0.1'],
    ...['012.0.0.1', '0251.0376.0251.0376', '025177524776'],
  ],
  hex: [
    ...['0x7f.0.0.1', '0x7f.1', '0x7f000001', '0X7F000001', '0x7F.0x0.0x0.0x1', '0x0', '0xa9fea9fe'],
    ...['0xA9.0xFE.0xA9.0xFE', '0xc0a80001', '0xa.0.0.1', '0x00000000007f000001'],
  ],
  'mixed bases': ['0x7f.0.0.01', '127.0x0.0.1', '0177.0x0.1', '169.0xfe.0251.254', '192.0xa8.1', '0x.0x.0'],
  'trailing dots': ['127.0.0.1.', '2130706433.', '0x7f.1.', 'localhost.', 'a.localhost.', '10.0.0.1.', '0.'],
  'too large to be an address': [
    '127.0.0.256',
    '256.0.0.1',
    '127.0.0.1.1',
    '4294967296',
    '0x17f000001',
    '127.0.0.08',
  ],
  'full-width and other digits': [
    ...[
      '１２７.０.０.１',
      '127。0。0。1',
      '127．0．0．1',
      '127｡0｡0｡1',
      '①②⑦.⓪.⓪.①',
      '１２７。１',
      '²¹³⁰⁷⁰⁶⁴³³',
      '𝟏𝟐𝟕.𝟎.𝟎.𝟏',
    ],
    ...['０ｘ７ｆ.１', '𝟘', '１６９.２５４.１６９.２５４', '127.0.0.¹'],
  ],
  'letters that look like others': [
    ...[
      'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ',
      'ｌｏｃａｌｈｏｓｔ',
      'LOCALHOST',
      'LocalHost',
      'ℓocalhost',
      'loc\u00adalhost',
      'local\u200bhost',
      'ₗocalhost',
    ],
    ...['lоcalhost', 'localhoѕt', 'xn--lcalhost-2fh'],
  ],
  'names of this machine': [
    ...[
      'localhost',
      'a.localhost',
      'a.b.localhost',
      'localhost.localdomain',
      'ip6-localhost',
      'ip6-loopback',
    ],
    ...[
      'foo.LOCALHOST',
      'printer.local',
      'router.home.arpa',
      'metadata.google.internal',
      'metadata',
      'broadcasthost',
    ],
    ...['instance-data.ec2.internal', 'kubernetes.default.svc.cluster.local', 'host.docker.internal'],
  ],
  'names that lead here': [
    ...[
      '127.0.0.1.nip.io',
      '7f000001.rbndr.us',
      'localtest.me',
      'lvh.me',
      'spoofed.example.org',
      'xn--e1afmkfd.example',
    ],
    ...['127.0.0.1.example', '1.0.0.127.in-addr.arpa', 'a_b.example', '-.example'],
  ],
  'IPv6 of this machine': [
    ...[
      '[::1]',
      '[::]',
      '[0:0:0:0:0:0:0:1]',
      '[0000:0000:0000:0000:0000:0000:0000:0001]',
      '[::0001]',
      '[0::1]',
      '[0::0:1]',
    ],
    ...['[::127.0.0.1]', '[::7f00:1]', '[0:0:0:0:0:0:0:0]', '[::0.0.0.1]', '[0::]'],
  ],
  'IPv6 that carries IPv4': [
    ...[
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '[::FFFF:7F00:0001]',
      '[0:0:0:0:0:ffff:127.0.0.1]',
      '[::ffff:0:127.0.0.1]',
    ],
    ...[
      '[::ffff:0:7f00:1]',
      '[::ffff:169.254.169.254]',
      '[::ffff:a9fe:a9fe]',
      '[::ffff:10.0.0.1]',
      '[::ffff:0.0.0.0]',
    ],
    ...[
      '[::169.254.169.254]',
      '[64:ff9b::127.0.0.1]',
      '[64:ff9b::7f00:1]',
      '[64:ff9b::a9fe:a9fe]',
      '[64:ff9b:1::7f00:1]',
    ],
    ...[
      '[2002:7f00:1::]',
      '[2002:a9fe:a9fe::]',
      '[2002:c0a8:101::1]',
      '[2001:0:7f00:1::]',
      '[2001:0:0:0:0:0:80ff:fffe]',
    ],
  ],
  'IPv6 of this network': [
    ...[
      '[fe80::1]',
      '[febf::1]',
      '[fec0::1]',
      '[fc00::1]',
      '[fd00::1]',
      '[fd00:ec2::254]',
      '[fd20:ce::254]',
      '[ff02::1]',
    ],
    ...['[ff01::1]', '[100::1]', '[2001:db8::1]', '[3fff::1]', '[5f00::1]', '[2001:10::1]'],
  ],
  'IPv6 zones, and what is no IPv6': [
    ...[
      '[fe80::1%eth0]',
      '[fe80::1%25eth0]',
      '[::1%25lo]',
      '[::1%lo]',
      '[::1',
      '::1',
      '[127.0.0.1]',
      '[::1]]',
      '[[::1]]',
    ],
    ...['[::ffff:127.1]', '[::ffff:0x7f000001]', '[1::1::1]', '[:::1]', '[v1.7f000001]', '[]'],
  ],
  'percent-encoded': [
    ...[
      '%31%32%37.0.0.1',
      '127%2e0%2e0%2e1',
      '127.0.0.1%2e',
      'localhos%74',
      '%6c%6f%63%61%6c%68%6f%73%74',
      '%30',
    ],
    ...[
      '%5b::1%5d',
      '127.0.0.1%00',
      '127.0.0.1%20',
      '127.0.0.1%2f',
      '127.0.0.1%0d%0a',
      '%EF%BC%91%EF%BC%92%EF%BC%97.1',
    ],
  ],
}

/** Whole addresses. */
const addresses = [
  ...[
    'http://example.com@127.0.0.1:PORT/',
    'http://example.com:80@127.0.0.1:PORT/',
    'http://@127.0.0.1:PORT/',
  ],
  ...[
    'http://127.0.0.1:PORT@example.com/',
    'http://a:b@localhost:PORT/',
    'http://:@[::1]:PORT/',
    'http://a%40b@0:PORT/',
  ],
  ...[
    'http://example.com%40127.0.0.1:PORT/',
    'http://127.0.0.1:PORT#@example.com/',
    'http://127.0.0.1:PORT?@example.com/',
  ],
  ...[
    'http://example.com\\@127.0.0.1:PORT/',
    'http://127.0.0.1:PORT\\@example.com/',
    'http://a@b@127.0.0.1:PORT/',
  ],
  ...['http:\\\\127.0.0.1:PORT\\', 'http:/127.0.0.1:PORT/', 'http:127.0.0.1:PORT', 'http:///127.0.0.1:PORT/'],
  ...[
    'http:/\\127.0.0.1:PORT/',
    'http:\\/127.0.0.1:PORT',
    'http://///127.0.0.1:PORT',
    '//127.0.0.1:PORT/',
    '127.0.0.1:PORT',
  ],
  ...[
    '\thttp://127.0.0.1:PORT/',
    ' http://127.0.0.1:PORT/ ',
    'ht\ntp://127.0.0.1:PORT/',
    'http://127.0.\n0.1:PORT/',
  ],
  ...[
    'http://127.0.0.1\t:PORT/',
    'http://127.0.0.1:\nPORT/',
    'http:\n//127.0.0.1:PORT/',
    '\u0000http://127.0.0.1:PORT/',
  ],
  ...[
    'http://127.0.0.1 :PORT/',
    'http://127.0.0.1\u0000:PORT/',
    'http://127.0.0.1\u00a0:PORT',
    'http://loc\talhost:PORT/',
  ],
  ...['HTTP://127.0.0.1:PORT/', 'hTtPs://127.0.0.1:PORT/', 'https://localhost:PORT/', 'https://[::1]:PORT/'],
  ...[
    'http://127.0.0.1:0PORT/',
    'http://127.0.0.1:00000PORT',
    'http://127.0.0.1:99999/',
    'http://127.0.0.1:/',
    'http://127.0.0.1',
  ],
  ...[
    'http://127.0.0.1:PORT.example.com/',
    'http://127.0.0.1:PORT:80/',
    'http://127.0.0.1:+PORT',
    'http://127.0.0.1:０',
  ],
  ...[
    'http://',
    'http://?',
    'http://#',
    'http://:PORT/',
    'http://.',
    'http://..',
    'http://%',
    'http://*',
    '',
    'http',
    '/',
    'localhost',
  ],
  ...[
    'ftp://127.0.0.1:PORT/',
    'file:///etc/passwd',
    'gopher://127.0.0.1:PORT/_GET',
    'dict://127.0.0.1:PORT/',
    'ws://127.0.0.1:PORT/',
  ],
  ...[
    'data:text/plain,hello',
    'blob:http://127.0.0.1:PORT/1',
    'javascript:1',
    'unix:/var/run/docker.sock',
    'http+unix://%2Fvar%2Frun/',
  ],
  ...[
    'jar:http://127.0.0.1:PORT!/',
    'about:blank',
    'view-source:http://127.0.0.1:PORT/',
    'url:http://127.0.0.1:PORT/',
  ],
]

test('no spelling reaches a private address, not even through a name', async (t) => {
  const listener = () => assert.fail('A request came through.')
  await using remote = await startWatchedServer((_request, response) => void response.end('inside'))
  await using remoteIpv6 = await startWatchedServer(listener, { address: '::1', port: remote.port }).catch(
    () => null,
  )
  const { port } = remote
  using reached = stoppable(
    new OutgoingHttp({ publicUrl: 'https://own.example', allow: [`127.0.0.1:${port}`] }),
  )
  using http = stoppable(
    new OutgoingHttp({
      publicUrl: 'https://own.example',
      allow: [],
      resolve: async () => ['127.0.0.1'],
      unknownNameMs: 0,
    }),
  )
  const ask = (by: OutgoingHttp, url: string) => {
    const request = { method: 'GET', url, params: [], headers: {}, body: null } as const
    return by.request(1, { ...request, params: [], headers: {} }, new AbortController().signal)
  }
  assert.equal((await ask(reached.http, `http://127.0.0.1:${port}/`)).text, 'inside')

  const hosts = Object.values(spellings).flat()
  const all = [
    ...hosts.map((host) => `http://${host}:PORT/`),
    ...hosts.map((host) => `https://${host}/`),
    ...addresses,
  ]
  assert.ok(hosts.length + addresses.length >= 150)
  for (const spelling of all) {
    const url = spelling.replace('PORT', String(port))
    const outcome = await ask(http.http, url).catch((error: Error) => error)
    if (outcome instanceof Error) {
      assert.equal(outcome.name, 'TypeError', `${JSON.stringify(url)}: ${outcome.stack}`)
      continue
    }
    // A name that does not look like one of this machine gets the same answer as a name that does not exist.
    const isRefused = outcome.status === 403 || outcome.text === noPublicAddress
    assert.ok(isRefused, `${JSON.stringify(url)}: ${JSON.stringify(outcome)}`)
    assert.equal(outcome.cache, false)
  }
  assert.equal(remote.connectionCount, 1)
  assert.equal(remoteIpv6?.connectionCount ?? 0, 0)
  t.diagnostic(`${all.length} spellings`)
})

function stoppable(http: OutgoingHttp) {
  return { http, [Symbol.dispose]: () => http.close() }
}
