import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { lookup } from 'node:dns/promises'
import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createNameResolver } from './name-resolver.ts'

type Zone = Record<string, { A?: string[]; AAAA?: string[]; ttl?: number } | 'silent'>

/** A name server on loopback that knows a few names, and never answers for some others. */
async function startNameServer(t: TestContext, zone: Zone) {
  const asked: string[] = []
  const socket = createSocket('udp4')
  socket.on('message', (query, from) => {
    const { name, type, end } = readQuestion(query)
    asked.push(`${type} ${name}`)
    const entry = zone[name]
    if (entry === 'silent') return
    const records = entry?.[type] ?? []
    const header = Buffer.from(query.subarray(0, 12))
    header.writeUInt16BE(entry === undefined ? 0x8183 : 0x8180, 2) // an answer; 3: no such name
    header.writeUInt16BE(records.length, 6)
    header.fill(0, 8)
    const answers = records.map((address) => record(address, type, entry?.ttl ?? 60))
    socket.send(Buffer.concat([header, query.subarray(12, end), ...answers]), from.port, from.address)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  t.after(() => new Promise<void>((resolve) => socket.close(() => resolve())))
  return { asked, servers: [`127.0.0.1:${socket.address().port}`] }
}

/** RFC 1035, section 4.1.2. */
function readQuestion(query: Buffer): { name: string; type: 'A' | 'AAAA'; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.'), type: query.readUInt16BE(at + 1) === 28 ? 'AAAA' : 'A', end: at + 5 }
}

function record(address: string, type: 'A' | 'AAAA', ttl: number): Buffer {
  const data =
    type === 'A'
      ? Buffer.from(address.split('.').map(Number))
      : Buffer.from(address.replaceAll(':', ''), 'hex') // written in full
  const head = Buffer.from([0xc0, 12, 0, type === 'A' ? 1 : 28, 0, 1, 0, 0, 0, 0, 0, data.length])
  head.writeUInt32BE(ttl, 6)
  return Buffer.concat([head, data])
}

const noHosts = join(tmpdir(), 'tickwright-no-such-hosts-file')

test('a name resolves to all its addresses, IPv4 first', async (t) => {
  const { servers } = await startNameServer(t, {
    'both.example': { A: ['192.0.2.1', '127.0.0.1'], AAAA: ['20010db8000000000000000000000001'] },
    'four.example': { A: ['192.0.2.2'] },
    'six.example': { AAAA: ['20010db8000000000000000000000002'] },
  })
  const resolve = createNameResolver({ servers, hostsFile: noHosts })
  assert.deepEqual((await resolve('both.example')).toSorted(), ['127.0.0.1', '192.0.2.1', '2001:db8::1'])
  assert.equal((await resolve('both.example')).at(-1), '2001:db8::1')
  assert.deepEqual(await resolve('four.example'), ['192.0.2.2'])
  assert.deepEqual(await resolve('six.example'), ['2001:db8::2'])
})

test('a name that does not exist, or has no address, rejects with its code', async (t) => {
  const { servers } = await startNameServer(t, { 'empty.example': {} })
  const resolve = createNameResolver({ servers, hostsFile: noHosts })
  await assert.rejects(resolve('missing.example'), { code: 'ENOTFOUND' })
  await assert.rejects(resolve('empty.example'), { code: 'ENODATA' })
  for (const name of ['..', 'a..b', 'x'.repeat(64), `${'x.'.repeat(200)}x`])
    await assert.rejects(resolve(name), name)
})

test('an answer is reused during its time to live; an empty one is not', async (t) => {
  const { servers, asked } = await startNameServer(t, {
    'kept.example': { A: ['192.0.2.1'] },
    'changing.example': { A: ['192.0.2.2'], ttl: 0 },
  })
  const resolve = createNameResolver({ servers, hostsFile: noHosts })
  for (let n = 0; n < 3; n++) {
    await resolve('kept.example')
    await resolve('changing.example')
    await assert.rejects(resolve('missing.example'))
  }
  const count = (name: string) => asked.filter((question) => question === `A ${name}`).length
  assert.deepEqual(['kept.example', 'changing.example', 'missing.example'].map(count), [1, 3, 3])
})

test('a name server that never answers delays nobody else', async (t) => {
  const { servers } = await startNameServer(t, {
    'silent.example': 'silent',
    'good.example': { A: ['192.0.2.1'] },
  })
  const resolve = createNameResolver({ servers, hostsFile: noHosts })
  let timedOut = 0
  const silent = Array.from({ length: 50 }, async () => {
    await assert.rejects(resolve('silent.example'), { code: 'ETIMEOUT' })
    timedOut += 1
  })
  assert.deepEqual(await resolve('good.example'), ['192.0.2.1'])
  // The rest of the process resolves this with a thread.
  await lookup('localhost')
  assert.equal(timedOut, 0)
  await Promise.all(silent)
})

test('the hosts file comes before the name servers, with every address that it has', async (t) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'tickwright-test-'))
  const hostsFile = join(folder.path, 'hosts')
  const lines = [
    '127.0.0.1 localhost',
    '192.0.2.1\tone.example  Two.example # three.example',
    '#192.0.2.9 two.example',
    '2001:db8::1 two.example',
    '',
  ]
  await writeFile(hostsFile, lines.join('\n'))
  const { servers, asked } = await startNameServer(t, {})
  const resolve = createNameResolver({ servers, hostsFile })
  assert.deepEqual(await resolve('two.example'), ['192.0.2.1', '2001:db8::1'])
  await assert.rejects(resolve('three.example'), { code: 'ENOTFOUND' })
  assert.deepEqual(asked.toSorted(), ['A three.example', 'AAAA three.example'])
  // A change of the file has effect at once.
  await writeFile(hostsFile, '192.0.2.7 two.example\n')
  assert.deepEqual(await resolve('two.example'), ['192.0.2.7'])
})
