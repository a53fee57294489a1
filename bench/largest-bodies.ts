import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempDisposable } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createApiClient } from '@tickwright/client'
import type { ApiAccess } from '../examples/access.ts'
import { readConfig } from '../packages/server/src/config.ts'
import { createService } from '../packages/server/src/service.ts'
import type { BenchContext, Benchmark } from './context.ts'
import { type Body, hostileBodies, largestBodies } from './hostile-bodies.ts'
import type { Row, Section } from './report.ts'
import { sign } from './sign.ts'
import { median } from './statistics.ts'

/** The longest time for which the body of one request may delay all others. */
const mostMs = 50

/**
 * The largest and the most hostile bodies of every route with a body: the CPU time that each costs the thread of the
 * event loop, from the first byte to the answer. A body blocks that thread for no longer than this, and other programs on
 * the machine affect CPU time less than clock time. The service runs in this process, where that can be measured. Bodies
 * are made and signed before, and the client only writes bytes.
 */
export const bodies: Benchmark = { name: 'bodies', run }

type Route = {
  method: string
  path: string
  target: string
  fields: string[]
  isSigned: boolean
  bytes: number
}
type Blocked = { ms: number; what: string }

async function run({ backend, quick }: BenchContext): Promise<Section> {
  await using service = await startHere(await backend.emptyDatabase())
  const { access } = service
  const routes = await routesOf(access)
  const worst = new Map<string, { typical: Blocked; most: Blocked }>()
  for (const route of routes) {
    for (const body of [...hostileBodies(route.fields, route.bytes), ...largestBodies(route.fields)]) {
      if (Buffer.byteLength(body.text) > route.bytes) continue
      const blocks = await blocksOf(access, route, body, quick ? 2 : 5)
      const what = `${route.method} ${route.path}`
      const known = worst.get(body.name)
      worst.set(body.name, {
        typical: larger(known?.typical, { ms: median(blocks), what }),
        most: larger(known?.most, { ms: Math.max(...blocks), what }),
      })
    }
  }
  const rows = [...worst].map(([name, { typical, most }]): Row => {
    const target = { text: `at most ${mostMs} ms`, met: typical.ms <= mostMs }
    return { name: `${name}: ${typical.what}`, p50Ms: typical.ms, mostMs: most.ms, target }
  })
  return { bench: 'bodies', title: `event loop blocked by one body, worst of ${routes.length} routes`, rows }
}

function larger(known: Blocked | undefined, found: Blocked): Blocked {
  return known === undefined || found.ms > known.ms ? found : known
}

async function blocksOf(access: ApiAccess, route: Route, body: Body, rounds: number): Promise<number[]> {
  const blocks: number[] = []
  // The first round warms up and does not count.
  for (let round = 0; round <= rounds; round++) {
    const bytes = requestOf(access, route, body.text)
    // Let the work that preparing the bytes left behind finish before the measurement.
    await sleep(2)
    const before = process.threadCpuUsage()
    const status = await send(access.baseUrl, bytes)
    const { user, system } = process.threadCpuUsage(before)
    const isLetIn = status >= 200 && status < 500 && ![401, 413, 429].includes(status)
    assert.ok(isLetIn || !route.isSigned, `${route.method} ${route.path} ${body.name}: ${status}`)
    if (round > 0) blocks.push((user + system) / 1_000)
  }
  return blocks
}

function requestOf(access: ApiAccess, { method, target, isSigned }: Route, body: string): Buffer {
  const signature = isSigned ? sign(access, method, target, body) : {}
  const lines = Object.entries({
    host: new URL(access.baseUrl).host,
    connection: 'close',
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'content-length': String(Buffer.byteLength(body)),
    ...signature,
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.concat([
    Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`),
    Buffer.from(body),
  ])
}

function send(url: string, bytes: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    let status = 0
    socket.on('data', (chunk) => {
      status ||= Number(/^HTTP\/1\.1 (\d+)/.exec(chunk.toString('latin1'))?.[1])
    })
    socket.on('close', () => resolve(status)).on('error', reject)
    socket.write(bytes)
  })
}

/** Every route with a body, with existing ids in the path; and the two routes that are not in the OpenAPI document. */
async function routesOf(access: ApiAccess): Promise<Route[]> {
  const { strategies, reactions, webhooks } = createApiClient(access)
  const webhook = await webhooks.data.create({ name: 'x' })
  const ids: [RegExp, number][] = [
    [/strategy\/code/, (await strategies.code.create({ name: 'x' })).id],
    [/reaction\/code/, (await reactions.code.create({ name: 'x' })).id],
    [/reaction\/llm/, (await reactions.llm.create({ name: 'x', prompt: 'x' })).id],
    [/llm-session/, (await strategies.llmSessions.create({ name: 'x', prompt: 'x' })).id],
    [/webhook\/data/, webhook.id],
  ]
  const idFor = (path: string) => ids.find(([place]) => place.test(path))?.[1] ?? 77_777
  // biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document
  const { paths } = (await (await fetch(`${access.baseUrl}/api/v2/openapi.json`)).json()) as any
  const routes: Route[] = []
  for (const [path, methods] of Object.entries<Record<string, unknown>>(paths)) {
    // biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document
    for (const [method, operation] of Object.entries<any>(methods)) {
      const schema = operation.requestBody?.content['application/json']?.schema
      if (schema === undefined) continue
      const fields = Object.keys(schema.properties ?? {})
      const isSigned = operation.security?.length !== 0
      const route = { method: method.toUpperCase(), path, isSigned, fields }
      const target = path.replaceAll(/\{\w+\}/g, String(idFor(path)))
      routes.push({ ...route, target, bytes: await limitOf(access, { ...route, target, bytes: 0 }) })
    }
  }
  const posted = { method: 'POST', fields: [], isSigned: false }
  routes.push({
    ...posted,
    path: '/data-webhook/{id}',
    target: new URL(webhook.url).pathname,
    bytes: 256 * 1024,
  })
  routes.push({ ...posted, path: '/mcp', target: '/mcp', isSigned: true, bytes: 1024 * 1024 })
  return routes
}

/** The body limit of a route: one of the limits that the service uses. */
async function limitOf(access: ApiAccess, route: Route): Promise<number> {
  const limits = [8, 64, 1024, 3072].map((kilobytes) => kilobytes * 1024)
  for (const limit of limits) {
    if ((await send(access.baseUrl, requestOf(access, route, ' '.repeat(limit + 1)))) === 413) return limit
  }
  throw new Error(`${route.method} ${route.path} has no limit.`)
}

async function startHere(database: Record<string, string>): Promise<AsyncDisposable & { access: ApiAccess }> {
  await using acquired = new AsyncDisposableStack()
  const folder = acquired.use(await mkdtempDisposable(join(tmpdir(), 'tickwright-bodies-')))
  const apiKey = 'bench-bodies-key'
  const apiSecret = randomBytes(32).toString('hex')
  const settings = {
    ...database,
    DATA_DIR: folder.path,
    LOG_LEVEL: 'silent',
    TICKWRIGHT_EXAMPLE: '0',
    TICKWRIGHT_ADMIN_API_KEY: apiKey,
    TICKWRIGHT_ADMIN_API_SECRET: apiSecret,
    WEBHOOK_RATE: '1000000',
    WEBHOOK_BURST: '1000000',
    ROLES: 'api',
    MARKET: 'sim',
  }
  const service = acquired.use(await createService(readConfig(settings)))
  await service.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = service.app.server.address() as AddressInfo
  const kept = acquired.move()
  const access = { baseUrl: `http://127.0.0.1:${port}`, apiKey, apiSecret }
  return { access, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}
