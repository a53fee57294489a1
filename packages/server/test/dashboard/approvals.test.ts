/** Approvals: what waits, deciding once, and money at risk, with a real service, a real browser and a stand-in model. */
import assert from 'node:assert/strict'
import { before } from 'node:test'
import { sql } from 'drizzle-orm'
import type { Page, Route } from 'playwright-core'
import { type Asker, makeAsker, open } from '../ai/approval.ts'
import { makeAiConnection, makeThinker } from '../ai/reaction.ts'
import { call, type Model, type StandIn, says, startProvider } from '../ai/stand-in.ts'
import { futures, makeBot } from '../bot.ts'
import type { Client } from '../client.ts'
import { makeConnection, startExchange } from '../connection.ts'
import { createTestDatabase, fileResources, type TestDatabase } from '../databases.ts'
import { inBrowser } from '../in-browser.ts'
import { expect, makeReaction } from '../reaction.ts'
import { startService, type TestService } from '../service.ts'
import { type Browser, signUpBrowser } from '../users.ts'
import { assertText } from './assert-shown.ts'
import { checkLooks } from './looks.ts'
import { openPage } from './open-page.ts'

let service: TestService
let database: TestDatabase
let user: Browser
let client: Client
let provider: StandIn
let connection_id: number
/** A bot that trades with money follows it. */
let liveWebhook: number
let model: Model = says()
/** Its bot trades on paper. */
let careful: Asker
/** Its bot trades with money. */
let daring: Asker

const hostile = '<img src=x onerror=alert(1)> \u202egnol'

before(async () => {
  const exchange = fileResources.use(await startExchange())
  provider = fileResources.use(await startProvider('openai', (asked) => model(asked)))
  database = fileResources.use(await createTestDatabase())
  const env = { MARKET: 'live', HTTP_ALLOW: provider.host, ...exchange.env }
  service = fileResources.use(await startService({ database, env }))
  user = await signUpBrowser(service, 'ada@example.com', 'admin')
  client = { ...service, api: user.api }
  const setModel = (next: Model) => {
    model = next
  }
  connection_id = await makeAiConnection(client, provider)
  await expect(200, user.api('PUT', '/api/v2/trading', { live_trading: true }))
  const account = await makeConnection(client, exchange, { exchange_id: futures })
  const paper = await makeBot(client, { name: `Practice ${hostile}`, amount: '100.10' })
  const live = await makeBot(client, {
    name: 'Earner',
    mode: 'live',
    connection_id: account.id,
    amount: '50',
  })
  liveWebhook = live.webhookId
  const settings = { connection_id, max_size: 500, symbol: 'BTC/USDT' }
  const make = (fields: Record<string, unknown>) =>
    makeAsker(client, { provider, setModel }, { ...settings, ...fields })
  careful = await make({ name: `Judge ${hostile}`, webhook_id: paper.webhookId })
  daring = await make({ name: 'Daring', webhook_id: live.webhookId })
})

const cardOf = (tab: Page, name: string) => tab.getByRole('article').filter({ hasText: name })

inBrowser('a card says what the model wants and why, and its keys decide once', async (tab) => {
  await openPage(tab, service, user.email, '/approvals')
  await tab.getByText('Nothing waits for you').waitFor()
  await checkLooks(tab, 'no approvals')
  await careful.ask(open('LONG'))
  await daring.ask(open('SHORT', { size: 0.0000001 }))
  const card = cardOf(tab, 'Judge')
  await assertText(card, /Judge <img src=x onerror=alert\(1\)> U\+202Egnol/)
  await assertText(card, /\b1[45]:\d\d\b[\s\S]*LONG\s+BTC\/USDT\s+PAPER\s+Practice[\s\S]*100\.1 USDT/)
  // The card may be there before the model has said why.
  await assertText(card, /From the model\s+why\s+I have asked\./)
  const money = cardOf(tab, 'Daring')
  await assertText(money, /SHORT\s+BTC\/USDT\s+LIVE\s+Earner\s+0\.0000001 USDT/)
  await checkLooks(tab, 'two approvals')

  await card.focus()
  await tab.keyboard.press('ArrowRight')
  assert.ok(await money.evaluate((element) => element === element.ownerDocument.activeElement))
  await tab.keyboard.press('ArrowLeft')
  await Promise.all([tab.keyboard.press('a'), tab.keyboard.press('a')])
  await card.getByText(/It was sent as signal \d+/).waitFor()
  assert.equal((await careful.signals()).length, 1)
  assert.ok(await card.evaluate((element) => element === element.ownerDocument.activeElement))
  const row = tab.getByRole('row').filter({ hasText: 'Approved' })
  await row.filter({ hasText: 'You, from 127.0.0.1' }).waitFor()

  await tab.keyboard.press('ArrowRight')
  await tab.keyboard.press('r')
  await money.getByText('It is never sent.').waitFor()
  assert.equal((await daring.signals()).length, 0)
  await tab.getByRole('button', { name: 'Clear 2 decided' }).click()
  await tab.getByText('Nothing waits for you').waitFor()
  await tab.getByLabel('Outcome').selectOption('Rejected')
  await row.waitFor({ state: 'detached' })
  assert.equal(new URL(tab.url()).search, '?status=REJECTED')
})

inBrowser('a card gets the reason as soon as the model has said it', async (tab) => {
  const slow = await makeThinker(client, provider, {
    ...{ connection_id, name: 'Slow', needs_approval: true, symbol: 'BTC/USDT' },
  })
  const reason = Promise.withResolvers<{ text: string }>()
  model = says(open('LONG'), reason.promise)
  await openPage(tab, service, user.email, '/approvals')
  await slow.post({})
  const card = cardOf(tab, 'Slow')
  await card.getByText('It has not said why.').waitFor()
  reason.resolve({ text: 'The trend has turned.' })
  await card.getByText('The trend has turned.').waitFor()
  await card.getByRole('button', { name: 'Reject' }).click()
  await card.getByText('It is never sent.').waitFor()
})

inBrowser('approving with money asks once more, and names bot, mode, symbol and size', async (tab) => {
  const { id } = await daring.ask(open('LONG', { size: 250 }))
  await tab.setViewportSize({ width: 390, height: 800 })
  await openPage(tab, service, user.email, '/approvals')
  const card = cardOf(tab, 'Daring')
  const approve = card.getByRole('button', { name: 'Approve' })
  assert.ok((await approve.boundingBox())!.height >= 48, 'large enough for a thumb')
  await card.focus()
  await tab.keyboard.press('a')
  const dialog = tab.getByRole('dialog', { name: 'Approve with real money' })
  await assertText(dialog, /LONG\s+BTC\/USDT\s+LIVE\s+Earner\s+250 USDT/)
  await checkLooks(tab, 'approving with money')
  // A second A does nothing, and Escape decides nothing.
  await tab.keyboard.press('a')
  await tab.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  assert.equal((await expect(200, user.api('GET', `/api/v2/approval/${id}`))).status, 'PENDING')
  await approve.click()
  await dialog.getByRole('button', { name: 'Approve' }).dblclick()
  await card.getByText(/It was sent as signal \d+/).waitFor()
  assert.equal((await daring.signals()).length, 1)
})

inBrowser('two tabs decide once, and the second one says how it ended', async (tab) => {
  await careful.ask({ calls: [{ name: 'close_position', input: '{}' }] })
  await openPage(tab, service, user.email, '/approvals')
  const other = await tab.context().newPage()
  await other.goto(`${service.url}/approvals`)
  const [mine, theirs] = [cardOf(tab, 'Judge'), cardOf(other, 'Judge')]
  await assertText(mine, /EXIT\s+BTC\/USDT\s+PAPER[\s\S]*the whole position/)
  // Neither decision is sent before both are made.
  const both = Promise.withResolvers<void>()
  let held = 0
  const hold = async (route: Route) => {
    held += 1
    if (held === 2) both.resolve()
    await both.promise
    await route.continue()
  }
  await tab.route('**/approve', hold)
  await other.route('**/reject', hold)
  await mine.getByRole('button', { name: 'Approve' }).click()
  await theirs.getByRole('button', { name: 'Reject' }).click()
  const [first, second] = await Promise.all(
    [mine, theirs].map((card) => card.getByText(/^(Approved|Rejected)$/).innerText()),
  )
  assert.equal(first, second)
  assert.ok((await careful.signals()).length <= 2)
})

inBrowser('an approval that has ended in the meantime says so, and nothing is sent', async (tab) => {
  const signals = (await careful.signals()).length
  const { id } = await careful.ask(open('SHORT'))
  await openPage(tab, service, user.email, '/approvals')
  const card = cardOf(tab, 'Judge')
  await card.waitFor()
  const { db } = await database.open()
  // It ends on the way of the decision, so that the page still has the button.
  await tab.route(`**/approval/${id}/approve`, async (route) => {
    await db.execute(
      sql`update approvals set expires_at = clock_timestamp() - interval '1 s' where id = ${id}`,
    )
    await route.continue()
  })
  await card.getByRole('button', { name: 'Approve' }).click()
  await card.getByText('Nobody decided in time').waitFor()
  await careful.ask(open('SHORT'))
  await tab.getByRole('article').nth(1).waitFor()
  await careful.ask(open('SHORT'))
  await card.getByText('The strategy has asked for another action since.').waitFor()
  assert.equal((await careful.signals()).length, signals)
})

inBrowser('a decision whose answer was lost is read again, never guessed', async (tab) => {
  await careful.ask(open('LONG'))
  const signals = (await careful.signals()).length
  await openPage(tab, service, user.email, '/approvals')
  const card = cardOf(tab, 'Judge')
  const approve = card.getByRole('button', { name: 'Approve' })
  const decisions = /\/api\/v2\/approval\/\d+\/approve$/
  await tab.route(decisions, (route) => route.abort())
  await approve.click()
  await card.getByText('The decision did not arrive: the action still waits.').waitFor()
  await tab.unroute(decisions)
  await tab.route(decisions, async (route) => {
    await route.fetch()
    await route.abort()
  })
  await approve.press('Enter')
  await card.getByText(/It was sent as signal \d+/).waitFor()
  assert.equal((await careful.signals()).length, signals + 1)
  // The button is gone, and the keyboard goes on from the card.
  assert.equal(await tab.evaluate('document.activeElement.hasAttribute("data-card")'), true)
})

inBrowser(
  'a change shows its code and its strategy, and is made only of the version that it shows',
  async (tab) => {
    const target = await makeReaction(client, 'const edge = 1\n$.log(edge)\n', {
      ...{ name: `Scalper ${hostile}`, webhook_id: liveWebhook },
    })
    const teacher = await makeThinker(client, provider, {
      ...{ connection_id, name: 'Teacher', tools: ['set_strategy'], may_change: [target.id] },
    })
    let runs = 0
    const ask = async (code: string) => {
      model = says({ calls: [call('set_strategy', { id: target.id, code })] }, { text: 'Less is lost.' })
      await teacher.post({})
      const { status, error } = (await teacher.ended(++runs))[runs - 1]!
      assert.deepEqual([status, error], ['SUCCEEDED', null])
    }
    await openPage(tab, service, user.email, '/approvals')
    await ask('const edge = 2 // <img src=x> \u202egnol\n$.log(edge)\n')
    const card = cardOf(tab, 'Teacher')
    const diff = card.getByRole('region', { name: 'Changes of the code' })
    await diff.waitFor()
    // The bots behind the strategy are read after the change.
    await card.getByText('Earner').waitFor()
    await assertText(
      card,
      /Replace the code of\s+Scalper <img src=x onerror=alert\(1\)> U\+202Egnol\s+LIVE\s+Earner/,
    )
    await assertText(
      card,
      /1 line added, 1 line removed[\s\S]*const edge = 1[\s\S]*const edge = 2 \/\/ <img src=x> U\+202Egnol/,
    )
    await assertText(card, /From the model\s+why\s+Less is lost\./)
    await checkLooks(tab, 'a change of code')
    await card.focus()
    await tab.keyboard.press('a')
    const dialog = tab.getByRole('dialog', { name: 'Approve with real money' })
    await assertText(dialog, /Replace the code of\s+Scalper[\s\S]*LIVE\s+Earner/)
    await checkLooks(tab, 'approving a change with money')
    await tab.keyboard.press('Escape')

    await expect(200, user.api('PUT', target.own, { code: 'const edge = 9' }))
    await card.getByText('The strategy was saved since the model knew it').waitFor()
    const approve = card.getByRole('button', { name: 'Approve the change of Teacher' })
    assert.equal(await approve.getAttribute('title'), 'The strategy was saved since.')
    await card.focus()
    await tab.keyboard.press('a')
    await card.getByRole('button', { name: 'Reject the change of Teacher' }).click()
    await card.getByText('The change is never made.').waitFor()
    assert.equal((await target.read()).code, 'const edge = 9')

    await ask('const edge = 3')
    const second = card.nth(1)
    await second.getByText('const edge = 3').waitFor()
    await second.getByRole('button', { name: 'Approve the change of Teacher' }).click()
    await dialog.getByRole('button', { name: 'Approve' }).click()
    await second.getByText('The change was made.').waitFor()
    assert.equal((await target.read()).code, 'const edge = 3')
    await tab.getByRole('row').filter({ hasText: 'Replace the code of' }).first().waitFor()
  },
)

inBrowser('the approvals of another user are not there', async (tab) => {
  await careful.ask(open('LONG'))
  const stranger = await signUpBrowser(service, 'stranger@example.com')
  await openPage(tab, service, stranger.email, '/approvals')
  await tab.getByText('Nothing waits for you').waitFor()
  await tab.getByText('Nothing was decided yet').waitFor()
  assert.ok(!(await tab.locator('main').innerText()).includes('Judge'))
})
