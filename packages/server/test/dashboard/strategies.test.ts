/** Strategies: how they are made, found, switched, planned, changed and deleted, with a real process and browser. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { starters } from '../../../dashboard/src/pages/strategies/starters.ts'
import { inBrowser } from '../in-browser.ts'
import { expect, makeReaction } from '../reaction.ts'
import { type Browser, signUpBrowser } from '../users.ts'
import { assertText } from './assert-shown.ts'
import { checkLooks } from './looks.ts'
import { openPage } from './open-page.ts'
import { type PagesService, pagesService } from './pages-service.ts'

let service: PagesService
let user: Browser
/** A strategy that runs every ten seconds from the beginning. */
let clock: number

const codes = '/api/v2/strategy/code'
const reactions = '/api/v2/strategy/reaction/code'
const hostile = `<img src=x onerror="document.title='taken'"> \u202Egnp ${'long '.repeat(30)}`

before(async () => {
  service = await pagesService()
  user = await signUpBrowser(service, 'ada@strategies.example.com')
  clock = (await make(codes, { name: 'Clock', cron_interval: '10S' })).id
  await expect(200, user.api('PUT', `${codes}/${clock}/status`, { status: 'ACTIVE' }))
})

const make = (path: string, settings: object) => expect(201, user.api('POST', path, settings))
const read = (path: string) => expect(200, user.api('GET', path))
const button = (tab: Page, name: string) => tab.getByRole('button', { name, exact: true })
const openTab = (tab: Page, name: string) => tab.getByRole('tab', { name, exact: true }).click()

inBrowser('a strategy is made by keyboard, and its code works', async (tab) => {
  const maker = await signUpBrowser(service, 'maker@strategies.example.com')
  await openPage(tab, service, maker.email, '/strategies')
  await tab.getByText('No strategy yet').waitFor()
  await tab.getByRole('main').getByRole('link', { name: 'New strategy' }).last().press('Enter')
  await tab.getByRole('radio', { name: 'Code strategy' }).waitFor()
  await tab.getByText('Here, in').or(tab.getByText('In UTC')).first().waitFor()
  await checkLooks(tab, 'new strategy')
  await tab.getByLabel('Name', { exact: true }).fill('Mine')
  await tab
    .getByLabel('Exchange')
    .locator('option:checked', { hasText: 'Simulated market' })
    .waitFor({ state: 'attached' })
  await tab.keyboard.press('Enter')
  await tab.getByRole('heading', { level: 1, name: 'Mine' }).waitFor()
  const [made, ...others] = await expect(200, maker.api('GET', codes))
  assert.deepEqual([made.status, made.price_symbol, others.length], ['INACTIVE', 'BTC/USDT', 0])
  const tried = await expect(200, maker.api('POST', `${codes}/${made.id}/test`, {}))
  assert.equal(tried.status, 'SUCCEEDED', JSON.stringify(tried.error))

  await tab.goto(`${service.url}/strategies/new?kind=reaction`)
  await tab.getByLabel('Name', { exact: true }).fill('Alerts')
  await button(tab, 'Create').dblclick()
  await tab.getByRole('heading', { level: 1, name: 'Alerts' }).waitFor()
  await tab.getByRole('main').getByRole('link', { name: 'Alerts' }).waitFor()
  const [reaction] = await expect(200, maker.api('GET', reactions))
  const webhooks = await expect(200, maker.api('GET', '/api/v2/webhook/data'))
  assert.deepEqual([webhooks.length, reaction.data_webhook_id], [1, webhooks[0].id])
})

inBrowser('what the service refuses is shown at its field', async (tab) => {
  await openPage(tab, service, user.email, '/strategies/new')
  await tab.getByLabel('Name', { exact: true }).fill('x'.repeat(256))
  await button(tab, 'Create').click()
  const name = tab.getByLabel('Name', { exact: true })
  await tab.locator('input[aria-invalid]').waitFor()
  assert.equal(await name.getAttribute('aria-invalid'), 'true')
  assert.deepEqual(
    (await read(codes)).map(({ name }: { name: string }) => name),
    ['Clock'],
  )
})

inBrowser('strategies are found by folder, kind, status and text', async (tab) => {
  const outer = await make(`${codes}/folder`, { name: 'Trend' })
  await make(codes, { name: hostile, symbol: 'ETHUSDT' })
  await make(codes, { name: 'Inside', folder_id: outer.id })
  await make(reactions, { name: 'Alerts' })
  await make('/api/v2/strategy/reaction/llm', { name: 'Reads news' })
  await openPage(tab, service, user.email, '/strategies')
  const row = (text: string) => tab.getByRole('row').filter({ hasText: text })
  await row('Alerts').waitFor()
  await assertText(row('ETH').or(row('<img src=x')).first(), /<img src=x onerror=/)
  assert.equal(
    await row('Reads news').getByRole('link').getAttribute('href'),
    `/ai-strategies/reaction/${(await read('/api/v2/strategy/reaction/llm'))[0].id}`,
  )
  await checkLooks(tab, 'strategies')
  await tab.getByLabel('Kind').selectOption('Code reaction')
  await row('Inside').waitFor({ state: 'detached' })
  assert.equal(new URL(tab.url()).search, '?kind=reaction')
  await tab.getByLabel('Kind').selectOption('')
  await tab.getByLabel('Name or symbol').fill('eth')
  await row('Alerts').waitFor({ state: 'detached' })
  await row('<img src=x').waitFor()
  await tab.getByLabel('Name or symbol').fill('nothing has this')
  await tab.getByText('No strategy fits these filters').waitFor()
  await tab.getByRole('link', { name: 'Show all strategies' }).click()

  await row('Alerts').waitFor()
  await tab.getByRole('navigation', { name: 'Folders' }).getByRole('link', { name: /Trend/ }).click()
  await row('Alerts').waitFor({ state: 'detached' })
  assert.equal(
    await button(tab, 'Delete').getAttribute('title'),
    'It still has 1 strategy. Move them out of it first.',
  )
  await button(tab, 'New folder').click()
  const dialog = tab.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Deep')
  await tab.keyboard.press('Enter')
  await tab.getByRole('heading', { level: 2, name: 'Trend / Deep' }).waitFor()
  await tab.getByText('This folder is empty').waitFor()
  await button(tab, 'Rename').click()
  await dialog.getByLabel('Name').fill('Deeper')
  await tab.keyboard.press('Enter')
  await tab.getByRole('heading', { level: 2, name: 'Trend / Deeper' }).waitFor()

  await tab.goto(`${service.url}/strategies?folder=${outer.id}`)
  await button(tab, 'Move Inside to a folder').click()
  await dialog.getByLabel('Folder').selectOption('Trend / Deeper')
  await button(tab, 'Move').click()
  await row('Inside').filter({ hasText: 'Trend / Deeper' }).waitFor()
  await button(tab, 'Move Inside to a folder').click()
  await checkLooks(tab, 'move')
  await dialog.getByLabel('Folder').selectOption('In no folder')
  await button(tab, 'Move').click()
  await tab.getByRole('link', { name: /Deeper/ }).click()
  await button(tab, 'Delete').click()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await tab.getByRole('link', { name: /Deeper/ }).waitFor({ state: 'detached' })
  assert.deepEqual(
    (await read(`${codes}/folder`)).map(({ name }: { name: string }) => name),
    ['Trend'],
  )
})

inBrowser('a strategy is switched on, suspended with its figure, and resumed', async (tab) => {
  const code = "await $.Storage.set('x'.repeat(30000))"
  const reaction = await makeReaction({ ...service, api: user.api }, code, { name: 'Too much' })
  await reaction.setStatus('INACTIVE')
  await openPage(tab, service, user.email, `/strategies/reaction/${reaction.id}`)
  await tab.getByRole('textbox', { name: 'Code', exact: true }).getByText('repeat(30000)').waitFor()
  await button(tab, 'Switch on').click()
  await button(tab, 'Switch off').waitFor()
  await openTab(tab, 'Runs')
  await tab.getByText('It has not run yet').waitFor()
  await expect(202, reaction.post({}))
  await tab.getByText(/stored 30,002 bytes; at most 24,576 are allowed/).waitFor()
  await tab.getByRole('row').filter({ hasText: 'Broke a rule' }).waitFor()
  await checkLooks(tab, 'suspended, runs')
  await button(tab, 'Resume').dblclick()
  await button(tab, 'Resume').waitFor({ state: 'detached' })
  assert.equal((await reaction.read()).status, 'ACTIVE')
})

inBrowser(
  'each time of a schedule shows what became of it, and switching off says what it leaves',
  async (tab) => {
    await openPage(tab, service, user.email, `/strategies/code/${clock}?tab=schedule`)
    const past = tab.getByRole('region', { name: 'Past times' })
    const ran = past.getByRole('row').filter({ hasText: 'Ran' }).filter({ hasText: 'Succeeded' }).first()
    await ran.waitFor()
    const number = await ran.getByRole('link').innerText()
    await openTab(tab, 'Runs')
    await tab.getByRole('row').getByRole('link', { name: number, exact: true }).waitFor()
    await openTab(tab, 'Schedule')
    await button(tab, 'Switch off').click()
    await tab.getByText('does not close a position').waitFor()
    await tab
      .getByText(/inactive/i)
      .first()
      .waitFor()
    await checkLooks(tab, 'switched off, schedule')
  },
)

inBrowser(
  'a schedule is shown in words and in both zones while one types',
  async (tab) => {
    const { id } = await make(codes, { name: 'Planned', cron_interval: '1H' })
    await openPage(tab, service, user.email, `/strategies/code/${id}?tab=schedule`)
    await tab.getByText('Runs every hour').waitFor()
    await tab.getByRole('combobox', { name: 'Runs' }).selectOption('At times of a calendar (cron)')
    await tab.getByLabel('Cron expression').fill('30 9 * * MON-FRI')
    await tab.getByLabel('Time zone').fill('America/New_York')
    await tab.getByText('Runs at 09:30, Monday through Friday').waitFor()
    const times = tab.getByRole('region', { name: 'Next times' })
    await times.getByRole('row').filter({ hasText: '09:30:00' }).nth(4).waitFor()
    await times.getByRole('columnheader', { name: 'Here, in Asia/Tokyo' }).waitFor()
    await tab.getByLabel('Cron expression').fill('30 25 * * *')
    await tab.getByText(/hour/).and(tab.locator('[id$=problem]')).waitFor()
    await tab.getByLabel('Cron expression').fill('0 8 * * 1')
    await tab.getByLabel('Time zone').fill('Nowhere/Land')
    await tab.locator('[id$=problem]').waitFor()
    await tab.getByLabel('Time zone').fill('Europe/Berlin')
    await tab.getByText('Runs at 08:00, only on Monday').waitFor()
    await tab.getByLabel('Time zone').press('Enter')
    await button(tab, 'Save the schedule').waitFor({ state: 'detached' })
    const { cron_interval, timezone } = await read(`${codes}/${id}`)
    assert.deepEqual([cron_interval, timezone], ['0 8 * * 1', 'Europe/Berlin'])
  },
  { timezoneId: 'Asia/Tokyo', locale: 'en-US' },
)

inBrowser('any two versions are compared, and one is restored over nothing unseen', async (tab) => {
  const { id } = await make(codes, { name: 'Versions', code: '$.log(1)\n$.log(2)' })
  const path = `${codes}/${id}`
  const save = (settings: object) => expect(200, user.api('PUT', path, settings))
  await save({ code: `$.log(1)\n$.log('${'<b>'} 3')`, reason: hostile })
  await save({ symbol: 'BTCUSDT' })
  await openPage(tab, service, user.email, `/strategies/code/${id}?tab=versions`)
  await tab.getByText('The code is the same.').waitFor()
  const versions = await read(`${path}/versions`)
  const first = versions.at(-1).version
  await button(tab, `Compare version ${first} with the current one`).click()
  const diff = tab.getByRole('region', { name: 'Changes of the code' })
  await diff.getByText('<b> 3').waitFor()
  await assertText(diff, /Removed:\s\$\.log\(2\)/)
  assert.equal(new URL(tab.url()).searchParams.get('from'), String(first))
  await checkLooks(tab, 'versions')
  await button(tab, `Restore version ${first}`).click()
  const dialog = tab.getByRole('dialog', { name: `Restore version ${first}` })
  await dialog.getByText(/It changes the code \(\+1 −1 lines\), symbols of its signals/).waitFor()
  await checkLooks(tab, 'restore')
  await save({ send_signal: true })
  await dialog.getByLabel('Why (optional)').fill('Back')
  await tab.keyboard.press('Enter')
  await dialog.getByText('Nothing was restored').waitFor()
  await dialog.getByText('whether it sends signals has changed').waitFor()
  await dialog.getByRole('button', { name: 'Restore over it' }).click()
  await dialog.waitFor({ state: 'detached' })
  await tab
    .getByRole('row')
    .filter({ hasText: `restored version ${first}` })
    .filter({ hasText: 'Back' })
    .waitFor()
  assert.equal((await read(path)).code, '$.log(1)\n$.log(2)')
})

inBrowser('settings are saved, and never over those of someone else unseen', async (tab) => {
  const folder = await make(`${codes}/folder`, { name: 'Settings' })
  await make('/api/v2/env', { name: 'LIMIT', value: 'x', folder_id: folder.id })
  const code = 'await $.Storage.set({ seen: 1 })\n$.log($.Env.LIMIT, $.Env.MISSING)'
  const { id } = await make(codes, { name: 'Settings', folder_id: folder.id, code })
  const path = `${codes}/${id}`
  await openPage(tab, service, user.email, `/strategies/code/${id}?tab=settings`)
  await tab.getByRole('row').filter({ hasText: 'LIMIT' }).filter({ hasText: 'Settings' }).waitFor()
  await tab.getByRole('row').filter({ hasText: 'MISSING' }).filter({ hasText: 'not defined' }).waitFor()
  assert.equal(await button(tab, 'Save').getAttribute('title'), 'Nothing has been changed.')
  await tab.getByLabel('Symbols of the signals').fill(' BTCUSDT ')
  await expect(200, user.api('PUT', path, { name: 'Theirs' }))
  await tab.getByText('name: Settings became Theirs').waitFor()
  await checkLooks(tab, 'settings, saved elsewhere')
  await button(tab, 'Save').click()
  await tab.getByText(/Nothing was saved: the settings have changed/).waitFor()
  await button(tab, 'Keep mine and save').click()
  await tab.getByText('saved elsewhere').waitFor({ state: 'detached' })
  const saved = await read(path)
  assert.deepEqual([saved.name, saved.symbol], ['Theirs', 'BTCUSDT'])

  await tab.getByLabel('Public').check()
  await tab.getByLabel('Name', { exact: true }).fill(hostile.slice(0, 200))
  await expect(200, user.api('PUT', path, { price_symbol: 'ETH/USDT' }))
  await button(tab, 'Load theirs').click()
  assert.equal(await tab.getByLabel('Symbol of the price').inputValue(), 'ETH/USDT')
  assert.equal((await read(path)).visibility, 'PRIVATE')
})

inBrowser('deleting asks first and names what ends; what it remembers is cleared', async (tab) => {
  const webhook = await make('/api/v2/webhook/bot', { name: 'Signals' })
  const exchanges = await read('/api/v2/exchange')
  const simulated = exchanges.find(({ type }: { type: string }) => type === 'SIM')
  await make('/api/v2/bot/signal/cex', {
    name: 'Follower',
    webhook_id: webhook.id,
    exchange_id: simulated.id,
    mode: 'paper',
    amount: 9,
  })
  const code = 'await $.Storage.set({ seen: 1 })\nawait $.Strategy.action($.Action.LONG)'
  const settings = { name: 'Going', webhook_id: webhook.id }
  const reaction = await makeReaction({ ...service, api: user.api }, code, settings)
  const { own: path } = reaction
  await expect(202, reaction.post({}))
  await reaction.ended(1)
  await openPage(tab, service, user.email, `/strategies/reaction/${reaction.id}?tab=settings`)
  await button(tab, 'Delete the stored value').click()
  const dialog = tab.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Delete the stored value' }).click()
  await tab.getByText('It has stored nothing.').waitFor()
  await button(tab, 'Forget the last action').click()
  await dialog.getByRole('button', { name: 'Forget the last action' }).click()
  await dialog.waitFor({ state: 'detached' })
  const { storage, last_trigger } = await read(path)
  assert.deepEqual([storage, last_trigger.action], [null, null])

  await button(tab, 'Delete').click()
  await dialog.getByText('Positions stay open').waitFor()
  await dialog.getByText('Follower').waitFor()
  await checkLooks(tab, 'delete a strategy')
  await tab.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await button(tab, 'Delete').click()
  await dialog.getByRole('button', { name: 'Delete' }).dblclick()
  await tab.getByRole('heading', { level: 1, name: 'Strategies' }).waitFor()
  await expect(404, user.api('GET', path))
})

inBrowser('the strategies of another user are as if they did not exist', async (tab) => {
  const { id } = await make(codes, { name: 'Secret plan' })
  const stranger = await signUpBrowser(service, 'stranger@strategies.example.com')
  await openPage(tab, service, stranger.email, `/strategies/code/${id}`)
  await tab.getByRole('alert').first().waitFor()
  assert.ok(!(await tab.locator('main').innerText()).includes('Secret plan'))
  await tab.getByRole('link', { name: 'Strategies' }).first().click()
  await tab.getByText('No strategy yet').waitFor()
})

test('all code to begin with works', async () => {
  const exchanges = await read('/api/v2/exchange')
  const simulated = exchanges.find(({ type }: { type: string }) => type === 'SIM')
  for (const [path, list, payload] of [
    [codes, starters.code, {}],
    [reactions, starters.reaction, { payload: { action: 'LONG', price: 100 } }],
  ] as const) {
    for (const { id, code, sends, market } of list) {
      const made = await make(path, {
        code: code('BTC/USDT'),
        send_signal: sends,
        symbol: 'BTCUSDT',
        use_price: market === 'price',
        exchange_id: simulated.id,
        price_symbol: 'BTC/USDT',
      })
      const { status, error } = await expect(200, user.api('POST', `${path}/${made.id}/test`, payload))
      assert.equal(status, 'SUCCEEDED', `${id}: ${JSON.stringify(error)}`)
      await expect(200, user.api('DELETE', `${path}/${made.id}`))
    }
  }
})
