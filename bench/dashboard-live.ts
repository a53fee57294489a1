import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ApiClient, createApiClient, type List } from '@tickwright/client'
import type { Browser, Page } from 'playwright-core'
import { startServiceProcess } from '../examples/service-process.ts'
import { longPatienceMs } from '../packages/server/test/patience.ts'
import { until } from '../packages/server/test/until.ts'
import { password } from './accounts.ts'
import type { BenchContext } from './context.ts'
import { openServer } from './database.ts'
import { candlePayload } from './payload.ts'
import type { Row } from './report.ts'
import { percentile } from './statistics.ts'
import { heapMb, signedInTab } from './tabs.ts'

const perSecond = 50
const most95Ms = { here: 150, elsewhere: 400 }
const mostGrowthMb = 20
const administrator = 'admin@localhost'

/** From a signal to its row on the screen of a page that is open, on the same node and on another one. */
export async function signalsOnScreen({ backend, quick }: BenchContext, browser: Browser): Promise<Row[]> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'tickwright-bench-'))
  await using server = await openServer({ DATA_DIR: folder.path, ...(await backend.emptyDatabase()) })
  const settings = {
    DATABASE_URL: server.url,
    MASTER_KEY: '5'.repeat(64),
    TICKWRIGHT_ADMIN_PASSWORD: password,
  }
  await using here = await startServiceProcess({ settings })
  await using elsewhere = await startServiceProcess({ settings: { ...settings, ROLES: 'api' } })
  const client = createApiClient(here.access)
  const { url } = await client.webhooks.bot.create({ name: 'signals' })
  const rows: Row[] = []
  for (const [where, baseUrl, mostMs] of [
    ['the same node', here.access.baseUrl, most95Ms.here],
    ['another node', elsewhere.access.baseUrl, most95Ms.elsewhere],
  ] as const) {
    const tab = await signedInTab(browser, baseUrl, administrator)
    await tab.goto(`${baseUrl}/signals`)
    await tab.getByRole('heading', { level: 1, name: 'Signals' }).waitFor()
    await post(url, 1)
    await tab.getByRole('table').waitFor()
    const delays = await delaysOnScreen(tab, client, url, quick ? 100 : 1_000)
    await tab.context().close()
    const p95 = percentile(delays, 0.95)
    rows.push({
      name: `signal to screen on ${where}, ${perSecond} a second; slowest is the 95th percentile`,
      p50Ms: percentile(delays, 0.5),
      mostMs: p95,
      target: { text: `95 % within ${mostMs} ms`, met: p95 <= mostMs },
    })
  }
  return rows
}

/**
 * The page notes when a frame with the row of a signal was drawn. A signal has the time at which it was taken, a little
 * before its commit, so these figures are too high by a commit.
 */
async function delaysOnScreen(tab: Page, client: ApiClient, url: string, count: number): Promise<number[]> {
  await tab.evaluate(`globalThis.seen = {}
    const note = () => {
      const links = document.querySelectorAll('[role=row] a[aria-label^="Signal "]')
      requestAnimationFrame(() => {
        for (const { ariaLabel } of links) seen[ariaLabel.match(/[0-9]+/)[0]] ??= Date.now()
      })
    }
    note()
    new MutationObserver(note).observe(document.body, { childList: true, subtree: true, attributes: true })`)
  const known = new Set(Object.keys(await tab.evaluate<Record<string, number>>('seen')))
  const posts: Promise<void>[] = []
  for (let n = 0; n < count; n++) {
    posts.push(post(url, n))
    await sleep(1000 / perSecond)
  }
  await Promise.all(posts)
  const [newest] = itemsOf(await client.signals.list({ limit: 1 }))
  const isShown = () => tab.evaluate<boolean>(`seen[${newest!.id}] !== undefined`)
  await until('the newest signal on the screen', isShown, longPatienceMs)
  const seen = await tab.evaluate<Record<string, number>>('seen')
  const delays: number[] = []
  for (let before: number | undefined; ; ) {
    const answer = await client.signals.list({ limit: 100, ...(before === undefined ? {} : { before }) })
    const items = itemsOf(answer)
    for (const { id, created_at } of items) {
      const at = seen[id]
      if (at !== undefined && !known.has(String(id))) delays.push(at - Date.parse(created_at))
    }
    before = items.at(-1)?.id
    if (delays.length >= count || before === undefined || known.has(String(before))) break
  }
  // A list that draws too rarely would skip the ones it is slowest with.
  if (delays.length < 0.95 * count)
    throw new Error(`The page showed only ${delays.length} of ${count} signals.`)
  return delays
}

function itemsOf<Item>(answer: List<Item>): readonly Item[] {
  return Array.isArray(answer) ? answer : answer.items
}

async function post(url: string, n: number): Promise<void> {
  const body = JSON.stringify({ symbol: 'BTC/USDT', side: n % 2 === 0 ? 'BUY' : 'SELL' })
  const headers = { 'content-type': 'application/json' }
  const { status } = await fetch(url, { method: 'POST', headers, body })
  if (status !== 202) throw new Error(`The signal was answered with ${status}.`)
}

/** What the heap of a page that shows deliveries holds before and after many of them. */
export async function eventsIntoTab(
  { backend, generator, quick }: BenchContext,
  browser: Browser,
): Promise<Row[]> {
  const { first, events } = quick ? { first: 500, events: 2_000 } : { first: 5_000, events: 100_000 }
  const settings = { ...(await backend.emptyDatabase()), TICKWRIGHT_ADMIN_PASSWORD: password }
  await using service = await startServiceProcess({ settings })
  const { baseUrl } = service.access
  const webhook = await createApiClient(service.access).webhooks.data.create({ name: 'events' })
  const tab = await signedInTab(browser, baseUrl, administrator)
  await tab.goto(`${baseUrl}/webhooks/data/${webhook.id}`)
  await tab.getByRole('heading', { level: 1 }).waitFor()
  const target = new URL(webhook.url)
  const requests = [{ method: 'POST' as const, path: target.pathname, body: candlePayload(0) }]
  const plan = { url: target.origin, requests, connections: 16, perSecond: 1_000, status: 202 }
  const send = async (answers: number) => {
    await generator.run({ ...plan, until: { answers } })
    // The page has caught up when it shows what came last.
    const [last] = itemsOf(await createApiClient(service.access).deliveries.list({ limit: 1 }))
    await tab.getByRole('link', { name: `Delivery ${last!.id}`, exact: true }).waitFor()
  }
  await send(first)
  const before = await heapMb(tab)
  await send(events)
  const after = await heapMb(tab)
  await tab.context().close()
  const met = after - before <= mostGrowthMb
  return [
    { name: `heap of a page after ${first.toLocaleString('en')} events`, memoryMb: before },
    {
      name: `heap after ${events.toLocaleString('en')} more`,
      memoryMb: after,
      target: { text: `at most ${mostGrowthMb} MB more`, met },
    },
  ]
}
