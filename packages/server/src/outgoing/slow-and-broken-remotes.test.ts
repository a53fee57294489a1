import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { httpTimeoutMs } from '@tickwright/sandbox'
import { freePort } from '../../test/free-port.ts'
import { until } from '../../test/until.ts'
import { startWatchedServer } from '../../test/watched-server.ts'
import { OutgoingHttp } from './outgoing-http.ts'

const mebibyte = 1024 * 1024

/** Sends a request to a server that answers with `answer`. */
async function askRaw(t: TestContext, answer: (socket: Socket) => void, host?: string) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}))
    socket.once('close', () => sockets.delete(socket)).once('data', () => answer(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const target = host ?? `127.0.0.1:${(server.address() as AddressInfo).port}`
  const http = new OutgoingHttp({ publicUrl: 'https://own.example', allow: [target] })
  t.after(async () => {
    http.close()
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  const request = { method: 'GET', url: `http://${target}/`, params: [], headers: {}, body: null } as const
  const startedMs = performance.now()
  const response = await http.request(1, { ...request, params: [] }, new AbortController().signal)
  return { ...response, ms: performance.now() - startedMs, sockets }
}

/** Requests a body that the server sends with these headers. */
function askFor(t: TestContext, body: Buffer | string, headers: Record<string, string> = {}) {
  const bytes = Buffer.from(body)
  return askRaw(t, (socket) => {
    const lines = Object.entries({ 'Content-Length': bytes.length, ...headers }).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    )
    socket.write(`HTTP/1.1 200 OK\r\n${lines.join('')}\r\n`)
    socket.write(bytes)
  })
}

const slow: Record<string, (socket: Socket) => void> = {
  'that says nothing': () => {},
  'that stops in its headers': (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-'),
  'that stops in its body': (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc'),
  'that sends a byte now and then': (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n')
    const timer = setInterval(() => socket.write('a'), 100)
    socket.once('close', () => clearInterval(timer))
  },
}

test('a slow server is a timeout, and its connection is closed', async (t) => {
  const all = Object.entries(slow).map(async ([about, answer]) => {
    const { status, text, cache, ms, sockets } = await askRaw(t, answer)
    assert.deepEqual([status, text, cache], [504, 'There was no answer within 1750 ms.', false], about)
    // Without a limit, these answers take for ever; how late the timer is, is up to the machine.
    assert.ok(ms >= httpTimeoutMs - 20 && ms < httpTimeoutMs + 10_000, `${about}: ${ms}`)
    await until('the end of the connection', async () => sockets.size === 0)
  })
  await Promise.all(all)
})

const broken: Record<string, [answer: string | null, text: RegExp]> = {
  'that hangs up': [null, /^The connection ended without an answer/],
  'that speaks something else': ['SSH-2.0-OpenSSH_9.6\r\n', /^The answer is not valid HTTP/],
  'that hangs up in its body': [
    'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc',
    /^The connection ended before/,
  ],
  'that breaks its chunks': [
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
    /^The answer is not valid HTTP/,
  ],
  'with two lengths': [
    'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
    /not valid HTTP/,
  ],
  'with endless headers': [`HTTP/1.1 200 OK\r\nA: ${'a'.repeat(100_000)}\r\n\r\n`, /not valid HTTP/],
  'that changes the protocol': [
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
    /^The connection ended/,
  ],
}

for (const [about, [answer, text]] of Object.entries(broken)) {
  test(`a server ${about} is a failure with its reason`, async (t) => {
    const response = await askRaw(t, (socket) => {
      if (answer !== null) socket.write(answer)
      socket.end()
    })
    assert.equal(response.status, 502)
    assert.match(response.text, text)
    assert.equal(response.cache, false)
  })
}

test('a port without a server is a failure with its reason', async (t) => {
  const { status, text } = await askRaw(t, () => {}, `127.0.0.1:${await freePort()}`)
  assert.deepEqual([status, text], [502, 'The connection failed (ECONNREFUSED).'])
})

test('a body can have 1 MB, and not a byte more, however it is sent', async (t) => {
  const most = Buffer.alloc(mebibyte, 'a')
  assert.equal((await askFor(t, most)).text.length, mebibyte)
  const tooLarge = { status: 502, text: 'The answer is over 1 MB.' }
  const { ms, sockets, cache, ...refused } = await askFor(t, Buffer.concat([most, Buffer.from('a')]))
  assert.deepEqual(refused, tooLarge)
  const endless = await askRaw(t, (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n')
    const more = () => {
      while (socket.writable && socket.write(most));
    }
    more()
    socket.on('drain', more)
  })
  assert.deepEqual({ status: endless.status, text: endless.text }, tooLarge)
})

test('an answer in very many parts is given up before it costs much', async (t) => {
  const parts = (count: number) =>
    `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\na\r\n'.repeat(count)}0\r\n\r\n`
  assert.equal((await askRaw(t, (socket) => socket.write(parts(15_000)))).text, 'a'.repeat(15_000))
  const refused = { status: 502, text: 'The answer is in too many parts.' }
  const many = await askRaw(t, (socket) => socket.write(parts(mebibyte)))
  assert.deepEqual({ status: many.status, text: many.text }, refused)
  const hints = 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(20_000)
  const early = await askRaw(t, (socket) => socket.write(hints))
  assert.deepEqual({ status: early.status, text: early.text }, refused)
})

test('at most 1,024 requests run at a time; others wait, within their time', async (t) => {
  const remote = await startWatchedServer(() => {})
  // On a busy machine, so many connections can take longer than the time of a request.
  const timeoutMs = 20_000
  const http = new OutgoingHttp({ publicUrl: 'https://own.example', allow: [remote.host], timeoutMs })
  t.after(async () => {
    http.close()
    await remote[Symbol.asyncDispose]()
  })
  const run = new AbortController()
  const ask = (n: number, signal: AbortSignal) => {
    const request = {
      method: 'GET' as const,
      url: `${remote.origin}/${n}`,
      params: [],
      headers: {},
      body: null,
    }
    return http.request(1, request, signal)
  }
  const first = Array.from({ length: 1_024 }, (_, n) => ask(n, run.signal))
  const ended = Promise.allSettled(first)
  const waiting = ask(2_000, new AbortController().signal)
  await until('all connections', async () => remote.requests.length === 1_024)
  run.abort()
  await ended
  remote.server.prependListener('request', (_request, response) => response.end('in time'))
  assert.equal((await ask(2_001, new AbortController().signal)).text, 'in time')
  await waiting
  assert.equal(remote.connectionCount, 1_026)
})

test('many large answers at a time do not fill the memory, and small ones still arrive', async (t) => {
  const part = Buffer.alloc(1_000_000, 'a')
  const remote = await startWatchedServer((request, response) => {
    if (request.url === '/small') return void response.end('small')
    // Nearly the whole body, and then nothing more.
    response.writeHead(200, { 'Content-Length': mebibyte }).write(part)
  })
  // Long enough for a busy machine to receive all parts. The test itself ends the requests.
  const timeoutMs = 60_000
  const http = new OutgoingHttp({ publicUrl: 'https://own.example', allow: [remote.host], timeoutMs })
  t.after(async () => {
    http.close()
    await remote[Symbol.asyncDispose]()
  })
  const ask = (path: string, signal = new AbortController().signal) => {
    const request = {
      method: 'GET' as const,
      url: `${remote.origin}/${path}`,
      params: [],
      headers: {},
      body: null,
    }
    return http.request(1, request, signal)
  }
  // 128 MB fit, so that at least 26 of 160 answers with 1 MB each are given up.
  const ends = new AbortController()
  const large = Array.from({ length: 160 }, (_, n) => ask(`large?${n}`, ends.signal))
  const texts: string[] = []
  for (const answer of large) void answer.then(({ text }) => texts.push(text)).catch(() => undefined)
  await until('26 to be given up', async () => texts.length >= 26)
  assert.equal((await ask('small')).text, 'small')
  ends.abort()
  await Promise.allSettled(large)
  assert.ok(texts.length < 160, `${texts.length}`)
  assert.deepEqual([...new Set(texts)], ['The service is receiving too much data at the moment.'])
  // The bytes of ended requests do not count any more: 100 MB fit again.
  const later = AbortSignal.timeout(1_500)
  const again = Array.from({ length: 100 }, (_, n) => ask(`large?again-${n}`, later))
  for (const { status } of await Promise.allSettled(again)) assert.equal(status, 'rejected')
})

const compressions: Record<string, [name: string, compress: (bytes: Buffer) => Buffer][]> = {
  gzip: [['gzip', gzipSync]],
  'X-GZIP': [['x-gzip', gzipSync]],
  deflate: [
    ['deflate', deflateSync],
    ['deflate without a header', deflateRawSync],
  ],
  br: [['brotli', brotliCompressSync]],
  zstd: [['zstd', zstdCompressSync]],
  'gzip, br': [['two, one after the other', (bytes) => brotliCompressSync(gzipSync(bytes))]],
  'identity, gzip': [['one, and one that does nothing', gzipSync]],
}

for (const [coding, ways] of Object.entries(compressions)) {
  for (const [about, compress] of ways) {
    test(`a compressed body is read: ${about}`, async (t) => {
      const text = 'grüße '.repeat(10_000)
      const answer = await askFor(t, compress(Buffer.from(text)), { 'Content-Encoding': coding })
      assert.deepEqual([answer.status, answer.text], [200, text])
      assert.equal((await askFor(t, '', { 'Content-Encoding': coding })).text, '')
    })

    test(`a compression bomb stops at the limit: ${about}`, async (t) => {
      const most = compress(Buffer.alloc(mebibyte, 'a'))
      assert.equal((await askFor(t, most, { 'Content-Encoding': coding })).text.length, mebibyte)
      // If the bomb were unpacked, the memory would show it.
      const bomb = compress(Buffer.alloc(80 * mebibyte, 'a'))
      const beforeBytes = process.memoryUsage().rss
      const answer = await askFor(t, bomb, { 'Content-Encoding': coding })
      assert.deepEqual([answer.status, answer.text], [502, 'The answer is over 1 MB.'])
      assert.ok(process.memoryUsage().rss - beforeBytes < 40 * mebibyte)
    })
  }
}

test('a body that is not compressed as its header says is a failure with its reason', async (t) => {
  const cut = gzipSync(Buffer.alloc(1_000, 'abc')).subarray(0, -10)
  for (const [coding, body] of [
    ['gzip', 'plain'],
    ['gzip', cut],
    ['br', 'plain text'],
    ['zstd', 'plain'],
    ['deflate', 'plain'],
  ] as const) {
    const { status, text } = await askFor(t, body, { 'Content-Encoding': coding })
    assert.equal(status, 502, coding)
    assert.match(text, /^The answer could not be decompressed/)
  }
  for (const coding of ['compress', 'gzip, gzip, gzip', 'constructor', 'gzip;q=1']) {
    const { status, text } = await askFor(t, gzipSync('a'), { 'Content-Encoding': coding })
    assert.deepEqual(
      [status, text],
      [502, 'The answer is compressed in a way that is not supported.'],
      coding,
    )
  }
})

test('text is decoded with the charset of its header, or as UTF-8, and never fails', async (t) => {
  const type = (charset: string) => ({ 'Content-Type': `text/plain; charset=${charset}` })
  assert.equal((await askFor(t, Buffer.from('grüße', 'latin1'), type('ISO-8859-1'))).text, 'grüße')
  assert.equal((await askFor(t, Buffer.from('grüße', 'utf16le'), type('"utf-16le"'))).text, 'grüße')
  assert.equal((await askFor(t, Buffer.from('grüße'), type('no-such-charset'))).text, 'grüße')
  assert.equal((await askFor(t, Buffer.from('\ufeffgrüße'), type('utf-8'))).text, 'grüße')
  assert.equal((await askFor(t, Buffer.from([0x61, 0xff, 0, 0x62]))).text, 'a\ufffd\0b')
})
