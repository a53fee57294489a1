/** Signals, positions, orders, fills and trades of all bots, with a real process and a real browser. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { before } from 'node:test'
import type { Page } from 'playwright-core'
import { inBrowser } from '../in-browser.ts'
import { expect } from '../reaction.ts'
import { until } from '../until.ts'
import { type Browser, signUpBrowser } from '../users.ts'
import { assertText } from './assert-shown.ts'
import { enterOn, tabTo } from './keyboard.ts'
import { checkLooks } from './looks.ts'
import { openPage, visit } from './open-page.ts'
import { type PagesService, pagesService } from './pages-service.ts'

/** Markup, a character that reverses text, and a line that is much longer than a row. */
const hostile = `<img src=x onerror=alert(1)>\u202e${'x'.repeat(200)}`

let service: PagesService
let user: Browser
/** The addresses and ids of two webhooks, each with an active paper bot behind it. */
let first: Following
let second: Following

/** So far away that no price of the simulated market reaches it. */
const protection = { stop_loss: '60%', take_profit: [{ at: '80%', part: 0.5 }] }

type Shown = { settings: { stop_loss: string | null } }

type Following = { bot: number; webhook: number; path: string }

before(async () => {
  service = await pagesService()
  user = await signUpBrowser(service, 'ada@trading.example.com')
  first = await follow('Trend', { amount: 100, protection })
  second = await follow(hostile, { amount: 100, symbol: 'ETH/USDT', max_position: 150 })
  await send(first, { symbol: 'BTC/USDT', side: 'BUY' })
  await send(second, { symbol: 'ETH/USDT', side: 'BUY' })
  await send(second, { symbol: 'SOL/USDT', side: 'BUY', id: hostile })
  await send(first, { symbol: 'BTC/USDT', side: 'BUY', flag: 'TEST' })
  await until('three results', async () => {
    const results = await expect(200, user.api('GET', '/api/v2/bot-signal'))
    return results.filter(({ finished_at }: { finished_at: string | null }) => finished_at).length === 3
  })
})

async function follow(name: string, fields: Record<string, unknown>): Promise<Following> {
  const exchanges = await expect(200, user.api('GET', '/api/v2/exchange'))
  const { id: exchange_id } = exchanges.find(({ name }: { name: string }) => name === 'Simulated market')
  const webhook = await expect(201, user.api('POST', '/api/v2/webhook/bot', { name }))
  const settings = { name, webhook_id: webhook.id, exchange_id, mode: 'paper', ...fields }
  const { id } = await expect(201, user.api('POST', '/api/v2/bot/signal/cex', settings))
  await expect(200, user.api('PUT', `/api/v2/bot/signal/cex/${id}/status`, { status: 'ACTIVE' }))
  return { bot: id, webhook: webhook.id, path: new URL(webhook.url).pathname }
}

const send = ({ path }: Following, body: Record<string, unknown>) =>
  expect(202, service.send('POST', path, { body }))

const row = (tab: Page, ...texts: string[]) =>
  texts.reduce((rows, hasText) => rows.filter({ hasText }), tab.getByRole('row'))

inBrowser(
  'a signal appears with what became of it and why, and leads to its orders and fills',
  async (tab) => {
    await openPage(tab, service, user.email, '/signals')
    await row(tab, 'BTC/USDT', 'has the flag TEST').waitFor()
    await row(tab, 'SOL/USDT', 'Ignored').waitFor()
    await row(tab, 'ETH/USDT', 'Done').waitFor()
    // Names of bots come with another answer.
    await row(tab, '<img src=x', 'U+202E').first().waitFor()
    assert.ok(!(await tab.locator('main').innerText()).includes('\u202e'))
    await checkLooks(tab, 'signals')

    await send(first, { symbol: 'XRP/USDT', side: 'BUY' })
    await row(tab, 'XRP/USDT', 'Done').waitFor()
    await tab.getByLabel('Action').selectOption('EXIT')
    await tab.getByText('No signal fits these filters').waitFor()
    await send(first, { symbol: 'XRP/USDT', side: 'EXIT' })
    await row(tab, 'EXIT', 'XRP/USDT', 'Done').waitFor()
    assert.equal(new URL(tab.url()).search, '?action=EXIT')

    // By keyboard: the row's link opens the signal.
    await tab.getByRole('link', { name: /^Signal \d+: EXIT XRP\/USDT/ }).focus()
    await tab.keyboard.press('Enter')
    await row(tab, 'Order, sell to close', 'filled').waitFor()
    await tab.getByRole('row', { name: /^Fill/ }).waitFor()
    await checkLooks(tab, 'a signal')
    await tab.goBack()
    await row(tab, 'EXIT', 'XRP/USDT').waitFor()
  },
)

inBrowser('results of bots are found by bot, status and text', async (tab) => {
  await openPage(tab, service, user.email, `/signals?view=bots&bot=${second.bot}&status=IGNORED`)
  await row(tab, 'SOL/USDT', 'Ignored', 'U+202E').waitFor()
  assert.equal(await row(tab, 'ETH/USDT').count(), 0)
  await tab.getByLabel('Outcome').selectOption('')
  await row(tab, 'ETH/USDT', 'Done').waitFor()
  await tab.getByLabel('In symbol or reason').fill('sol')
  await row(tab, 'ETH/USDT').waitFor({ state: 'detached' })
  assert.match(new URL(tab.url()).search, /view=bots.*q=sol/)
})

inBrowser('what a bot did opens beside its list by the keyboard, and on a phone as a page', async (tab) => {
  const results: { id: number; signal_id: number; status: string }[] = await expect(
    200,
    user.api('GET', `/api/v2/bot-signal?bot_id=${second.bot}`),
  )
  const [newest, older] = results
  await openPage(tab, service, user.email, `/signals?view=bots&bot=${second.bot}`)
  const detail = tab.getByRole('complementary', { name: 'Signal' })
  await row(tab, 'SOL/USDT', 'Ignored').waitFor()
  await tab.keyboard.press('j')
  await tab.keyboard.press('Enter')
  await detail.getByText('No order was placed for it.').waitFor()
  assert.match(new URL(tab.url()).search, new RegExp(`[?&]open=${newest!.id}`))
  await tab.keyboard.press('j')
  await detail.getByRole('row', { name: /^Fill/ }).waitFor()
  await detail.getByRole('heading', { name: 'The signal' }).waitFor()
  assert.match(new URL(tab.url()).search, new RegExp(`[?&]open=${older!.id}`))
  await checkLooks(tab, 'what a bot did, beside its list', { isWide: true })
  await tab.keyboard.press('Escape')
  await detail.waitFor({ state: 'detached' })

  // The bot's own list does the same, and its other tabs have no detail.
  await visit(tab, `/bots/${second.bot}?tab=signals&open=${older!.id}`)
  await detail.getByRole('row', { name: /^Fill/ }).waitFor()
  await tab.getByRole('tab', { name: 'Orders' }).click()
  await detail.waitFor({ state: 'detached' })
  assert.equal(new URL(tab.url()).search, '?tab=orders')

  await visit(tab, `/signals?view=bots&bot=${second.bot}`)
  await tab.setViewportSize({ width: 390, height: 844 })
  await row(tab, 'ETH/USDT', 'Done').getByRole('link').first().click()
  await tab.waitForURL(`${service.url}/signals/${older!.signal_id}`)
  await row(tab, 'Order, buy to open').waitFor()
})

inBrowser('positions, orders, fills and trades of all bots can be filtered and downloaded', async (tab) => {
  await openPage(tab, service, user.email, '/trading')
  await row(tab, 'BTC/USDT', 'PAPER', 'Trend').waitFor()
  await row(tab, 'ETH/USDT', 'PAPER', 'U+202E').waitFor()
  await tab.getByText('2 positions').waitFor()
  await row(tab, 'BTC/USDT', '(−60 %), 1 target').waitFor()
  await row(tab, 'ETH/USDT', 'Not protected').waitFor()
  await tab.getByText('do not act while the service is not running').waitFor()
  await checkLooks(tab, 'positions')
  await tab.getByLabel('Symbol').fill('btcusdt')
  await row(tab, 'ETH/USDT').waitFor({ state: 'detached' })
  await tab.getByLabel('Mode').selectOption('live')
  await tab.getByText('No position fits these filters').waitFor()
  await tab.getByLabel('Mode').selectOption('paper')
  for (const [name, text] of [
    ['Orders', 'buy to open'],
    ['Fills', 'buy'],
    ['Trades', 'long, open'],
  ] as const) {
    await tab.getByRole('tab', { name, exact: true }).click()
    await row(tab, 'BTC/USDT', text, 'Trend').waitFor()
    assert.equal(await row(tab, 'ETH/USDT').count(), 0)
  }
  await checkLooks(tab, 'trades')
  const download = async () => {
    const started = tab.waitForEvent('download')
    await tab.getByRole('link', { name: 'Export as CSV' }).click()
    return readFile(await (await started).path(), 'utf8')
  }
  const ofOne = await download()
  assert.ok(ofOne.includes('BTC/USDT') && !ofOne.includes('ETH/USDT'), ofOne)

  for (const tabName of ['fills', 'trades']) {
    await tab.goto(`${service.url}/trading?tab=${tabName}`)
    // The page has those of all bots in one list, the newest first.
    await row(tab, 'ETH/USDT').waitFor()
    await row(tab, 'BTC/USDT', 'Trend').waitFor()
    assert.ok((await download()).includes('ETH/USDT'))
    // A phone has no column for the bot, but the second line of each row says whether it is paper.
    const { width, height } = tab.viewportSize()!
    await tab.setViewportSize({ width: 390, height: 844 })
    await tab.getByRole('columnheader', { name: 'Bot' }).waitFor({ state: 'detached' })
    await row(tab, 'BTC/USDT', 'PAPER', 'Trend').waitFor()
    await tab.setViewportSize({ width, height })
  }
  await send(first, { symbol: 'LTC/USDT', side: 'BUY' })
  await row(tab, 'LTC/USDT', 'long, open').waitFor()
})

inBrowser('a position is closed from the list of all bots, after it is named', async (tab) => {
  await send(first, { symbol: 'DOGE/USDT', side: 'BUY' })
  await openPage(tab, service, user.email, '/trading?symbol=doge')
  const all = tab.getByRole('link', { name: 'Show all positions' })
  await all.click()
  const doge = row(tab, 'DOGE/USDT')
  await doge.getByRole('button', { name: 'Close' }).click()
  const dialog = tab.getByRole('dialog', { name: 'Close this position' })
  await assertText(dialog, /Trend[\s\S]*PAPER[\s\S]*long [\d.,]+ DOGE\/USDT/)
  await checkLooks(tab, 'closing a position')
  await dialog.getByRole('button', { name: 'Close', exact: true }).dblclick()
  await dialog.getByText('1 close under way').waitFor()
  await dialog.getByRole('button', { name: 'Back' }).click()
  await doge.waitFor({ state: 'detached' })
})

inBrowser(
  'the levels of a position are moved and removed by the keyboard, after what changes is named',
  async (tab) => {
    await send(first, { symbol: 'ADA/USDT', side: 'BUY' })
    const read = async () => {
      const held: { symbol: string; protection: Shown | null }[] = await expect(
        200,
        user.api('GET', `/api/v2/position?bot_id=${first.bot}`),
      )
      return held.find(({ symbol }) => symbol === 'ADA/USDT')?.protection
    }
    await until('the position', async () => (await read()) !== undefined)
    await openPage(tab, service, user.email, '/trading')
    const protect = row(tab, 'ADA/USDT').getByRole('button', { name: 'Protect' })
    const dialog = tab.getByRole('dialog', { name: 'Protection of this position' })
    const confirm = tab.getByRole('dialog', { name: 'Protect this position' })
    const type = async (label: string, text: string) => {
      await tabTo(tab, dialog.getByLabel(label, { exact: true }))
      await tab.keyboard.press('ControlOrMeta+a')
      await tab.keyboard.type(text)
    }
    await enterOn(tab, protect)
    await dialog.getByText(/60 % below the entry price/).waitFor()
    await assertText(dialog, /Trend[\s\S]*PAPER[\s\S]*long [\d.,]+ ADA\/USDT/)
    assert.equal(await dialog.getByLabel('Target 1', { exact: true }).inputValue(), '80%')
    await type('Part 1', 'half')
    await tab.keyboard.press('Enter')
    await enterOn(tab, confirm.getByRole('button', { name: 'Protect' }))
    await dialog.getByText(/Must be a fraction of the position/).waitFor()
    await checkLooks(tab, 'protection of a position with a problem')

    await type('Part 1', '0.5')
    await type('Stop', '70%')
    await tab.keyboard.press('Enter')
    await confirm.waitFor()
    assert.match(
      await confirm.innerText(),
      /Trend[\s\S]*PAPER[\s\S]*ADA\/USDT[\s\S]*Stop: 60 % → 70 %[\s\S]*does not act while/,
    )
    assert.doesNotMatch(await confirm.innerText(), /Targets/)
    await checkLooks(tab, 'a change of a protection')
    await enterOn(tab, confirm.getByRole('button', { name: 'Protect' }))
    await row(tab, 'ADA/USDT', '(−70 %), 1 target').waitFor()
    assert.equal((await read())!.settings.stop_loss, '70%')

    await visit(tab, `/bots/${first.bot}?tab=positions`)
    await tab.getByText(/70 % below the entry price/).waitFor()
    await enterOn(tab, tab.getByRole('button', { name: 'Change … the protection of ADA/USDT' }))
    await enterOn(tab, dialog.getByRole('button', { name: 'Remove all …' }))
    const removal = tab.getByRole('dialog', { name: 'Remove the protection' })
    await removal.getByText('Then nothing protects this position').waitFor()
    await enterOn(tab, removal.getByRole('button', { name: 'Remove' }))
    await removal.waitFor({ state: 'detached' })
    await tab.getByText('Nothing protects this position').waitFor()
    assert.equal(await read(), null)
    await checkLooks(tab, 'positions of a bot')
  },
)

inBrowser('the licences of what the pages contain are one click away', async (tab) => {
  await openPage(tab, service, user.email, '/trading')
  await tab.getByRole('link', { name: 'About' }).click()
  await tab.getByRole('link', { name: 'https://www.tradingview.com/' }).waitFor()
  await tab.getByText(/^\d+\.\d+\.\d+$/).waitFor()
  await checkLooks(tab, 'about')
})

inBrowser('another user sees nothing of it', async (tab) => {
  const stranger = await signUpBrowser(service, 'stranger@trading.example.com')
  await openPage(tab, service, stranger.email, '/signals')
  await tab.getByText('No signals yet').waitFor()
  await tab.goto(`${service.url}/trading`)
  await tab.getByText('No bot holds anything').waitFor()
  await tab.goto(`${service.url}/trading?tab=orders&bot=${first.bot}`)
  await tab.getByText('No orders fit these filters').waitFor()
  await tab.goto(`${service.url}/signals/1`)
  await tab.getByRole('alert').first().waitFor()
  assert.ok(!(await tab.locator('main').innerText()).includes('USDT'))
})
