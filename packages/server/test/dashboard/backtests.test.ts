/** Backtests: candles from a file, an estimate, a report as a link, and two reports side by side, in a real browser. */
import assert from 'node:assert/strict'
import { before } from 'node:test'
import type { Page } from 'playwright-core'
import { inBrowser } from '../in-browser.ts'
import { longPatienceMs } from '../patience.ts'
import { expect, makeReaction } from '../reaction.ts'
import { until } from '../until.ts'
import { type Browser, signUpBrowser } from '../users.ts'
import { checkLooks } from './looks.ts'
import { openPage, visit } from './open-page.ts'
import { type PagesService, pagesService } from './pages-service.ts'

let service: PagesService
let user: Browser
let strategyId: number

const hourMs = 3_600_000
/** Prices that rise for a day and fall for a day, from 2026 on. */
const candles = Array.from({ length: 240 }, (_, index) => {
  const price = 100 + Math.abs(24 - (index % 48))
  return [Date.UTC(2026, 0, 1) + index * hourMs, price, price + 1, price - 1, price, 5].join(',')
})
const csv = `time,open,high,low,close,volume\n${candles.join('\n')}\n`

const code = `
const { price } = $.Price
const last = await $.Storage.get()
await $.Storage.set(price)
if (price > 120) $.log('high <i>')
if (typeof last === 'number') await $.Strategy.action(price > last ? 'LONG' : 'EXIT')
`

before(async () => {
  service = await pagesService()
  user = await signUpBrowser(service, 'ada@backtests.example.com')
  strategyId = (await makeReaction({ ...service, api: user.api }, code)).id
})

inBrowser('from a file of candles and a strategy to a report that is a link', async (tab) => {
  await openPage(tab, service, user.email, `/backtests/new?strategy=${strategyId}`)
  await tab.getByText('There are no candles yet').waitFor()
  await tab.getByRole('button', { name: 'Import candles from a file' }).click()
  const dialog = tab.getByRole('dialog', { name: 'Import candles' })
  await dialog.getByLabel('Symbol').fill('BTC/USDT')
  await dialog.getByLabel('Each candle lasts').fill('1h')
  await dialog.getByRole('button', { name: 'Import' }).click()
  await dialog.getByText('Choose a file.').waitFor()
  const file = (text: string) => ({ name: 'candles.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })
  await dialog.getByLabel('File').setInputFiles(file(csv.replace('\n1767', '\nno time, 1767')))
  await dialog.getByRole('button', { name: 'Import' }).click()
  await dialog.getByRole('alert').getByText('line 2').waitFor()
  await checkLooks(tab, 'the dialog for candles')
  await dialog.getByLabel('File').setInputFiles(file(csv))
  await dialog.getByRole('button', { name: 'Import' }).click()
  await dialog.waitFor({ state: 'detached' })
  assert.equal((await expect(200, user.api('GET', '/api/v2/candle'))).length, 1)

  await tab.getByLabel('Parameters').fill('SPEED')
  await tab.getByRole('button', { name: 'See what it takes' }).click()
  await tab.getByText('Line 1 is not NAME=value').waitFor()
  await tab.getByLabel('Parameters').fill('SPEED=1')
  await tab.getByRole('button', { name: 'See what it takes' }).click()
  await tab.locator('[aria-invalid=true]').and(tab.getByLabel('Parameters')).waitFor()
  await tab.getByText(/^SPEED: Is never read/).waitFor()
  await tab.getByLabel('Parameters').fill('')
  await tab.getByLabel('Amount').fill('-5')
  await tab.getByRole('button', { name: 'See what it takes' }).click()
  await tab.locator('[aria-invalid=true]').and(tab.getByLabel('Amount')).waitFor()
  await tab.getByLabel('Amount').fill('500')
  await tab.getByRole('button', { name: 'See what it takes' }).click()
  await tab.getByText('The code runs 240 times on 240 candles').waitFor()
  await checkLooks(tab, 'the form')
  await tab.getByRole('button', { name: 'Start the backtest' }).click()
  await tab.getByRole('heading', { level: 1, name: /^Backtest \d+$/ }).waitFor()
  await tab.getByRole('tab', { name: 'Report' }).waitFor({ timeout })
  await tab.getByRole('row').filter({ hasText: 'Sharpe' }).first().waitFor({ timeout })
  await tab.getByRole('heading', { name: 'Reasons for doubt' }).waitFor({ timeout })
  await checkLooks(tab, 'the report')
})

/** A service computes one backtest after the other, and other files share this one. */
const timeout = 3 * longPatienceMs

/** Starts a backtest by the API, and waits until it is over. */
async function finished(fields: object): Promise<number> {
  const [series] = await expect(200, user.api('GET', '/api/v2/candle'))
  const body = { strategy_id: strategyId, candle_id: series.id, examine: false, ...fields }
  const { id } = await expect(202, user.api('POST', '/api/v2/backtest', body))
  const isOver = async () =>
    (await expect(200, user.api('GET', `/api/v2/backtest/${id}`))).status === 'FINISHED'
  await until('the backtest to be over', isOver, timeout)
  return id
}

const tabs: [name: string, ready: (tab: Page) => Promise<unknown>][] = [
  ['Chart', (tab) => tab.getByRole('img', { name: /240 candles of 1h, .* signals, [\d,]+ fills/ }).waitFor()],
  ['Equity', (tab) => tab.locator('[role=img][data-drawn]').waitFor()],
  ['Trades', (tab) => tab.getByRole('row').filter({ hasText: 'LONG' }).first().waitFor()],
  ['Signals', (tab) => tab.getByRole('row').filter({ hasText: 'EXIT' }).first().waitFor()],
  ['Runs', (tab) => tab.getByRole('row').filter({ hasText: 'high <i>' }).first().waitFor()],
  ['Request', (tab) => tab.getByRole('row').filter({ hasText: 'fee rate' }).first().waitFor()],
]

inBrowser('a report has its lists, stands beside another one, and begins a new request', async (tab) => {
  const sweep = { settings: { amount: ['250', '500'], slippage_rate: ['0', '0.001'] } }
  const cheap = await finished({ bots: [{ name: 'cheap', fee_rate: '0' }], sweep })
  const dear = await finished({ bots: [{ name: 'dear', amount: 500, fee_rate: '0.01' }] })
  await openPage(tab, service, user.email, `/backtests/${dear}?tab=report`)
  for (const [name, ready] of tabs) {
    await tab.getByRole('tab', { name, exact: true }).click()
    await ready(tab)
    await checkLooks(tab, `the tab ${name}`)
  }
  await visit(tab, `/backtests/${dear}?tab=chart&interval=7h`)
  await tab.getByRole('img', { name: /candles of 1h/ }).waitFor()
  await visit(tab, `/backtests/${dear}?tab=report`)
  await tab.getByRole('tab', { name: 'Compare' }).click()
  await tab.getByLabel('Beside').selectOption(String(cheap))
  const costs = tab.getByRole('row').filter({ hasText: 'Costs of trading' })
  await costs.filter({ hasText: '0.00 USDT' }).waitFor()
  await checkLooks(tab, 'the comparison')
  const link = tab.url()
  assert.equal(new URL(link).search, `?tab=compare&with=${cheap}`)
  await tab.reload()
  await costs.waitFor()

  await tab.getByRole('link', { name: 'Run again with changes' }).click()
  await tab.getByRole('heading', { level: 1, name: 'New backtest' }).waitFor()
  assert.equal(await tab.getByLabel('Fee').inputValue(), '0.01')

  await tab.getByRole('link', { name: 'Backtests', exact: true }).first().click()
  const row = tab
    .getByRole('row')
    .filter({ has: tab.getByRole('link', { name: `Backtest ${cheap}, finished` }) })
  await row.filter({ hasText: 'Finished' }).waitFor()
  await checkLooks(tab, 'the list')
  await row.getByRole('link').first().click()
  await tab.getByRole('tab', { name: 'Sweep' }).click()
  await tab.getByRole('cell', { name: '★' }).waitFor()
  await checkLooks(tab, 'the sweep')
  await tab.getByText('4 combinations of amount, slippage rate').waitFor()
  await tab.getByRole('link', { name: 'Run again with changes' }).click()
  await tab.getByLabel('Amounts to try').waitFor()
  assert.equal(await tab.getByLabel('Amounts to try').inputValue(), '250, 500')
  assert.equal(await tab.getByLabel('Slippages to try').inputValue(), '0, 0.001')
  await tab.goBack()
  await tab.getByRole('button', { name: 'Delete' }).click()
  await tab.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await tab.getByRole('heading', { level: 1, name: 'Backtests' }).waitFor()
  assert.equal((await user.api('GET', `/api/v2/backtest/${cheap}`)).status, 404)
})

inBrowser(
  'a sweep with its market and start is asked for in the form, and comes back into it',
  async (tab) => {
    const [series] = await expect(200, user.api('GET', '/api/v2/candle'))
    await openPage(tab, service, user.email, `/backtests/new?strategy=${strategyId}`)
    await tab.getByLabel('Candles', { exact: true }).selectOption(String(series.id))
    for (const title of ['Market', 'What the code begins with', 'Sweep: try many combinations'])
      await tab.getByText(title, { exact: true }).click()
    await tab.getByLabel('Part of the volume').fill('2')
    await tab.getByLabel('Latency').fill('500')
    await tab.getByLabel('Storage', { exact: true }).selectOption('given')
    await tab.getByLabel('Object in the storage').fill('[1]')
    await tab.getByLabel('What to try').selectOption('grid')
    await tab.getByLabel('Values of each name').fill('price=2..1')
    await tab.getByLabel('Fees to try').fill('0, 0.01')
    const ask = () => tab.getByRole('button', { name: 'See what it takes' }).click()
    await ask()
    await tab.getByText('Must be a JSON object').waitFor()
    await tab.getByText('Line 1 never ends: 2..1.').waitFor()
    await tab.getByLabel('Values of each name').fill('price=1..2')
    await tab.getByLabel('Object in the storage').fill('{ "n": 1 }')
    await ask()
    await tab.locator('[aria-invalid=true]').and(tab.getByLabel('Part of the volume')).waitFor()
    await checkLooks(tab, 'the form with all its parts')
    await tab.getByLabel('Part of the volume').fill('0.5')
    await ask()
    await tab.getByText('The sweep tries 4 combinations.').waitFor()
    await tab.getByText('The code runs 720 times on 240 candles').waitFor()
    await tab.getByRole('button', { name: 'Start the backtest' }).click()
    await tab.getByRole('heading', { level: 1, name: /^Backtest \d+$/ }).waitFor()
    await tab.getByRole('link', { name: 'Run again with changes' }).click()
    await tab.getByLabel('Values of each name').waitFor()
    const filled = async (label: string) => await tab.getByLabel(label, { exact: true }).inputValue()
    assert.equal(await filled('Values of each name'), 'price=1, 2')
    assert.equal(await filled('Fees to try'), '0, 0.01')
    assert.equal(await filled('Part of the volume'), '0.5')
    assert.equal(await filled('Latency'), '500')
    assert.deepEqual(JSON.parse(await filled('Object in the storage')), { n: 1 })
    await tab.getByLabel('Funding', { exact: true }).selectOption('yes')
    await tab.getByLabel('Rates', { exact: true }).selectOption('own')
    await tab.getByLabel('Rates, oldest first').fill('2026-01-01')
    await ask()
    await tab.getByText('Line 1 must be a time, a rate and').waitFor()
    const candles = [0, 1].map((hour) => [Date.UTC(2026, 0, 1, hour), 1, 1, 1, 1, 1])
    const rates = [
      ['2026-01-01T00:00:00Z', '0.0001', '1.5'],
      ['2026-01-01T01:00:00Z', -1e-7],
    ]
    const market = { funding: { rates, assume: '0.0001' } }
    const perpetual = { strategy_id: strategyId, symbol: 'BTC/USDT:USDT', candles, market }
    const { id } = await expect(202, user.api('POST', '/api/v2/backtest', perpetual))
    await visit(tab, `/backtests/${id}`)
    await tab.getByRole('link', { name: 'Run again with changes' }).click()
    await tab.getByLabel('Rates, oldest first').waitFor()
    assert.equal(await filled('Rates'), 'own')
    const lines = '2026-01-01T00:00:00Z, 0.0001, 1.5\n2026-01-01T01:00:00Z, -1e-7'
    assert.equal(await filled('Rates, oldest first'), lines)
    await tab.getByLabel('Bots follow').selectOption('signals')
    await ask()
    await tab.getByText('Choose the bot webhook.').waitFor()
    assert.equal(await tab.getByLabel('Strategy or reaction').count(), 0)
  },
)
