import { readdirSync } from 'node:fs'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createApiClient } from '@tickwright/client'
import { startServiceProcess } from '../examples/service-process.ts'
import type { BenchContext } from './context.ts'
import { watchHeap } from './heap.ts'
import { openStreams } from './live-delays.ts'
import { candlePayload } from './payload.ts'
import type { Row } from './report.ts'
import { percentile } from './statistics.ts'
import { openSocket } from './stream-readers.ts'

/** A node remembers so many changes: only after these can its memory be flat. */
const remembered = 20_000
const mostGrowthMb = 5

/** The heap of the service before and after many events went through one stream. */
export async function flatMemory({ generator, backend, quick }: BenchContext): Promise<Row[]> {
  const { first, events } = quick ? { first: 1_000, events: 2_000 } : { first: remembered, events: 100_000 }
  const heap = await watchHeap()
  const settings = { ...(await backend.emptyDatabase()), ...heap.settings }
  await using service = await startServiceProcess({ settings })
  const { access } = service
  const webhook = await createApiClient(access).webhooks.data.create({ name: 'events' })
  let received = 0
  let wanted = { count: 0, reached: () => {} }
  await using streams = await openStreams([access], ['delivery'], () => {
    if (++received >= wanted.count) wanted.reached()
  })
  const post = async (count: number) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    wanted = { count: received + count, reached: resolve }
    const target = new URL(webhook.url)
    const requests = [{ method: 'POST' as const, path: target.pathname, body: candlePayload(0) }]
    const plan = { url: target.origin, requests, connections: 16, perSecond: 1_500, status: 202 }
    const { answered } = await generator.run({ ...plan, until: { answers: count } })
    if (answered > count) wanted.count += answered - count
    await Promise.race([promise, streams.reading])
  }
  await post(first)
  const before = megabytes(await heap.usedBytes())
  await post(events)
  const after = megabytes(await heap.usedBytes())
  const target = { text: `at most ${mostGrowthMb} MB more`, met: after - before <= mostGrowthMb }
  return [
    { name: `heap after ${first.toLocaleString('en')} events through one stream`, memoryMb: before },
    { name: `heap after ${events.toLocaleString('en')} more`, memoryMb: after, ...(quick ? {} : { target }) },
  ]
}

/** What many open streams cost, whether the service still answers, and what is left of them when they have ended. */
export async function manyConnections({ backend, quick }: BenchContext): Promise<Row[]> {
  const count = quick ? 500 : 10_000
  const heap = await watchHeap()
  const limits = { LIVE_STREAMS: String(count), LIVE_STREAMS_PER_USER: String(count) }
  const settings = { ...(await backend.emptyDatabase()), ...heap.settings, ...limits }
  await using service = await startServiceProcess({ settings })
  const { access, pid } = service
  const client = createApiClient(access)
  const answerMs = async () => {
    const times: number[] = []
    for (let n = 0; n < 50; n++) {
      const startedMs = performance.now()
      await client.exchanges.withExchangeRate()
      times.push(performance.now() - startedMs)
    }
    return { p50Ms: percentile(times, 0.5), p99Ms: percentile(times, 0.99) }
  }
  const files = () => readdirSync(`/proc/${pid}/fd`).length
  // The service loads the dashboard after it has started to answer, and this answer waits for it: it is no cost of streams.
  await (await fetch(access.baseUrl)).arrayBuffer()
  const quiet = await answerMs()
  const before = { memoryMb: megabytes(await heap.usedBytes()), files: files() }
  const sockets: Socket[] = []
  const open = async () => {
    const { socket, status } = await openSocket(access)
    socket.resume()
    return { socket, status }
  }
  while (sockets.length < count) {
    sockets.push(...(await Promise.all(Array.from({ length: 50 }, async () => (await open()).socket))))
  }
  const { status, socket } = await open()
  if (status !== 429) throw new Error(`One stream too many was answered with ${status}.`)
  socket.destroy()
  const busy = await answerMs()
  const during = { memoryMb: megabytes(await heap.usedBytes()), files: files() }
  for (const each of sockets) each.destroy()
  const untilMs = performance.now() + 30_000
  while (files() > before.files + 10 && performance.now() < untilMs) await sleep(100)
  const after = { memoryMb: megabytes(await heap.usedBytes()), files: files() }
  const text = `at most ${mostGrowthMb} MB and 10 files more than before`
  const met = after.memoryMb - before.memoryMb <= mostGrowthMb && after.files <= before.files + 10
  const streams = `${count.toLocaleString('en')} open streams`
  return [
    { name: `GET with no stream; heap, ${before.files} open files`, ...quiet, memoryMb: before.memoryMb },
    { name: `GET beside ${streams}; heap, ${during.files} open files`, ...busy, memoryMb: during.memoryMb },
    {
      name: `heap when they have ended, ${after.files} open files`,
      memoryMb: after.memoryMb,
      target: { text, met },
    },
  ]
}

function megabytes(bytes: number): number {
  return bytes / 2 ** 20
}
