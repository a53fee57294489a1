import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createSecureContext } from 'node:tls'
import { LRUCache } from 'lru-cache'
import { makeCertificate } from '../../test/certificate.ts'
import { freePort } from '../../test/free-port.ts'
import { patienceMs } from '../../test/patience.ts'
import { until } from '../../test/until.ts'
import { startWatchedServer } from '../../test/watched-server.ts'
import { type Dialling, dial } from './dial.ts'
import { OutgoingHttp } from './outgoing-http.ts'
import { noPublicAddress, RefusedAddress } from './target.ts'

/** Public addresses that nobody uses. */
const nowhere = '2000::1'

const unknownName = { status: 502, message: noPublicAddress }

/** Records every address to which a socket of this process connects from now on. */
function watchAttempts(t: TestContext): string[] {
  const attempts: string[] = []
  const watch = (message: unknown) => {
    const { socket } = message as { socket: Socket }
    socket.on('connectionAttempt', (address) => attempts.push(address))
  }
  subscribe('net.client.socket', watch)
  t.after(() => unsubscribe('net.client.socket', watch))
  return attempts
}

/** Dials with a resolver that gives these answers, one after another. */
function dialler(answers: string[][], more: Partial<Dialling> = {}) {
  const asked: string[] = []
  const resolve = async (name: string) => {
    asked.push(name)
    return answers[asked.length - 1] ?? assert.fail('Resolved once more.')
  }
  const dialling: Dialling = {
    resolve,
    resolveTrusted: resolve,
    secureContext: createSecureContext(),
    sessions: new LRUCache({ max: 10 }),
    unknownNameMs: 0,
    ...more,
  }
  return {
    asked,
    dialling,
    dial: (url: string, trusted = false, signal = AbortSignal.timeout(patienceMs)) =>
      dial({ url: new URL(url), trusted }, dialling, signal),
  }
}

test('a name is resolved once, and the connection goes to the checked address', async (t) => {
  const inside = await startWatchedServer(() => {})
  t.after(() => inside[Symbol.asyncDispose]())
  const attempts = watchAttempts(t)
  // A name server would give the second answer if the name were resolved again for the connection.
  const { dial, asked } = dialler([[nowhere], ['127.0.0.1']])
  // Where nothing says that nobody is there, this would go on for ever.
  await assert.rejects(dial(`http://rebinding.example:${inside.port}`, false, AbortSignal.timeout(1_000)))
  assert.deepEqual(asked, ['rebinding.example'])
  assert.deepEqual(attempts, [nowhere])
  await assert.rejects(dial(`http://rebinding.example:${inside.port}`), unknownName)
  assert.deepEqual(attempts, [nowhere])
  assert.equal(inside.connectionCount, 0)
})

test('a name with any private address is refused without a connection', async (t) => {
  const attempts = watchAttempts(t)
  const mixtures = [
    ['127.0.0.1'],
    [nowhere, '127.0.0.1'],
    ['10.0.0.1', nowhere],
    [nowhere, nowhere, nowhere, nowhere, nowhere, '::1'],
    [nowhere, '::ffff:127.0.0.1'],
    [nowhere, 'no address'],
  ]
  for (const answers of mixtures) {
    await assert.rejects(dialler([answers]).dial('http://mixed.example:8080'), unknownName, `${answers}`)
  }
  assert.deepEqual(attempts, [])
})

test('a private address is refused here too, even if an earlier check let it through', async (t) => {
  const attempts = watchAttempts(t)
  for (const url of [
    'http://127.0.0.1:8080',
    'https://[::1]',
    'http://[::ffff:7f00:1]',
    'http://169.254.169.254',
  ]) {
    await assert.rejects(dialler([]).dial(url), RefusedAddress)
  }
  assert.deepEqual(attempts, [])
})

test('if an address does not accept, the next one is tried', async (t) => {
  const remote = await startWatchedServer(() => {}, { address: '127.0.0.2' })
  t.after(() => remote[Symbol.asyncDispose]())
  const { dial, asked } = dialler([['127.0.0.1', '127.0.0.2'], ['127.0.0.1']])
  const socket = await dial(`http://listed.example.:${remote.port}`, true)
  assert.equal(socket.remoteAddress, '127.0.0.2')
  assert.deepEqual(asked, ['listed.example'])
  socket.destroy()
  await assert.rejects(dial(`http://listed.example:${remote.port}`, true), {
    status: 502,
    message: 'The connection failed (ECONNREFUSED).',
  })
})

test('a trusted name that cannot be resolved, or has no address, is a failure with its reason', async () => {
  const missing = Object.assign(new Error('queryA ENOTFOUND secret.example'), { code: 'ENOTFOUND' })
  const failing = dialler([], { resolveTrusted: () => Promise.reject(missing) })
  await assert.rejects(failing.dial('http://a.example', true), {
    status: 502,
    message: 'The host name could not be resolved (ENOTFOUND).',
  })
  await assert.rejects(dialler([[]]).dial('http://a.example', true), {
    status: 502,
    message: 'The host name has no address.',
  })
})

test('a name with an internal address gets the answer of a name that does not exist, after the same time', async () => {
  const failure = (code: string) => Promise.reject(Object.assign(new Error(code), { code }))
  const names: Record<string, () => Promise<string[]>> = {
    inside: async () => ['10.0.0.1'],
    mixed: async () => ['127.0.0.1', nowhere],
    'nowhere at all': async () => [],
    unknown: () => sleep(20).then(() => failure('ENOTFOUND')),
    'without addresses': () => failure('ENODATA'),
    'of a broken server': () => failure('ESERVFAIL'),
  }
  for (const [name, resolve] of Object.entries(names)) {
    const { dial } = dialler([], { resolve, unknownNameMs: 100 })
    const startedMs = performance.now()
    await assert.rejects(dial('http://a.example', false, new AbortController().signal), unknownName, name)
    const tookMs = performance.now() - startedMs
    // A timer can fire slightly early.
    assert.ok(tookMs >= 95, `${name} took ${tookMs} ms`)
  }
  // The end of the run ends the wait too.
  const { dial } = dialler([['10.0.0.1']], { unknownNameMs: 60_000 })
  const reason = new Error('The run is over.')
  const ends = new AbortController()
  const waiting = dial('http://a.example', false, ends.signal)
  setImmediate(() => ends.abort(reason))
  await assert.rejects(waiting, (error) => error === reason)
})

test('an abort ends the search for a name, and a connection that is being made', async (t) => {
  const sockets = new Set<Socket>()
  let connectionCount = 0
  const silent = createServer((socket) => {
    connectionCount++
    sockets.add(socket.on('error', () => {}).resume())
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  t.after(() => silent.close())
  const { port } = silent.address() as AddressInfo
  const reason = new Error('The run is over.')
  const endless = dialler([], { resolve: () => new Promise(() => {}) })
  const first = new AbortController()
  const searching = endless.dial('http://a.example', false, first.signal)
  first.abort(reason)
  await assert.rejects(searching, reason)
  // With TLS, the handshake is still pending after the TCP connection.
  const second = new AbortController()
  const shaking = dialler([['127.0.0.1']]).dial(`https://a.example:${port}`, true, second.signal)
  await until('the connection', async () => sockets.size === 1)
  second.abort(reason)
  await assert.rejects(shaking, reason)
  await until('its end', async () => sockets.size === 0)
  await assert.rejects(dialler([['127.0.0.1']]).dial(`http://127.0.0.1:${port}`, true, second.signal), reason)
  assert.equal(connectionCount, 1)
})

test('TLS uses the requested name, not its address', async (t) => {
  const certificate = makeCertificate(['exchange.example', '127.0.0.1'])
  const names: (string | false)[] = []
  const remote = await startWatchedServer((_request, response) => void response.end(), { tls: certificate })
  t.after(() => remote[Symbol.asyncDispose]())
  remote.server.on('secureConnection', (socket) => names.push(socket.servername))
  const secureContext = createSecureContext({ ca: certificate.cert })
  const addresses = Array.from({ length: 10 }, () => ['127.0.0.1'])
  const { dial } = dialler(addresses, { secureContext })
  const at = (host: string) => dial(`https://${host}:${remote.port}`, true)
  for (const host of ['exchange.example', 'EXCHANGE.example.', '127.0.0.1']) await at(host)
  await until('all three', async () => names.length === 3)
  assert.deepEqual(names, ['exchange.example', 'exchange.example', false])
  await assert.rejects(at('other.example'), {
    status: 502,
    message: 'The TLS connection failed (ERR_TLS_CERT_ALTNAME_INVALID).',
  })
  await assert.rejects(dialler(addresses).dial(`https://exchange.example:${remote.port}`, true), {
    status: 502,
    message: 'The TLS connection failed (DEPTH_ZERO_SELF_SIGNED_CERT).',
  })
})

test('a server without TLS is a failure with its reason', async (t) => {
  const remote = await startWatchedServer((_request, response) => void response.end('plain'))
  t.after(() => remote[Symbol.asyncDispose]())
  await assert.rejects(dialler([]).dial(`https://${remote.host}`, true), {
    status: 502,
    message: /^The TLS connection failed \(/,
  })
})

test('requests over TLS work, and a second connection resumes the session of the first', async (t) => {
  const certificate = makeCertificate(['localhost'])
  const remote = await startWatchedServer(
    (_request, response) => void response.writeHead(200, { Connection: 'close' }).end('secure'),
    { tls: certificate },
  )
  t.after(() => remote[Symbol.asyncDispose]())
  const resumed: boolean[] = []
  remote.server.on('secureConnection', (socket) => resumed.push(socket.isSessionReused()))
  const origin = `https://localhost:${remote.port}`
  const http = new OutgoingHttp({ publicUrl: origin, allow: [], ca: certificate.cert })
  t.after(() => http.close())
  for (let strategyId = 1; strategyId <= 2; strategyId++) {
    const request = { method: 'GET', url: `${origin}/`, params: [], headers: {}, body: null } as const
    const { text } = await http.request(
      strategyId,
      { ...request, params: [] },
      AbortSignal.timeout(patienceMs),
    )
    assert.equal(text, 'secure')
  }
  assert.deepEqual(resumed, [false, true])
})

test('a name with many addresses where no server listens fails soon', async () => {
  const port = await freePort()
  const { dial } = dialler([Array.from({ length: 100 }, (_, n) => `127.0.0.${n + 1}`)])
  const soon = AbortSignal.timeout(20_000)
  await assert.rejects(dial(`http://many.example:${port}`, true, soon), {
    message: 'The connection failed (ECONNREFUSED).',
  })
})
