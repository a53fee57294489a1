/** Making, changing, switching on and deleting a bot, with a real service and a real browser. */
import assert from 'node:assert/strict'
import { before } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { makeConnection, startExchange, type TestExchange } from '../connection.ts'
import { fileResources } from '../databases.ts'
import { inBrowser } from '../in-browser.ts'
import { expect } from '../reaction.ts'
import { startService, type TestService } from '../service.ts'
import { until } from '../until.ts'
import { type Browser, signUpBrowser } from '../users.ts'
import { assertText } from './assert-shown.ts'
import { checkLooks } from './looks.ts'
import { openPage } from './open-page.ts'

let service: TestService
let user: Browser
/** It stands in for Binance, on this machine. */
let exchange: TestExchange

const bots = '/api/v2/bot/signal/cex'
const hostile = '<img src=x onerror=alert(1)>\u202Etxt.'

before(async () => {
  exchange = fileResources.use(await startExchange())
  service = fileResources.use(await startService({ env: { ...exchange.env, MARKET: 'live' } }))
  user = await signUpBrowser(service, 'ada@example.com')
})

const botOf = (tab: Page) => `${bots}/${new URL(tab.url()).pathname.split('/').at(-1)}`
const problemOf = async (field: Locator) => {
  const ids = (await field.getAttribute('aria-describedby'))!.split(' ')
  return field
    .page()
    .locator(`[id="${ids.at(-1)}"]`)
    .innerText()
}

inBrowser('a bot on paper is made by keyboard, and a problem is shown at its field', async (tab) => {
  await openPage(tab, service, user.email, '/bots')
  await tab.getByRole('link', { name: 'New bot' }).focus()
  await tab.keyboard.press('Enter')
  await tab.getByRole('heading', { level: 1, name: 'New bot' }).waitFor()
  await tab.getByLabel('Exchange').selectOption({ label: 'Simulated market' })
  assert.ok(await tab.getByRole('radio', { name: 'Paper' }).isChecked())
  assert.equal(await tab.getByLabel('Bot webhook').inputValue(), 'new')
  await tab.getByRole('textbox', { name: 'Name' }).fill(hostile)
  await tab.getByLabel('Symbols').fill('BTC/USDT')
  const amount = tab.getByLabel('Amount', { exact: true })
  await tab.getByLabel('Largest position').fill('0')
  await tab.getByLabel('Amount', { exact: true }).fill('lots')
  await tab.getByLabel('Stop', { exact: true }).fill('soon')
  await tab.getByLabel('It follows from').fill('4%')
  await tab.getByRole('button', { name: 'Add a target' }).click()
  await tab.getByLabel('Target 1', { exact: true }).fill('2%')
  await tab.getByLabel('Part 1').fill('0.7')
  await tab.getByLabel('Target 2', { exact: true }).fill('4%')
  await tab.getByLabel('Part 2').fill('0.5')
  await amount.focus()
  await tab.keyboard.press('Enter')
  await tab.locator('[aria-invalid]').first().waitFor()
  assert.match(await problemOf(tab.getByLabel('Stop', { exact: true })), /Must be a price/)
  assert.match(await problemOf(tab.getByLabel('Trailing stop')), /Must be a distance/)
  assert.match(await problemOf(tab.getByLabel('Target 1', { exact: true })), /at most 1 together, got 1\.2/)
  assert.match(await problemOf(amount), /Must be a decimal number/)
  assert.match(await problemOf(tab.getByLabel('Largest position')), /Must be from/)
  assert.ok(await amount.evaluate((field) => field === field.ownerDocument.activeElement))
  await checkLooks(tab, 'new bot with problems')
  // What the bot would order is shown before anything is saved, and what the service would refuse, too.
  const example = tab.getByRole('status').filter({ hasText: 'settings' })
  await example.getByText(/amount must be a decimal number.*max position must be from/).waitFor()
  await tab.getByLabel('Stop', { exact: true }).fill('2%')
  await tab.getByLabel('Trailing stop').fill('1%')
  await tab.getByRole('button', { name: 'Remove target 2' }).click()
  await tab.getByLabel('Part 1').fill('')
  await tab.getByLabel('Largest position').fill('100')
  await amount.fill('1000')
  await tab.getByText(/The bot would refuse a signal for BTC\/USDT: .*max_position/).waitFor()
  await tab.getByLabel('Largest position').fill('2000')
  await tab
    .getByText(/At [\d,.]+, a signal for BTC\/USDT buys 0\.01\d+ BTC for (999|1,000)[.\d]* USDT\./)
    .waitFor()
  const unit = tab.getByLabel('The amount is in')
  await unit.selectOption('risk_percent')
  await amount.fill('0.1')
  // A tenth of a percent of 10,000, rounded down to the size step.
  await tab.getByText(/If its stop at [\d,.]+ closes it, it loses (10\.00|9\.\d+) USDT with fees\./).waitFor()
  await unit.selectOption('quote')
  await tab.getByLabel('Open nothing without a stop').check()
  await tab.getByLabel('Opens with').selectOption('limit')
  await tab.getByLabel('Better than the price by').fill('0.5%')
  await tab.getByLabel('Then', { exact: true }).selectOption('chase')
  await tab.getByText(/^At a price of 100, a long rests at 99\.5 for 5 min\..* up to 3 times\.$/).waitFor()
  await amount.fill('250.000000000000000001')
  await tab.getByLabel('Largest position').fill('1000')
  await tab.getByLabel('Spread').fill('0.0002')
  await tab.getByRole('button', { name: 'Create the bot' }).dblclick()
  await tab.getByRole('heading', { level: 1, name: '<img' }).waitFor()
  await assertText(tab.getByRole('heading', { level: 1 }), /onerror=alert\(1\)>U\+202Etxt\./)
  const made = await expect(200, user.api('GET', botOf(tab)))
  assert.deepEqual(
    [made.mode, made.amount, made.max_position, made.spread_rate, made.status],
    ['paper', '250.000000000000000001', '1000', '0.0002', 'INACTIVE'],
  )
  assert.deepEqual(
    [made.require_stop, made.protection],
    [
      true,
      {
        ...{ stop_loss: '2%', take_profit: [{ at: '2%', part: '1' }], break_even: null },
        ...{ trailing: { by: '1%', from: '4%', step: null }, exit_after_seconds: null },
      },
    ],
  )
  assert.deepEqual(made.entry, {
    ...{ type: 'limit', offset: '0.5%', timeout_seconds: 300 },
    ...{ on_timeout: 'chase', chases: 3, max_slippage: null },
  })
  // The attempt that was refused made the webhook, and the next one took it.
  const webhooks = await expect(200, user.api('GET', '/api/v2/webhook/bot'))
  assert.deepEqual(
    webhooks.map(({ id }: { id: number }) => id),
    [made.webhook_id],
  )
  assert.equal((await expect(200, user.api('GET', bots))).length, 1)
})

inBrowser('bots are kept in folders, and found by folder, mode and text', async (tab) => {
  const keeper = await signUpBrowser(service, 'keeper@example.com')
  const make = (name: string) => expect(201, keeper.api('POST', bots, { exchange_id: 472, name }))
  const { id } = await make('First')
  await make('Second')
  await openPage(tab, service, keeper.email, '/bots')
  const row = (text: string) => tab.getByRole('row').filter({ hasText: text })
  const dialog = tab.getByRole('dialog')
  const button = (name: string) => tab.getByRole('button', { name, exact: true })
  await row('Second').waitFor()
  await button('New folder').click()
  await dialog.getByLabel('Name').fill('Swing')
  await tab.keyboard.press('Enter')
  await tab.getByText('This folder is empty').waitFor()
  await tab.getByRole('navigation', { name: 'Folders' }).getByRole('link', { name: /All/ }).click()
  await button('Move First to a folder').click()
  await dialog.getByLabel('Folder').selectOption('Swing')
  await button('Move').click()
  await tab.getByRole('navigation', { name: 'Folders' }).getByRole('link', { name: /Swing/ }).click()
  await row('Second').waitFor({ state: 'detached' })
  await row('First').waitFor()
  const [folder] = await expect(200, keeper.api('GET', `${bots}/folder`))
  assert.equal((await expect(200, keeper.api('GET', `${bots}/${id}`))).folder_id, folder.id)
  await checkLooks(tab, 'bots in folders')
  assert.equal(await button('Delete').getAttribute('title'), 'It still has 1 bot. Move them out of it first.')
  await tab.getByLabel('Name or symbol').fill('nothing has this')
  await tab.getByText('No bot fits these filters').waitFor()

  await tab.getByRole('link', { name: 'New bot' }).click()
  await tab.getByRole('heading', { level: 1, name: 'New bot' }).waitFor()
  assert.equal(await tab.getByLabel('Folder').inputValue(), String(folder.id))
  await tab.getByLabel('Exchange').selectOption({ label: 'Simulated market' })
  await tab.getByRole('textbox', { name: 'Name' }).fill('One coin')
  await tab.getByLabel('Amount', { exact: true }).fill('1')
  await tab.getByLabel('The amount is in').selectOption('base')
  await tab.getByLabel('Delay').fill('30')
  await button('Create the bot').click()
  await tab.locator('[aria-invalid]').first().waitFor()
  assert.match(await problemOf(tab.getByLabel('The amount is in')), /Cannot be base without/)
  await tab.getByLabel('Symbols').fill('BTC/USDT')
  await button('Create the bot').click()
  await tab.getByRole('heading', { level: 1, name: 'One coin' }).waitFor()
  const made = await expect(200, keeper.api('GET', botOf(tab)))
  assert.deepEqual(
    [made.amount, made.amount_in, made.delay_seconds, made.folder_id],
    ['1', 'BTC', 30, folder.id],
  )
  await tab.goto(`${service.url}/bots?folder=${folder.id}`)
  await row('One coin').getByText('BTC', { exact: true }).waitFor()
})

inBrowser('a bot is changed, copied and deleted', async (tab) => {
  const webhook = await expect(201, user.api('POST', '/api/v2/webhook/bot', { name: 'Alerts' }))
  const simulated = { exchange_id: 472, webhook_id: webhook.id }
  const { id } = await expect(
    201,
    user.api('POST', bots, { ...simulated, name: 'Changed', symbol: 'ETH/USDT' }),
  )
  await expect(200, user.api('PUT', `${bots}/${id}/status`, { status: 'ACTIVE' }))
  const { pathname } = new URL(webhook.url)
  await expect(202, service.send('POST', pathname, { body: { symbol: 'ETH/USDT', side: 'BUY' } }))
  await until('the position', async () => {
    return (await expect(200, user.api('GET', `${bots}/${id}`))).positions.length === 1
  })
  await openPage(tab, service, user.email, `/bots/${id}?tab=settings`)
  const amount = tab.getByLabel('Amount', { exact: true })
  assert.equal(await amount.inputValue(), '100')
  // The bot has traded.
  await tab.getByRole('radio', { name: 'Live', disabled: true }).waitFor()
  await amount.fill('120')
  await tab.getByLabel('Pause after a loss').fill('soon')
  await tab.getByRole('button', { name: 'Save' }).click()
  await tab.getByText('must be a whole number of seconds').waitFor()
  await tab.getByLabel('Pause after a loss').fill('')
  await tab.getByRole('button', { name: 'Save' }).click()
  await tab.getByText('Saved.').waitFor()
  const changed = await expect(200, user.api('GET', `${bots}/${id}`))
  assert.deepEqual([changed.amount, changed.webhook_id], ['120', webhook.id])
  await checkLooks(tab, 'settings of a bot')

  await tab.getByRole('button', { name: 'Make a copy' }).click()
  await tab.waitForURL((url) => !url.pathname.endsWith(`/${id}`))
  await tab.getByRole('button', { name: 'Delete …' }).click()
  const dialog = tab.getByRole('dialog', { name: 'Delete this bot' })
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await tab.waitForURL(`${service.url}/bots`)

  await tab.getByRole('row').filter({ hasText: 'Changed' }).getByRole('link').click()
  await tab.getByRole('tab', { name: 'Settings' }).click()
  await tab.getByRole('button', { name: 'Delete …' }).click()
  await assertText(dialog, /Changed[\s\S]*PAPER[\s\S]*long [\d.]+ ETH\/USDT/)
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await dialog.getByText('cannot be deleted').waitFor()
  await checkLooks(tab, 'deleting a bot that holds something')
  await dialog.getByLabel('Delete it all the same').check()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await tab.waitForURL(`${service.url}/bots`)
  assert.equal((await user.api('GET', `${bots}/${id}`)).status, 404)
})

inBrowser(
  'a live bot says what is missing, asks before it is switched on, and before it is changed then',
  async (tab) => {
    const live = { name: 'Real', mode: 'live', exchange_id: 2, symbol: 'BTC/USDT', amount: '50' }
    const { id } = await expect(201, user.api('POST', bots, live))
    const path = `${bots}/${id}`
    await openPage(tab, service, user.email, `/bots/${id}`)
    await tab.getByRole('button', { name: 'Switch on' }).click()
    const dialog = tab.getByRole('dialog', { name: 'Switch this bot on' })
    await dialog.getByText('Live trading is off').waitFor()
    await dialog.getByText('no connection').waitFor()
    await dialog.getByText('Binance spot').waitFor()
    await assertText(dialog, /Real[\s\S]*LIVE[\s\S]*Binance spot[\s\S]*BTC\/USDT[\s\S]*50/)
    const yes = dialog.getByRole('button', { name: 'Switch on' })
    assert.match((await yes.getAttribute('title'))!, /Live trading is off/)
    await checkLooks(tab, 'switching on a live bot')
    await tab.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    assert.equal((await expect(200, user.api('GET', path))).status, 'INACTIVE')

    await makeConnection({ ...service, api: user.api }, exchange, { name: 'Main account' })
    await expect(200, service.api('PUT', '/api/v2/trading', { live_trading: true }))
    await tab.goto(`${service.url}/bots/${id}?tab=settings`)
    await tab.getByLabel('Connection').selectOption({ index: 1 })
    await tab.getByRole('button', { name: 'Save' }).click()
    await tab.getByText('Saved.').waitFor()
    await tab.getByRole('button', { name: 'Switch on' }).click()
    await dialog.getByText('orders with real money').waitFor()
    await assertText(dialog, /Main account/)
    const asked: string[] = []
    tab.on('request', (request) => request.method() === 'PUT' && asked.push(request.url()))
    await yes.dblclick()
    await tab.getByRole('button', { name: 'Switch off' }).waitFor()
    assert.deepEqual(asked, [`${service.url}${path}/status`])

    await tab.getByLabel('Amount', { exact: true }).fill('75')
    await tab.getByRole('button', { name: 'Save' }).click()
    const change = tab.getByRole('dialog', { name: 'Change a bot that trades' })
    await assertText(change, /Real[\s\S]*LIVE[\s\S]*Main account[\s\S]*75/)
    assert.equal((await expect(200, user.api('GET', path))).amount, '50')
    await checkLooks(tab, 'changing a bot that trades')
    await change.getByRole('button', { name: 'Save' }).click()
    await change.waitFor({ state: 'detached' })
    assert.equal((await expect(200, user.api('GET', path))).amount, '75')
  },
)
