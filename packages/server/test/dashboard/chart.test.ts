/** The chart of a bot, with a real process and a real browser, under the policy of the pages. */
import assert from 'node:assert/strict'
import { before } from 'node:test'
import type { Page } from 'playwright-core'
import { inBrowser } from '../in-browser.ts'
import { longPatienceMs } from '../patience.ts'
import { expect, makeReaction } from '../reaction.ts'
import { until } from '../until.ts'
import { type Browser, signUpBrowser } from '../users.ts'
import { checkLooks } from './looks.ts'
import { openPage } from './open-page.ts'
import { type PagesService, pagesService } from './pages-service.ts'

let service: PagesService
let user: Browser
let botId: number
let path: string

before(async () => {
  service = await pagesService()
  user = await signUpBrowser(service, 'ada@chart.example.com')
  const exchanges = await expect(200, user.api('GET', '/api/v2/exchange'))
  const { id: exchange_id } = exchanges.find(({ name }: { name: string }) => name === 'Simulated market')
  const webhook = await expect(201, user.api('POST', '/api/v2/webhook/bot', { name: 'Signals' }))
  path = new URL(webhook.url).pathname
  const settings = { name: 'Trend', webhook_id: webhook.id, exchange_id, mode: 'paper', amount: 100 }
  const bot = await expect(
    201,
    user.api('POST', '/api/v2/bot/signal/cex', { ...settings, start_balance: 1000 }),
  )
  botId = bot.id
  await expect(200, user.api('PUT', `/api/v2/bot/signal/cex/${botId}/status`, { status: 'ACTIVE' }))
})

const send = (side: string) => expect(202, service.send('POST', path, { body: { symbol: 'BTC/USDT', side } }))

const chart = (tab: Page, label: RegExp | string) => tab.getByRole('img', { name: label })

/** How many candles are drawn. */
async function drawn(tab: Page): Promise<number> {
  const number = await chart(tab, /^Chart of BTC/).getAttribute('data-drawn')
  return Number(number ?? 0)
}

/** A text of the page: the colour in the middle of the top left canvas, where nothing is drawn. */
const background = `(() => {
  const canvas = document.querySelector('[role=img] canvas')
  return canvas.getContext('2d').getImageData(2, 2, 1, 1).data.slice(0, 3).join()
})()`

inBrowser('the chart of a bot shows what it does, as it does it', async (tab) => {
  await openPage(tab, service, user.email, `/bots/${botId}`)
  await tab.getByText('No symbol yet').waitFor()
  await send('BUY')
  await chart(tab, /^Chart of BTC\/USDT: [\d,]+ candles of 15m, .*1 signal, 1 order, 1 fill\./).waitFor()
  await until('candles', async () => (await drawn(tab)) > 100)
  // It has a position now, which changes the colour of this button.
  await tab.locator('button:not([aria-disabled])', { hasText: 'Close all' }).waitFor()
  await checkLooks(tab, 'the chart of a bot')

  // It follows light and dark without being made again.
  const light = await tab.evaluate(background)
  await tab.emulateMedia({ colorScheme: 'dark' })
  await until('dark colours', async () => (await tab.evaluate(background)) !== light)
  await tab.emulateMedia({ colorScheme: 'light' })

  await send('EXIT')
  await chart(tab, /2 signals, 2 orders, 2 fills\./).waitFor()
})

inBrowser('everything that the chart shows can be reached by keyboard', async (tab) => {
  await openPage(tab, service, user.email, `/bots/${botId}?interval=1h`)
  await until('candles', async () => (await drawn(tab)) > 100)
  const before = await drawn(tab)
  const earlier = tab.getByRole('button', { name: 'Earlier' })
  await earlier.focus()
  await until('older candles', async () => {
    await tab.keyboard.press('Enter')
    return (await drawn(tab)) > before
  })
  await tab.getByRole('button', { name: '● Signals' }).press('Enter')
  await chart(tab, /last price is [\d,.]+\. \d orders?, \d fills?\./).waitFor()

  await tab.getByRole('button', { name: 'Show as table' }).press('Enter')
  const row = tab.getByRole('row').filter({ hasText: 'fill, buy' })
  await row.filter({ hasText: 'order, buy' }).waitFor()
  assert.ok(!(await row.innerText()).includes('signal'))
  await checkLooks(tab, 'the chart as a table')
  await tab.getByRole('button', { name: '5m', exact: true }).press('Enter')
  await tab.getByRole('button', { name: '5m', exact: true, pressed: true }).waitFor()
  await row.waitFor()
  assert.equal(new URL(tab.url()).searchParams.get('interval'), '5m')
})

inBrowser('an interval that no exchange has shows the default', async (tab) => {
  await openPage(tab, service, user.email, `/bots/${botId}?interval=7m&symbol=%3Cimg%3E`)
  await chart(tab, /^Chart of BTC\/USDT: [\d,]+ candles of 15m/).waitFor()
})

/** The place of the candles, without the prices beside them, whose width depends on the fonts of the machine. */
async function plotOf(tab: Page) {
  const plot = chart(tab, /^Chart of BTC/)
    .locator('tr')
    .first()
    .locator('td')
    .nth(1)
  return (await plot.boundingBox())!
}

/** The pixels from the right edge of the chart to the place of `newest`: there is a candle, however far it is zoomed in. */
const fromEdge = 40

/** The opening times of the first and the last candle of what is drawn near the right edge of the chart, and how many they are. */
async function newest(tab: Page): Promise<{ from: number; to: number; count: number }> {
  const plot = await plotOf(tab)
  // Away from it first, so that the chart says again what is there.
  await tab.mouse.move(plot.x + 2, plot.y - 40)
  await tab.mouse.move(plot.x + plot.width - fromEdge, plot.y + 60)
  const legend = chart(tab, /^Chart of BTC/).locator('xpath=preceding-sibling::*[1]')
  const times = legend.locator('time')
  const [from, to] = (await times.evaluateAll((all) =>
    all.map((each) => each.getAttribute('datetime')),
  )) as string[]
  const [, count = '1'] = /, ([\d,]+) candles/.exec(await legend.innerText()) ?? []
  return { from: Date.parse(from!), to: Date.parse(to ?? from!), count: Number(count) }
}

inBrowser('candles that share a pixel are drawn as one until there is room for each', async (tab) => {
  const minute = 60_000
  const start = Date.UTC(2026, 0, 5, 0, 7)
  const lines = Array.from({ length: 2_400 }, (_, n) => {
    const price = Math.round(100 + 10 * Math.sin(n / 40))
    return [start + n * minute, price, price + 1, price - 1, price, 1].join(',')
  })
  const csv = `time,open,high,low,close,volume\n${lines.join('\n')}\n`
  const named = { name: 'Minutes', symbol: 'BTC/USDT', interval: '1m' }
  const series = await expect(201, user.api('POST', '/api/v2/candle', named))
  await expect(200, user.api('POST', `/api/v2/candle/${series.id}/import`, { csv }))
  const code =
    "const { price } = $.Price\nconst last = await $.Storage.get()\nawait $.Storage.set(price)\nif (typeof last === 'number' && price === 100 && last !== 100) await $.Strategy.action(price > last ? 'LONG' : 'EXIT')"
  const { id: strategy_id } = await makeReaction({ ...service, api: user.api }, code)
  const request = { strategy_id, candle_id: series.id, examine: false, bots: [{ amount: 500 }] }
  const { id } = await expect(202, user.api('POST', '/api/v2/backtest', request))
  const isOver = async () =>
    (await expect(200, user.api('GET', `/api/v2/backtest/${id}`))).status === 'FINISHED'
  await until('the backtest to be over', isOver, 3 * longPatienceMs)
  await tab.setViewportSize({ width: 760, height: 800 })
  await openPage(tab, service, user.email, `/backtests/${id}?tab=chart&interval=1m`)
  await until('candles', async () => (await drawn(tab)) >= 500)
  const zoom = (how: string) => tab.getByRole('button', { name: how }).click()
  await until('all candles', async () => {
    await zoom('Zoom out')
    return (await drawn(tab)) === 2_400
  })
  await chart(tab, /2,400 candles of 1m, \d+ drawn as one, .*“Show as table” lists each of them/).waitFor()
  await checkLooks(tab, 'a chart of joined candles')
  await tab.setViewportSize({ width: 760, height: 800 })
  // The chart follows a new width when the browser has time for it.
  await until('the chart to fit', async () => {
    const { x, width } = await plotOf(tab)
    return width > 400 && x + width <= 760
  })

  const joined = await newest(tab)
  assert.ok(joined.count > 1, `${joined.count} candles`)
  assert.equal(joined.to - joined.from, (joined.count - 1) * minute)
  assert.equal(joined.from % (joined.count * minute), 0)
  await until('single candles', async () => {
    await zoom('Zoom in')
    return (await chart(tab, /candles of 1m, the last price/).count()) === 1
  })
  const single = await newest(tab)
  assert.equal(single.count, 1)
  // The right edge has stayed in its place: the pointer has only come nearer to it, counted in candles.
  const most = (fromEdge * 2_400) / (await plotOf(tab)).width
  const moved = (single.from - joined.from) / minute
  assert.ok(moved >= 0 && moved <= most, `moved by ${moved} candles, of at most ${most}`)
})
