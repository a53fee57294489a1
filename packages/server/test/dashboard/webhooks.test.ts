/** Webhooks and their deliveries, with a real process and a real browser. */
import assert from 'node:assert/strict'
import { before } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { makeBotWebhook } from '../bot-webhook.ts'
import { inBrowser, strangersTab } from '../in-browser.ts'
import { expect, makeReaction, type TestReaction } from '../reaction.ts'
import { type Browser, signUpBrowser } from '../users.ts'
import { checkLooks } from './looks.ts'
import { openPage } from './open-page.ts'
import { type PagesService, pagesService } from './pages-service.ts'

let service: PagesService
let user: Browser
let reaction: TestReaction
let page: string

before(async () => {
  service = await pagesService()
  user = await signUpBrowser(service, 'ada@webhooks.example.com')
  reaction = await makeReaction({ ...service, api: user.api }, '$.log($.Request.data)', { name: 'Reader' })
  const name = 'Alerts <b>'
  await expect(200, user.api('PUT', `/api/v2/webhook/data/${reaction.webhookId}`, { name }))
  page = `/webhooks/data/${reaction.webhookId}`
})

/** The exchange of the catalogue without a network. */
const simulated = 472

const tabNamed = (tab: Page, name: string) => tab.getByRole('tab', { name, exact: true })

inBrowser('the address is hidden until someone asks for it, and programs contain it', async (tab) => {
  await openPage(tab, service, user.email, '/webhooks')
  await tab.getByRole('link', { name: 'Alerts <b>' }).click()
  await tab.getByRole('heading', { level: 1, name: 'Alerts <b>' }).waitFor()
  assert.ok(!(await tab.content()).includes(reaction.path))
  await tab.getByRole('button', { name: 'Show the address' }).click()
  await tab.getByText(reaction.path).waitFor()
  await tabNamed(tab, 'How to send').click()
  for (const name of ['curl', 'JavaScript', 'Python', 'TradingView']) {
    await tabNamed(tab, name).click()
    assert.match(await tab.getByRole('region', { name, exact: true }).innerText(), new RegExp(reaction.path))
  }
  assert.equal(new URL(tab.url()).search, '?tab=send')
})

inBrowser(
  'a delivery appears at once with what its reaction made of it, and leads to its receipt',
  async (tab) => {
    await openPage(tab, service, user.email, page)
    await tab.getByText('Nothing has arrived yet').waitFor()
    await expect(202, reaction.post('{"n":12345678901234567890.10,"text":"</code><script>"}'))
    const row = tab.getByRole('row').filter({ hasText: '</code><script>' })
    await row.filter({ hasText: 'Succeeded' }).waitFor()
    await row.getByRole('link').click()
    await tab.getByRole('rowheader', { name: 'stored' }).waitFor()
    const payload = await tab.getByRole('region', { name: 'Payload' }).innerText()
    assert.match(payload, /"n": 12345678901234567890\.10,/)
    await tab.getByRole('link', { name: /^Run \d+$/ }).click()
    await tab.getByRole('heading', { name: 'Log' }).waitFor()
  },
)

inBrowser('what was refused is shown with the reason', async (tab) => {
  await openPage(tab, service, user.email, `${page}?tab=refused`)
  await tab.getByText('Nothing was refused').waitFor()
  assert.equal((await reaction.post('{"a":')).status, 400)
  await tab.getByRole('row').filter({ hasText: '400' }).waitFor()
})

inBrowser('a payload can be sent from the page, replayed, and resent with changes', async (tab) => {
  await openPage(tab, service, user.email, `${page}?tab=send`)
  await tab.getByLabel('Payload').fill('{"from": "the page"}')
  await tab.getByRole('button', { name: 'Send' }).dblclick()
  const answer = await tab.getByRole('region', { name: 'Answer' }).innerText()
  const { id } = JSON.parse(answer.slice(answer.indexOf('{')))
  const list = `/api/v2/webhook/data/${reaction.webhookId}/deliveries`
  const sent = async (text: string) => {
    const deliveries: { body: string }[] = await expect(200, user.api('GET', list))
    return deliveries.filter(({ body }) => body.includes(text)).length
  }
  assert.equal(await sent('the page'), 1, 'a double click sends once')

  await tab.goto(`${service.url}/deliveries/${id}`)
  await tab.getByRole('button', { name: 'Replay' }).dblclick()
  await tab.getByText('Replayed').waitFor()
  await tab
    .getByRole('link', { name: /^Run \d+$/ })
    .nth(1)
    .waitFor()
  const { runs } = await expect(200, user.api('GET', `/api/v2/delivery/${id}`))
  assert.equal(runs.length, 2, 'a double click replays once')
  await tab.getByRole('button', { name: 'Edit and resend' }).click()
  const dialog = tab.getByRole('dialog')
  await dialog.getByLabel('Payload').fill('not JSON')
  await dialog.getByRole('button', { name: 'Send' }).click()
  await dialog.getByRole('alert').waitFor()
  await dialog.getByLabel('Payload').fill('{"changed": true}')
  await dialog.getByRole('button', { name: 'Send' }).click()
  await tab.getByRole('region', { name: 'Payload' }).filter({ hasText: '"changed": true' }).waitFor()
  assert.equal(await sent('changed'), 1)
})

inBrowser('a webhook is switched off and on', async (tab) => {
  await openPage(tab, service, user.email, page)
  await tab.getByRole('button', { name: 'Switch off' }).click()
  await tab.getByRole('button', { name: 'Switch on' }).waitFor()
  assert.equal((await reaction.post({})).status, 403)
  await tab.getByRole('button', { name: 'Switch on' }).click()
  await tab.getByRole('button', { name: 'Switch off' }).waitFor()
})

inBrowser('a post to a bot webhook has a page: what came in, and what each bot did with it', async (tab) => {
  const webhook = await makeBotWebhook({ ...service, api: user.api }, { name: 'Signals <i>' })
  const bot = await webhook.addBot({ name: 'Follower <u>', exchange_id: simulated })
  const { id } = await expect(
    202,
    webhook.post('{"symbol":"BTC/USDT","side":"BUY","note":"<b>"}', { 'idempotency-key': 'k-1' }),
  )
  await openPage(tab, service, user.email, `/webhooks/bot/${webhook.id}`)
  await tab.getByRole('link', { name: `Delivery ${id}` }).press('Enter')
  const beside = tab.getByRole('complementary', { name: `Delivery ${id}` })
  for (const kind of ['received', 'stored', 'signal', 'bot', 'order', 'fill'])
    await beside.getByRole('rowheader', { name: kind, exact: true }).first().waitFor()
  await checkLooks(tab, 'a delivery beside the list', { isWide: true })
  const address = `${service.url}/webhooks/bot/${webhook.id}/deliveries/${id}`
  await beside.getByRole('link', { name: 'Open its page' }).click()
  await tab.waitForURL(address)
  await tab.getByRole('region', { name: 'Payload' }).filter({ hasText: '"note": "<b>"' }).waitFor()
  await tab.getByText('k-1', { exact: true }).waitFor()
  const result = tab.getByRole('region', { name: `Orders and fills of bot ${bot.id}` })
  await result.getByRole('row').filter({ hasText: /^Fill/ }).waitFor()
  await checkLooks(tab, 'a post to a bot webhook')

  await tab.getByRole('link', { name: `Signal ${id}` }).click()
  await tab.getByRole('link', { name: `Delivery ${id}` }).click()
  await tab.waitForURL(address)
  // Where deliveries were before they had pages.
  await tab.goto(`${service.url}/webhooks/bot/${webhook.id}?tab=deliveries&delivery=${id}`)
  await tab.waitForURL(address)

  await tab.getByRole('button', { name: 'Edit and resend' }).click()
  const dialog = tab.getByRole('dialog', { name: 'Edit and resend' })
  await dialog.getByText('makes the bots of this webhook trade').waitFor()
  await checkLooks(tab, 'resending a signal')
  await dialog.getByLabel('Payload').fill('{"symbol":"BTC/USDT"}')
  await dialog.getByRole('button', { name: 'Send' }).click()
  await dialog.getByRole('alert').filter({ hasText: 'side' }).waitFor()
  await dialog.getByLabel('Payload').fill('{"symbol":"BTC/USDT","side":"SELL","flag":"TEST"}')
  const losesAnswer = async (route: Route) => {
    await route.fetch()
    await route.abort()
  }
  await tab.route(`**${webhook.path}`, losesAnswer, { times: 1 })
  await dialog.getByRole('button', { name: 'Send' }).click()
  await dialog.getByRole('alert').filter({ hasText: 'The service does not answer.' }).waitFor()
  await dialog.getByRole('button', { name: 'Send' }).dblclick()
  await tab.waitForURL((url) => url.href !== address)
  await tab
    .getByRole('definition')
    .filter({ hasText: /^TEST$/ })
    .waitFor()
  assert.equal((await webhook.signals()).length, 2, 'a lost answer and a double click send once')
  await tab.getByRole('button', { name: 'As curl' }).click()
  await tab.getByRole('region', { name: 'command' }).filter({ hasText: webhook.path }).waitFor()

  const stranger = await signUpBrowser(service, 'spy@webhooks.example.com')
  const theirs = await strangersTab(tab)
  await openPage(theirs, service, stranger.email, new URL(address).pathname)
  await theirs.getByText('There is no such delivery').waitFor()
  assert.ok(!(await theirs.locator('body').innerText()).includes('BTC/USDT'))
  await theirs.context().close()
})

inBrowser('the webhook of another user is as if it did not exist', async (tab) => {
  const stranger = await signUpBrowser(service, 'stranger@webhooks.example.com')
  const [delivery] = await expect(
    200,
    user.api('GET', `/api/v2/webhook/data/${reaction.webhookId}/deliveries`),
  )
  await openPage(tab, service, stranger.email, page)
  await tab.getByRole('alert').first().waitFor()
  await tab.goto(`${service.url}/deliveries/${delivery.id}`)
  await tab.getByRole('alert').first().waitFor()
  assert.ok(!(await tab.locator('main').innerText()).includes('the page'))
})
