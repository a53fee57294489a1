/** The overview, with a real process and a real browser. */
import assert from 'node:assert/strict'
import { before } from 'node:test'
import { inBrowser } from '../in-browser.ts'
import { expect, makeReaction } from '../reaction.ts'
import { until } from '../until.ts'
import { type Browser, signUpBrowser } from '../users.ts'
import { assertText } from './assert-shown.ts'
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
  await tab.getByText('Nothing has happened yet.').waitFor()
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
      // What the opening costs is more than the price gains while this test looks.
      ...{ mode: 'paper', amount: 100, start_balance: 5000, slippage_rate: '0.004' },
    }),
  )
  await expect(200, user.api('PUT', `${bots}/${bot.id}/status`, { status: 'ACTIVE' }))
  const reaction = await makeReaction(
    { ...service, api: user.api },
    `const { hostile, wrong, exit } = JSON.parse($.Request.data)
    if (hostile) for (;;) {}
    if (wrong) throw new Error('wrong')
    await $.Strategy.action(exit ? $.Action.EXIT : $.Action.LONG)`,
    { name: 'Buyer', symbol: 'BTC/USDT', webhook_id: webhook.id },
  )
  await openPage(tab, service, user.email, '/overview')
  await tab.getByText('5,000.00').waitFor()
  await tab.getByText('No curve: the equity of these bots has not changed in 30 days.').waitFor()
  await expect(202, reaction.post({}))
  const signal = tab.getByRole('listitem').filter({ hasText: 'LONG' })
  await signal.filter({ hasText: '1 done' }).waitFor()
  const feed = tab.getByRole('list', { name: 'What happens' }).getByRole('listitem')
  await feed.filter({ hasText: /^Payload.* · 1 reaction/ }).waitFor()
  await feed.filter({ hasText: /^Fillbought 0\.\d+ BTC\/USDT at .* PAPER Follower/ }).waitFor()
  const positions = tab.getByRole('region', { name: 'Open positions' })
  await positions.getByRole('row', { name: /BTC\/USDT Not protected PAPER Follower long/ }).waitFor()
  await tab.getByText(/^Drawdown now 0\.\d\d \(0\.\d\d %\)/).waitFor()
  const curve = (words: string) =>
    tab.getByRole('img', {
      name: new RegExp(
        `^Equity of paper bots in USDT: from 5,000\\.00 to 4,999\\.\\d\\d in ${words}, with a largest drawdown of 0\\.\\d\\d\\.`,
      ),
    })
  await curve('30 days').and(tab.locator('[data-drawn]')).waitFor()
  await tab.getByRole('button', { name: '7 days' }).click()
  await curve('7 days').and(tab.locator('[data-drawn]')).waitFor()
  assert.equal(new URL(tab.url()).search, '?range=week')
  await tab.getByRole('button', { name: 'Show as table' }).click()
  await tab
    .getByRole('row', { name: /4,999\.\d\d.* 0\.\d\d %/ })
    .first()
    .waitFor()

  await expect(202, reaction.post({ wrong: true }))
  const failed = tab.getByRole('alert').filter({ hasText: '1 run of Buyer failed in the last 24 hours.' })
  await feed.filter({ hasText: 'FailedBuyer · wrong' }).waitFor()
  const runs = await failed.getByRole('link').getAttribute('href')
  assert.match(runs!, /^\/runs\?status=FAILED&strategy=\d+&range=day$/)

  // The turn of the close comes while the bot is off, so its owner decides whether it closes the position.
  await expect(200, user.api('PUT', `${bots}/${bot.id}`, { delay_seconds: 600 }))
  await expect(202, reaction.post({ exit: true }))
  await tab.getByRole('listitem').filter({ hasText: 'EXIT' }).filter({ hasText: '1 delayed' }).waitFor()
  await expect(200, user.api('PUT', `${bots}/${bot.id}/status`, { status: 'INACTIVE' }))
  await expect(200, user.api('PUT', `${bots}/${bot.id}`, { delay_seconds: 0 }))
  const waits = tab.getByRole('alert').filter({ hasText: 'Follower: a close waits for you, of BTC/USDT.' })
  await waits.getByRole('button', { name: 'Decide' }).click()
  const dialog = tab.getByRole('dialog', { name: 'A close that waits' })
  await dialog.getByText(/Follower PAPER holds long .* BTC\/USDT/).waitFor()
  await dialog.getByRole('button', { name: 'Call it off' }).click()
  await dialog.getByText('The close is called off. The position stays as it is.').waitFor()
  await tab.keyboard.press('Escape')
  await waits.waitFor({ state: 'detached' })

  await expect(202, reaction.post({ hostile: true }))
  const need = tab.getByRole('alert').filter({ hasText: 'Buyer is suspended' })
  await need.waitFor()
  await feed.filter({ hasText: /^Broke a ruleBuyer · suspended: [\w-]+, \d/ }).waitFor()
  await need.getByRole('link').click()
  await tab.getByRole('heading', { name: 'Receipt' }).waitFor()
  await assertText(tab.locator('main'), /Broke a rule/)
})

inBrowser('a page that is left while its chart library arrives does not fail', async (tab) => {
  // The library arrives as soon as the chart has left the document. On a slow machine, React ends the effects of the page
  // only some moments later.
  const arrivesLate = `
    globalThis.waits = true
    await new Promise((resolve) => {
      const look = () => {
        if (document.querySelector('[aria-label^="Equity of"]')?.checkVisibility()) return
        globalThis.arrived = true
        resolve()
      }
      new MutationObserver(look).observe(document.body, { attributes: true, childList: true, subtree: true })
    })\n`
  await tab.route(/\/assets\/draw-equity-[^/]+\.js$/, async (route) => {
    const library = await (await route.fetch()).text()
    await route.fulfill({ contentType: 'text/javascript', body: arrivesLate + library })
  })
  await openPage(tab, service, user.email, '/overview')
  await until('the library waits', () => tab.evaluate<boolean>('globalThis.waits === true'))
  const session = await tab.context().newCDPSession(tab)
  await session.send('Emulation.setCPUThrottlingRate', { rate: 10 })
  await tab.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Runs' }).click()
  await tab.getByRole('heading', { level: 1, name: 'Runs' }).waitFor()
  await until('the library is there', () => tab.evaluate<boolean>('globalThis.arrived === true'))
})
