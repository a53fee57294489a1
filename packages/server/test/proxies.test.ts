/** The proxies of `deploy/proxies`, from Debian, with these very files, in front of one service. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { before, suite, test } from 'node:test'
import { type Program, whyMissing } from '../../../test/programs.ts'
import { makeCertificate } from './certificate.ts'
import { createTestDatabase, fileResources } from './databases.ts'
import { administratorKey } from './environment.ts'
import { freePort } from './free-port.ts'
import { readEvents } from './live-events.ts'
import { startService, type TestService } from './service.ts'
import { signedHeaders } from './signed-headers.ts'
import { until } from './until.ts'
import { makeWebhook, type TestWebhook } from './webhook.ts'

const folder = join(import.meta.dirname, '../../../deploy/proxies')

type Place = { port: number; service: number; folder: string; certificate: string; key: string }
type Proxy = {
  name: string
  program: Program
  file: string
  change(text: string, place: Place): string
  /** The command, without the program. */
  start(file: string, place: Place): { args: string[]; env?: Record<string, string> }
}

/** Replaces what an operator would change; each must be there. */
function changed(text: string, changes: [from: string | RegExp, to: string][]): string {
  return changes.reduce((before, [from, to]) => {
    const after = before.replaceAll(from, to)
    assert.notEqual(after, before, `there is no ${from}`)
    return after
  }, text)
}

const proxies: Proxy[] = [
  {
    name: 'nginx',
    program: 'nginx',
    file: 'nginx.conf',
    change: (text, { port, service, folder, certificate, key }) => {
      const server = changed(text, [
        [/^ {4}listen (?:\[::\]:)?80;\n/gm, ''],
        [/^ {4}listen \[::\]:443 ssl http2;\n/gm, ''],
        ['listen 443 ssl', `listen 127.0.0.1:${port} ssl`],
        // The server that only redirects.
        ['return 308', `listen unix:${folder}/nginx-80; return 308`],
        ['DOMAIN', 'localhost'],
        ['CERTIFICATE', certificate],
        ['_key KEY', `_key ${key}`],
        ['127.0.0.1:3000', `127.0.0.1:${service}`],
      ])
      const kept = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
        (kind) => `${kind}_temp_path ${folder}/${kind};`,
      )
      // One process, which ends with all that it has.
      return `daemon off; master_process off; pid ${folder}/nginx.pid; error_log stderr; user root; events {} http { access_log off; ${kept.join(' ')}\n${server}}`
    },
    start: (file) => ({ args: ['-c', file] }),
  },
  {
    name: 'HAProxy',
    program: 'haproxy',
    file: 'haproxy.cfg',
    change: (text, { port, service, certificate }) =>
      changed(text, [
        [/^ {4}bind :80\n/gm, ''],
        ['bind :443', `bind 127.0.0.1:${port}`],
        ['CERTIFICATE', certificate],
        ['127.0.0.1:3000', `127.0.0.1:${service}`],
      ]),
    start: (file) => ({ args: ['-db', '-f', file] }),
  },
  {
    name: 'Caddy',
    program: 'caddy',
    file: 'Caddyfile',
    change: (text, { certificate, key }) =>
      changed(text, [
        ['admin off', 'admin off\n\tauto_https off'],
        ['{$DOMAIN} {', `{$DOMAIN} {\n\ttls ${certificate} ${key}`],
      ]),
    start: (file, { port, service, folder }) => ({
      args: ['run', '--adapter', 'caddyfile', '--config', file],
      env: { DOMAIN: `https://localhost:${port}`, TICKWRIGHT: `127.0.0.1:${service}`, HOME: folder },
    }),
  },
]

let service: TestService

async function startProxy(proxy: Proxy) {
  await using acquired = new AsyncDisposableStack()
  const own = acquired.use(await mkdtempDisposable(join(tmpdir(), 'tickwright-proxy-')))
  const place: Place = {
    port: await freePort(),
    service: Number(new URL(service.url).port),
    folder: own.path,
    certificate: join(own.path, 'certificate.pem'),
    key: join(own.path, 'key.pem'),
  }
  const { cert, key } = makeCertificate(['localhost'])
  await writeFile(place.certificate, cert + key)
  await writeFile(place.key, key)
  const file = join(own.path, proxy.file)
  await writeFile(file, proxy.change(await readFile(join(folder, proxy.file), 'utf8'), place))
  const { args, env } = proxy.start(file, place)
  const child = spawn(proxy.program, args, {
    cwd: own.path,
    env: { PATH: `${process.env.PATH}:/usr/sbin`, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'exit')
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text))
  acquired.defer(async () => {
    child.kill('SIGTERM')
    // One that waits for an open connection.
    setTimeout(() => child.kill('SIGKILL'), 5_000).unref()
    await ended
  })
  await until(`${proxy.name} to listen`, async () => {
    assert.equal(child.exitCode, null, output)
    return listens(place.port)
  })
  const kept = acquired.move()
  return { port: place.port, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

const listens = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })

type SendOptions = { method?: string; headers?: Record<string, string>; body?: Buffer; localAddress?: string }

/** Sends a request through a proxy, without changing its path. */
function send(
  port: number,
  path: string,
  { body, headers = {}, ...more }: SendOptions = {},
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    // The certificate is one of the test's own.
    const options = {
      host: '127.0.0.1',
      servername: 'localhost',
      port,
      path,
      rejectUnauthorized: false,
      ...more,
    }
    request({ ...options, headers: { host: `localhost:${port}`, ...headers }, agent: false }, resolve)
      .on('error', reject)
      .end(body)
  })
}

suite('proxies', { concurrency: false }, () => {
  before(async () => {
    const database = fileResources.use(await createTestDatabase())
    const env = { TRUSTED_PROXIES: '127.0.0.1', ROLES: 'api' }
    service = fileResources.use(await startService({ database, env }))
  })

  for (const proxy of proxies) {
    const skip = whyMissing(proxy.program)
    test(`${proxy.name} passes bodies and addresses on, keeps private paths closed, and holds no event back`, {
      skip,
    }, async () => {
      await using running = await startProxy(proxy)
      const { port } = running
      await checkPrivatePaths(port)
      const webhook = await makeWebhook(service)
      await using stream = await openStream(port)
      await checkPayload(port, webhook)
      // The stream is still open, so a proxy that collects answers would have passed nothing on.
      const { data } = await stream.find(({ kind }) => kind === 'delivery')
      assert.equal(data.webhook_id, webhook.id)
    })
  }
})

async function checkPrivatePaths(port: number): Promise<void> {
  assert.equal((await service.send('GET', '/metrics')).status, 200)
  const paths = [
    '/metrics',
    '/metrics?x=1',
    '/%6detrics',
    '/metrics/',
    '/health/live',
    '/health/ready',
    '/health%2Fready',
    '//metrics',
    '/x/../metrics',
  ]
  for (const path of paths) {
    const { status, text } = await answerOf(send(port, path))
    assert.deepEqual([status, /tickwright_|"status"/.test(text)], [404, false], path)
  }
  assert.equal((await answerOf(send(port, '/overview'))).status, 200)
}

/** A body that a proxy would store on its disk before it passes it on, with bytes that parsing would not keep. */
const payload = Buffer.from(`{ "price":1.10,  "note": "€ \\u20ac\\n", "long": "${'x'.repeat(100_000)}" }\r\n`)
const sender = '127.0.0.7'

async function checkPayload(port: number, webhook: TestWebhook): Promise<void> {
  const headers = {
    'content-type': 'application/json',
    'x-forwarded-for': '203.0.113.9',
    'idempotency-key': 'once',
  }
  // The second one is known already, by its key.
  for (const status of [202, 200]) {
    const request = { method: 'POST', headers, body: payload, localAddress: sender }
    assert.equal((await answerOf(send(port, webhook.path, request))).status, status)
  }
  const [delivery, ...more] = await webhook.deliveries()
  assert.equal(more.length, 0)
  assert.equal(delivery.body, payload.toString())
  assert.equal(delivery.ip, sender, 'the address of the sender, which it cannot choose')
  assert.equal(delivery.headers.host, `localhost:${port}`)
}

/** A live stream through a proxy, with the signature of the administrator. */
async function openStream(port: number) {
  const path = '/api/v2/live?kind=delivery'
  const response = await send(port, path, { headers: signedHeaders(administratorKey, 'GET', path) })
  assert.equal(response.statusCode, 200)
  return { ...readEvents(response), [Symbol.asyncDispose]: async () => void response.destroy() }
}

async function answerOf(sent: Promise<IncomingMessage>): Promise<{ status: number; text: string }> {
  const response = await sent
  return { status: response.statusCode!, text: await text(response) }
}
