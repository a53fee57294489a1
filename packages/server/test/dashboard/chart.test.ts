/** The chart of a bot, with a real process and a real browser, under the policy of the pages. */
import assert from 'node:assert/strict'
import { before } from 'node:test'
import type { Page } from 'playwright-core'
import { inBrowser } from '../in-browser.ts'
import { expect } from '../reaction.ts'
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
