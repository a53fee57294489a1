import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RefusedAddress, TargetRules } from './target.ts'

const rules = new TargetRules('https://tick.internal:8443', [
  '127.1:8080',
  'LOCALHOST:80',
  '[0::1]:9000',
  'db:5432',
])

function outcome(address: string): 'trusted' | 'open' | 'refused' {
  try {
    return rules.check(new URL(address)).trusted ? 'trusted' : 'open'
  } catch (error) {
    assert.ok(error instanceof RefusedAddress)
    return 'refused'
  }
}

function allAre(expected: ReturnType<typeof outcome>, addresses: string[]): void {
  for (const address of addresses) assert.equal(outcome(address), expected, address)
}

test('the public URL of the service is trusted with exactly its scheme, host and port', () => {
  allAre('trusted', ['https://tick.internal:8443/webhook/1', 'https://TICK.internal:8443'])
  allAre('refused', ['http://tick.internal:8443', 'https://tick.internal', 'https://tick.internal:8444'])
  allAre('refused', ['https://a.tick.internal:8443', 'https://tick.internal.:8443', 'https://internal:8443'])
})

test('hosts that the administrator lists are trusted, in every spelling of the listed form', () => {
  allAre('trusted', [
    'http://127.0.0.1:8080/a',
    'https://0x7f.1:8080',
    'http://localhost',
    'http://[::1]:9000',
  ])
  allAre('trusted', ['http://db:5432', 'http://DB:5432'])
  allAre('refused', [
    'http://localhost:8080',
    'http://127.0.0.1',
    'http://127.0.0.1:8081',
    'https://localhost',
  ])
  allAre('refused', ['http://127.0.0.2:8080', 'http://[::ffff:127.0.0.1]:8080', 'http://[::1]'])
})

test('an address with a user name or password is refused, wherever it leads', () => {
  allAre('refused', ['https://user@example.com', 'https://:secret@example.com', 'http://a:b@127.0.0.1:8080'])
})

test('the error says what is wrong with the address, and names HTTP_ALLOW where that would help', () => {
  const messageOf = (address: string) => {
    try {
      rules.check(new URL(address))
    } catch (error) {
      return (error as Error).message
    }
    return ''
  }
  const allow = 'An administrator can allow it: HTTP_ALLOW lists such hosts as host:port.'
  assert.equal(
    messageOf('https://user@example.com'),
    'This address is refused: it contains a user name or password. Send them in a header instead.',
  )
  for (const inside of [
    'http://127.0.0.1/',
    'http://localhost:25/',
    'http://[::1]/',
    'http://10.0.0.1:6379/',
  ]) {
    assert.equal(messageOf(inside), `This address is refused: its host is not public. ${allow}`)
  }
  const port = `This address is refused: its port is not one of web servers. ${allow}`
  assert.equal(messageOf('http://example.com:25/'), port)
  assert.equal(messageOf('https://1.1.1.1:6379/'), port)
})

test('names of this machine and its network are refused, whatever they resolve to', () => {
  allAre('refused', ['http://a.localhost', 'http://localhost.', 'http://printer.local', 'http://x.home.arpa'])
  allAre('refused', [
    'http://metadata.google.internal',
    'http://METADATA.google.INTERNAL.',
    'http://internal',
  ])
  allAre('refused', [
    'http://localhost..',
    'http://a.internal...',
    'http://127.0.0.1..',
    'http://example.com..',
  ])
  allAre('open', [
    'http://notlocalhost',
    'http://localhost.com',
    'http://internal.example.com',
    'http://local.me',
  ])
})

test('allowed ports are those of the web, and those above 1023 that are not known for something else', () => {
  allAre('open', ['http://1.1.1.1', 'https://1.1.1.1', 'https://example.com:80', 'http://example.com:443'])
  allAre('open', ['http://example.com:1024', 'https://example.com:8443', 'https://[2606:4700::1]:65535'])
  for (const port of [0, 1, 21, 22, 23, 25, 53, 110, 143, 445, 465, 587, 1023]) {
    allAre('refused', [`http://example.com:${port}`])
  }
  for (const port of [2049, 5060, 6000, 6379, 6667, 10_080, 11_211]) {
    allAre('refused', [`http://example.com:${port}`])
  }
})

test('every host that is not public gets the same refusal, so that it tells nothing of the network', () => {
  const messages = new Set<string>()
  for (const address of [
    'http://10.0.0.1',
    'http://a.localhost',
    'http://127.0.0.1:25',
    'http://db.internal:9',
  ]) {
    assert.throws(
      () => rules.check(new URL(address)),
      ({ message }: Error) => messages.add(message).size === 1,
    )
  }
})
