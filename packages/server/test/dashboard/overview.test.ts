/** The overview, with a real process and a real browser. */
import assert from 'node:assert/strict'
import { before } from 'node:test'
import { inBrowser } from '../in-browser.ts'
import { expect, makeReaction } from '../reaction.ts'
import { type Browser, signUpBrowser } from '../users.ts'
import { openPage } from './open-page.ts'
import { type PagesService, pagesService } from './pages-service.ts'

let service: PagesService
let user: Browser

before(async () => {
  service = await pagesService()
  user = await signUpBrowser(service, 'ada@overview.example.com')
})

inBrowser('an empty account says what fills it', async (tab) => {
  await openPage(tab, service, user.email, '/overview')
  await tab.getByRole('heading', { name: 'You have no bots yet' }).waitFor()
  await tab.getByText('No bot holds anything.').waitFor()
  await tab.getByText('No active strategy has a schedule.').waitFor()
  await tab.getByText('No signal yet.').waitFor()
})

inBrowser('a payload becomes a signal, a position and equity while the page is open', async (tab) => {
  const exchanges = await expect(200, user.api('GET', '/api/v2/exchange'))
  const simulated = exchanges.find(({ name }: { name: string }) => name === 'Simulated market')
  const webhook = await expect(201, user.api('POST', '/api/v2/webhook/bot', { name: 'Signals' }))
  const bots = '/api/v2/bot/signal/cex'
  const bot = await expect(
    201,
    user.api('POST', bots, {
      ...{ name: 'Follower', webhook_id: webhook.id, exchange_id: simulated.id, symbol: 'BTC/USDT' },
      ...{ mode: 'paper', amount: 100, start_balance: 5000 },
    }),
  )
  await expect(200, user.api('PUT', `${bots}/${bot.id}/status`, { status: 'ACTIVE' }))
  const reaction = await makeReaction(
    { ...service, api: user.api },
    `if (JSON.parse($.Request.data).hostile) for (;;) {}
    await $.Strategy.action($.Action.LONG)`,
    { name: 'Buyer', symbol: 'BTC/USDT', webhook_id: webhook.id },
  )
  await openPage(tab, service, user.email, '/overview')
  await tab.getByText('5,000.00').waitFor()
  await expect(202, reaction.post({}))
  const signal = tab.getByRole('listitem').filter({ hasText: 'LONG' })
  await signal.filter({ hasText: '1 done' }).waitFor()
  await tab.getByRole('region', { name: 'Open positions' }).getByText('BTC/USDT').waitFor()

  await expect(202, reaction.post({ hostile: true }))
  const need = tab.getByRole('alert').filter({ hasText: 'Buyer is suspended' })
  await need.waitFor()
  await need.getByRole('link').click()
  await tab.getByRole('heading', { name: 'Receipt' }).waitFor()
  assert.match(await tab.locator('main').innerText(), /Broke a rule/)
})
