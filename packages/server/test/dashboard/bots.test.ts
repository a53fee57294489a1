/** Bots: what they hold, what they did with each signal, and closing, with a real process and a real browser. */
import assert from 'node:assert/strict'
import { before } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Locator } from 'playwright-core'
import { inBrowser } from '../in-browser.ts'
import { expect } from '../reaction.ts'
import { until } from '../until.ts'
import { type Browser, signUpBrowser } from '../users.ts'
import { assertText } from './assert-shown.ts'
import { chooseTab, enterOn, tabTo } from './keyboard.ts'
import { openPage } from './open-page.ts'
import { type PagesService, pagesService } from './pages-service.ts'

let service: PagesService
let user: Browser
let path: string
let page: string
let webhook: string

const bots = '/api/v2/bot/signal/cex'

before(async () => {
  service = await pagesService()
  user = await signUpBrowser(service, 'ada@bots.example.com')
  const exchanges = await expect(200, user.api('GET', '/api/v2/exchange'))
  const simulated = exchanges.find(({ name }: { name: string }) => name === 'Simulated market')
  const made = await expect(201, user.api('POST', '/api/v2/webhook/bot', { name: 'Signals' }))
  webhook = new URL(made.url).pathname
  const settings = {
    name: 'Follower <i>',
    webhook_id: made.id,
    exchange_id: simulated.id,
    mode: 'paper',
    amount: 100,
  }
  const { id } = await expect(201, user.api('POST', bots, { ...settings, max_position: 150 }))
  path = `${bots}/${id}`
  page = `/bots/${id}?tab=positions`
  await expect(200, user.api('PUT', `${path}/status`, { status: 'ACTIVE' }))
})

const send = (symbol: string, side: string) =>
  expect(202, service.send('POST', webhook, { body: { symbol, side } }))
const holds = async (count: number) => {
  await until(`${count} positions`, async () => {
    return (await expect(200, user.api('GET', path))).positions.length === count
  })
}

inBrowser('a position appears with its signal, order, fill and trade', async (tab) => {
  await openPage(tab, service, user.email, '/bots')
  await tab.getByRole('row').filter({ hasText: 'PAPER' }).getByRole('link', { name: 'Follower <i>' }).click()
  await tab.getByRole('tab', { name: 'Positions' }).click()
  await tab.getByText('The bot holds nothing').waitFor()
  await send('BTC/USDT', 'BUY')
  const row = tab.getByRole('row')
  await row.filter({ hasText: 'BTC/USDT' }).filter({ hasText: 'long' }).waitFor()
  for (const [name, text] of [
    ['Signals', 'Done'],
    ['Orders', 'buy to open'],
    ['Fills', 'buy'],
    ['Trades', 'long, open'],
  ] as const) {
    await tab.getByRole('tab', { name, exact: true }).click()
    await row.filter({ hasText: 'BTC/USDT' }).filter({ hasText: text }).waitFor()
  }
  await tab.getByRole('tab', { name: 'Results' }).click()
  await tab.getByText('Win rate').waitFor()
  assert.equal(new URL(tab.url()).search, '?tab=results')
  await tab.getByRole('main').getByRole('link', { name: 'Bots', exact: true }).click()
  await row
    .filter({ hasText: 'Follower <i>' })
    .filter({ hasText: /1 position [+−]?0\.\d\d USDT/ })
    .waitFor()
})

inBrowser('closing asks first, names what it closes, and closes once', async (tab) => {
  await send('ETH/USDT', 'BUY')
  await holds(2)
  await openPage(tab, service, user.email, page)
  const eth = tab.getByRole('row').filter({ hasText: 'ETH/USDT' })
  await eth.getByRole('button', { name: 'Close' }).click()
  const dialog = tab.getByRole('dialog', { name: 'Close this position' })
  await assertText(dialog, /Follower <i>[\s\S]*PAPER[\s\S]*long [\d.]+ ETH\/USDT/)
  await tab.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await eth.getByRole('button', { name: 'Close' }).click()
  await dialog.getByRole('button', { name: 'Close', exact: true }).dblclick()
  await dialog.getByText('1 close under way').waitFor()
  await dialog.getByRole('button', { name: 'Back' }).click()
  await eth.waitFor({ state: 'detached' })
  await holds(1)
  const signals: { symbol: string; action: string }[] = await expect(200, user.api('GET', `${path}/signals`))
  assert.equal(signals.filter(({ symbol, action }) => symbol === 'ETH/USDT' && action === 'EXIT').length, 1)

  await tab.getByRole('button', { name: 'Close all' }).click()
  await tab.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).click()
  await holds(0)
  await tab.getByRole('dialog').getByRole('button', { name: 'Back' }).click()
  await tab.getByText('The bot holds nothing', { exact: true }).waitFor()
  const all = tab.getByRole('button', { name: 'Close all' })
  assert.equal(await all.getAttribute('title'), 'The bot holds nothing.')
})

inBrowser(
  'an opening that rests says how much of it is filled, for how long it rests, and what follows',
  async (tab) => {
    const opening = { symbol: 'XRP/USDT', side: 'BUY', type: 'limit', offset: '20%', timeout_seconds: 3_000 }
    await expect(202, service.send('POST', webhook, { body: { ...opening, on_timeout: 'market' } }))
    const words =
      /A limit order to buy [\d.,]+ XRP at [\d.]+ rests on paper\. Nothing is filled\. It ends in \d+ min.*, then the rest is bought at market\./
    await openPage(tab, service, user.email, page)
    await tab.getByText(words).waitFor()
    await tab.getByRole('link', { name: 'Positions', exact: true }).click()
    await tab.getByRole('listitem').filter({ hasText: 'Follower <i>' }).filter({ hasText: words }).waitFor()
    await send('XRP/USDT', 'EXIT')
    await tab.getByText(words).waitFor({ state: 'detached' })
  },
)

inBrowser('a bot is switched off and on', async (tab) => {
  await openPage(tab, service, user.email, page)
  await tab.getByRole('button', { name: 'Switch off' }).click()
  await tab.getByRole('button', { name: 'Switch on' }).waitFor()
  assert.equal((await expect(200, user.api('GET', path))).status, 'INACTIVE')
  await tab.getByRole('button', { name: 'Switch on' }).click()
  await tab.getByRole('button', { name: 'Switch off' }).waitFor()
})

inBrowser(
  'a bot is made, changed, closed, put into a folder and deleted by the keyboard alone',
  async (tab) => {
    const grace = await signUpBrowser(service, 'grace@bots.example.com')
    const dialog = tab.getByRole('dialog')
    const button = (name: string, inside = tab.locator('main')) =>
      inside.getByRole('button', { name, exact: true })
    const type = async (label: string, text: string) => {
      await tabTo(tab, tab.getByRole('textbox', { name: label, exact: true }))
      await tab.keyboard.press('ControlOrMeta+a')
      await tab.keyboard.type(text)
    }
    const choose = async (field: Locator, text: string) => {
      await tabTo(tab, field)
      await until(`${text} to be chosen`, async () => {
        await tab.keyboard.type(text)
        if ((await field.locator('option:checked').innerText()).startsWith(text)) return true
        // If the next letter comes a second late, the browser begins a new word with it.
        await sleep(1_100)
        return false
      })
    }
    await openPage(tab, service, grace.email, '/bots')
    await enterOn(tab, tab.locator('main').getByRole('link', { name: 'New bot' }))
    await tab.getByRole('heading', { level: 1, name: 'New bot' }).waitFor()
    await type('Name', 'By keys')
    await choose(tab.getByLabel('Exchange'), 'Simulated')
    await type('Amount', '100')
    await tab.keyboard.press('Enter')
    await tab.getByRole('heading', { level: 1, name: 'By keys' }).waitFor()
    const own = `${bots}/${new URL(tab.url()).pathname.split('/').at(-1)}`
    const read = () => expect(200, grace.api('GET', own))

    await enterOn(tab, button('Switch on'))
    await button('Switch off').waitFor()
    await chooseTab(tab, 'Settings')
    await type('Amount', '120')
    await tab.keyboard.press('Enter')
    await tab.getByText('Saved.').waitFor()
    const { webhook_id, amount, status } = await read()
    assert.deepEqual([amount, status], ['120', 'ACTIVE'])

    const { url } = await expect(200, grace.api('GET', `/api/v2/webhook/bot/${webhook_id}`))
    for (const symbol of ['BTC/USDT', 'ETH/USDT'])
      await expect(202, service.send('POST', new URL(url).pathname, { body: { symbol, side: 'BUY' } }))
    await chooseTab(tab, 'Positions')
    const eth = tab.getByRole('row').filter({ hasText: 'ETH/USDT' })
    await enterOn(tab, eth.getByRole('button', { name: 'Close' }))
    await enterOn(tab, button('Close', dialog))
    await enterOn(tab, button('Back', dialog))
    await eth.waitFor({ state: 'detached' })
    await enterOn(tab, button('Close all'))
    await enterOn(tab, button('Close', dialog))
    await enterOn(tab, button('Back', dialog))
    await tab.getByText('The bot holds nothing', { exact: true }).waitFor()

    await enterOn(tab, tab.locator('main').getByRole('link', { name: 'Bots', exact: true }))
    await enterOn(tab, button('New folder'))
    await type('Name', 'Keys')
    await tab.keyboard.press('Enter')
    await tab.getByText('This folder is empty').waitFor()
    await enterOn(tab, tab.getByRole('navigation', { name: 'Folders' }).getByRole('link', { name: /All/ }))
    await enterOn(tab, button('Move By keys to a folder'))
    await choose(dialog.getByLabel('Folder'), 'Keys')
    await enterOn(tab, button('Move', dialog))
    await dialog.waitFor({ state: 'detached' })
    assert.notEqual((await read()).folder_id, null)

    await enterOn(tab, tab.getByRole('link', { name: 'By keys', exact: true }))
    await chooseTab(tab, 'Settings')
    await enterOn(tab, button('Delete …'))
    await enterOn(tab, button('Delete', dialog))
    await tab.waitForURL(`${service.url}/bots`)
    assert.equal((await grace.api('GET', own)).status, 404)
  },
)

inBrowser('the bot of another user is as if it did not exist', async (tab) => {
  const stranger = await signUpBrowser(service, 'stranger@bots.example.com')
  await openPage(tab, service, stranger.email, page)
  await tab.getByRole('alert').first().waitFor()
  assert.ok(!(await tab.locator('main').innerText()).includes('Follower'))
})

inBrowser(
  'a bot that has fallen too far says so, and opens again once its owner has confirmed',
  async (tab) => {
    const { webhook_id, exchange_id } = await expect(200, user.api('GET', path))
    // The slippage makes a loss of about 90 as soon as the position is open.
    const settings = { start_balance: '1200', amount: '1000', slippage_rate: '0.1', max_drawdown: '5%' }
    const { id } = await expect(
      201,
      user.api('POST', bots, { webhook_id, exchange_id, symbol: 'SOL/USDT', ...settings }),
    )
    await expect(200, user.api('PUT', `${bots}/${id}/status`, { status: 'ACTIVE' }))
    await openPage(tab, service, user.email, `/bots/${id}?tab=settings`)
    assert.equal(await tab.getByLabel('Largest fall of the equity').inputValue(), '5%')
    await send('SOL/USDT', 'BUY')
    await tab.getByText(/The equity of the bot fell to .* from its highest of 1,200\.00/).waitFor()
    await tab.getByRole('button', { name: 'Reset …' }).click()
    const dialog = tab.getByRole('dialog', { name: 'Let the bot open again' })
    await dialog.getByRole('button', { name: 'Reset' }).dblclick()
    await dialog.waitFor({ state: 'detached' })
    await tab.getByText(/The equity of the bot fell to/).waitFor({ state: 'detached' })
    assert.equal((await expect(200, user.api('GET', `${bots}/${id}`))).drawdown_reached_at, null)
  },
)
