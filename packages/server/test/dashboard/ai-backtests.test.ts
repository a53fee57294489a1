/** A backtest that asks the model of an AI reaction, from the form to the report, with a stand-in model. */
import assert from 'node:assert/strict'
import { before } from 'node:test'
import { letAnHourPass, risingCandles } from '../ai/backtests.ts'
import { makeThinker } from '../ai/reaction.ts'
import { call, type StandIn, says, startProvider } from '../ai/stand-in.ts'
import { createTestDatabase, fileResources } from '../databases.ts'
import { inBrowser } from '../in-browser.ts'
import { expect, makeReaction } from '../reaction.ts'
import { startService, type TestService } from '../service.ts'
import { type Browser, signUpBrowser } from '../users.ts'
import { checkLooks } from './looks.ts'
import { openPage } from './open-page.ts'

let service: TestService
let user: Browser
let provider: StandIn

before(async () => {
  const model = says({ calls: [call('open_position', { direction: 'LONG' })] }, { text: 'It rises.' })
  provider = fileResources.use(await startProvider('openai', model))
  const database = fileResources.use(await createTestDatabase())
  service = fileResources.use(await startService({ database, env: { HTTP_ALLOW: provider.host } }))
  user = await signUpBrowser(service, 'ada@example.com')
  const client = { ...service, api: user.api }
  await makeReaction(client, '$.log(1)', { name: 'By code' })
  const judge = await makeThinker(client, provider, { name: 'Judge', prompt: 'Decide: {{data}}' })
  await judge.setStatus('INACTIVE')
  await judge.post({ price: 100 })
  await letAnHourPass(database)
  const named = { name: 'Minutes', symbol: 'BTC/USDT', interval: '1m' }
  const { id } = await expect(201, user.api('POST', '/api/v2/candle', named))
  const csv = ['time,open,high,low,close,volume', ...risingCandles().map((candle) => candle.join(','))].join(
    '\n',
  )
  await expect(200, user.api('POST', `/api/v2/candle/${id}/import`, { csv }))
})

inBrowser('a model is asked within a budget, after the form has said what that may take', async (tab) => {
  const before = provider.questions.length
  await openPage(tab, service, user.email, '/backtests/new')
  await tab.getByLabel('Strategy or reaction').selectOption({ label: 'Judge' })
  // A model decides on deliveries only.
  assert.equal(await tab.getByLabel('Bots follow').inputValue(), 'deliveries')
  assert.equal(await tab.getByLabel('Parameters').count(), 0)
  await tab.getByLabel('Decisions').selectOption('live')
  const next = tab.getByRole('button', { name: 'See what it takes' })
  await next.click()
  await tab.locator('[aria-invalid=true]').and(tab.getByLabel('Most tokens')).waitFor()
  await tab.getByLabel('Most tokens').fill('200000')
  await next.click()
  await tab
    .getByText(/It is asked about 1 other\. .*at most 200,000 tokens\. The result cannot be repeated\./)
    .waitFor()
  assert.equal(provider.questions.length, before, 'an estimate asks no model')
  await checkLooks(tab, 'a backtest that asks a model')
  await tab.getByRole('button', { name: 'Start the backtest' }).click()
  await tab.getByRole('heading', { name: 'Reasons for doubt' }).waitFor()
  const texts = provider.questions.slice(before).map(({ text }) => text)
  assert.ok(texts.length > 0 && texts.every((text) => /Decide:.*\{"price":100\}/s.test(text)), texts.join())
  await tab.getByRole('row').filter({ hasText: 'Sharpe' }).first().waitFor()
  await checkLooks(tab, 'the report of a backtest that asked a model')
})
