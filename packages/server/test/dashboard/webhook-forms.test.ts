/** Making, changing, sharing, attaching and deleting webhooks, with a real process and a real browser. */
import assert from 'node:assert/strict'
import { before } from 'node:test'
import type { Page } from 'playwright-core'
import { inBrowser, strangersTab } from '../in-browser.ts'
import { expect } from '../reaction.ts'
import { type Browser, signUpBrowser } from '../users.ts'
import { checkLooks } from './looks.ts'
import { openPage } from './open-page.ts'
import { type PagesService, pagesService } from './pages-service.ts'

let service: PagesService
let user: Browser

const data = '/api/v2/webhook/data'
const bot = '/api/v2/webhook/bot'
const code = '/api/v2/strategy/reaction/code'

before(async () => {
  service = await pagesService()
  user = await signUpBrowser(service, 'ada@webhook-forms.example.com')
})

const tabNamed = (tab: Page, name: string) => tab.getByRole('tab', { name, exact: true })
const nameField = (tab: Page) => tab.getByRole('textbox', { name: 'Name' })
const post = (url: string, body: unknown, headers = {}) =>
  service.send('POST', new URL(url).pathname, { body, headers })

inBrowser('a data webhook is made by keyboard, and its address is shown', async (tab) => {
  await openPage(tab, service, user.email, '/webhooks')
  await tab.getByText('No data webhook yet').waitFor()
  await tab.getByRole('button', { name: 'New data webhook' }).press('Enter')
  await nameField(tab).fill('Prices <u>\u202Ex')
  await tab.getByLabel('Senders need a password').press('Space')
  await tab.getByLabel('Password for senders').press('Enter')
  await tab.getByLabel('Password for senders').and(tab.locator('[aria-invalid]')).waitFor()
  await checkLooks(tab, 'new data webhook with a problem')
  await tab.getByRole('button', { name: 'Make one' }).press('Enter')
  const password = await tab.getByLabel('Password for senders').inputValue()
  assert.match(password, /^[a-z2-9]{24}$/)
  await tab.getByRole('button', { name: 'Create' }).dblclick()
  const dialog = tab.getByRole('dialog', { name: 'The webhook is ready' })
  const url = await dialog.locator('code').innerText()
  await checkLooks(tab, 'a new webhook')
  assert.equal((await expect(200, user.api('GET', data))).length, 1, 'a double click makes one')
  assert.equal((await post(url, {})).status, 401)
  await expect(202, post(url, {}, { 'x-key': password }))
  await dialog.getByRole('button', { name: 'How to send' }).click()
  for (const name of ['curl', 'TradingView', 'MetaTrader 5']) {
    await tabNamed(tab, name).click()
    const text = await tab.getByRole('region', { name, exact: true }).innerText()
    assert.ok(text.includes(url) && text.includes('YOUR_PASSWORD'), name)
  }
  await tab.getByText('allow WebRequest for').waitFor()
  await tabNamed(tab, 'TradingView').click()
  await tab.getByText('TradingView gives up after 3 seconds').waitFor()
  await checkLooks(tab, 'how to send')
})

inBrowser('a webhook is changed, its password is replaced and no longer asked for', async (tab) => {
  const { id, url } = await expect(201, user.api('POST', data, { name: 'Before' }))
  await openPage(tab, service, user.email, `/webhooks/data/${id}?tab=settings`)
  await nameField(tab).fill('After')
  await tab.getByLabel('Key from').selectOption('header_or_body')
  await tab.getByLabel('Accepts').selectOption('any')
  await tab.getByRole('button', { name: 'Save' }).click()
  await tab.getByText('Saved.').waitFor()
  await tab.getByRole('heading', { level: 1, name: 'After' }).waitFor()
  await tab.getByRole('button', { name: 'Ask for a password' }).click()
  await tab.getByLabel('Password for senders').fill('a long password')
  await checkLooks(tab, 'settings of a webhook')
  await tab.getByRole('button', { name: 'Ask senders for this password' }).click()
  await tab.getByText('Senders need a password').waitFor()
  assert.equal((await post(url, {})).status, 401)
  await expect(202, post(url, { key: 'a long password' }))
  await tab.getByRole('button', { name: 'Ask for none' }).click()
  await tab.getByText('Senders need no password').waitFor()
  await expect(202, post(url, {}))
})

inBrowser('the address is replaced once, and the old one stops', async (tab) => {
  for (const [kind, path] of Object.entries({ data, bot })) {
    const { id, url } = await expect(201, user.api('POST', path, { name: 'Known to too many' }))
    await openPage(tab, service, user.email, `/webhooks/${kind}/${id}?tab=settings`)
    await tab.getByRole('button', { name: 'Replace the address …' }).press('Enter')
    const asked = tab.getByRole('dialog', { name: 'Replace the address' })
    await asked.getByText('gets 404').waitFor()
    if (kind === 'data') await checkLooks(tab, 'replacing the address of a webhook')
    await asked.getByRole('button', { name: 'Cancel' }).click()
    await expect(202, post(url, { symbol: 'BTCUSDT', side: 'BUY' }))
    await tab.getByRole('button', { name: 'Replace the address …' }).click()
    await asked.getByRole('button', { name: 'Replace', exact: true }).dblclick()
    const dialog = tab.getByRole('dialog', { name: 'The new address' })
    await dialog.waitFor()
    const { url: current } = await expect(200, user.api('GET', `${path}/${id}`))
    assert.ok(!(await dialog.innerText()).includes(current), 'it is hidden until someone asks for it')
    await dialog.getByRole('button', { name: 'Show the new address' }).click()
    await dialog.getByText(current).waitFor()
    if (kind === 'data') await checkLooks(tab, 'the new address of a webhook')
    await dialog.getByRole('button', { name: 'Done' }).click()
    await expect(404, post(url, {}))
    await expect(202, post(current, { symbol: 'BTCUSDT', side: 'BUY' }))
    await tab.getByRole('button', { name: 'Show the address' }).click()
    await tab.getByText(current).waitFor()
    const events = await expect(200, user.api('GET', '/api/v2/user/audit'))
    const rotations = events.filter(
      ({ event, details }: { event: string; details: { kind: string; webhook_id: number } }) =>
        event === 'webhook_url_rotated' && details.kind.startsWith(kind) && details.webhook_id === id,
    )
    assert.equal(rotations.length, 1, 'a double click replaces it once')
  }
})

inBrowser('a reaction is attached and detached, and keeps its webhook from being deleted', async (tab) => {
  const { id } = await expect(201, user.api('POST', data, { name: 'Used' }))
  const reaction = { name: 'Reader <b>', code: '$.log(1)', symbol: 'BTC/USDT' }
  const made = await expect(201, user.api('POST', code, reaction))
  const webhookOf = async () => (await expect(200, user.api('GET', `${code}/${made.id}`))).data_webhook_id
  await openPage(tab, service, user.email, `/webhooks/data/${id}?tab=reactions`)
  await tab.getByText('No reaction is attached').waitFor()
  await tab.getByLabel('Attach a reaction').selectOption({ label: 'Reader <b>' })
  await tab.getByRole('button', { name: 'Attach …' }).click()
  await tab.getByRole('dialog').getByText('It is off').waitFor()
  await checkLooks(tab, 'attaching a reaction')
  await tab.getByRole('dialog').getByRole('button', { name: 'Attach' }).click()
  const link = tab.getByRole('row').getByRole('link', { name: 'Reader <b>' })
  assert.equal(await link.getAttribute('href'), `/strategies/reaction/${made.id}`)
  assert.equal(await webhookOf(), id)

  await tabNamed(tab, 'Settings').click()
  await tab.getByRole('button', { name: 'Delete …' }).click()
  const dialog = tab.getByRole('dialog', { name: 'Delete this webhook' })
  await dialog.getByText('Code reaction Reader <b>').waitFor()
  await checkLooks(tab, 'deleting a webhook in use')
  await dialog.getByRole('button', { name: 'Delete', exact: true }).press('Enter')
  await expect(200, user.api('GET', `${data}/${id}`))
  await dialog.getByRole('button', { name: 'Cancel' }).click()

  await tabNamed(tab, 'Reactions').click()
  await tab.getByRole('button', { name: 'Detach' }).click()
  await tab.getByRole('dialog').getByRole('button', { name: 'Detach' }).click()
  await tab.getByText('No reaction is attached').waitFor()
  assert.equal(await webhookOf(), null)
  await tabNamed(tab, 'Settings').click()
  await tab.getByRole('button', { name: 'Delete …' }).click()
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
  await tab.waitForURL(`${service.url}/webhooks`)
  assert.equal((await user.api('GET', `${data}/${id}`)).status, 404)
})

inBrowser('a bot webhook shows its bots and the strategies that send to it', async (tab) => {
  const { id } = await expect(201, user.api('POST', bot, { name: 'Signals' }))
  const sender = { name: 'Sender', code: '$.log(1)', symbol: 'BTC/USDT', send_signal: true, webhook_id: id }
  await expect(201, user.api('POST', code, sender))
  const follower = { name: 'Follower', exchange_id: 472 }
  await expect(201, user.api('POST', '/api/v2/bot/signal/cex', follower))
  await openPage(tab, service, user.email, `/webhooks/bot/${id}?tab=bots`)
  await tab.getByText('No bot follows this webhook').waitFor()
  await tab.getByRole('row').getByRole('link', { name: 'Sender' }).waitFor()
  await tab.getByRole('button', { name: 'Attach …' }).click()
  await tab.getByRole('dialog').getByRole('button', { name: 'Attach' }).click()
  await tab.getByRole('row').filter({ hasText: 'PAPER' }).getByRole('link', { name: 'Follower' }).waitFor()
  await checkLooks(tab, 'bots of a webhook')
  await tab.getByRole('link', { name: 'New bot' }).click()
  const chosen = tab.getByLabel('Bot webhook')
  await chosen.locator('option:checked').filter({ hasText: 'Signals' }).waitFor({ state: 'attached' })
})

inBrowser('a webhook is shared and the share revoked, as its owner and its recipient see it', async (tab) => {
  const recipient = await signUpBrowser(service, 'grace@webhook-forms.example.com')
  const { id } = await expect(201, user.api('POST', data, { name: 'Common <i>' }))
  await openPage(tab, service, user.email, `/webhooks/data/${id}?tab=sharing`)
  await tab.getByText('You share this webhook with nobody').waitFor()
  await tab.getByLabel('Number of the user').fill('grace')
  await tab.getByRole('button', { name: 'Share', exact: true }).click()
  await tab.getByText('must be the number of a user').waitFor()
  const { id: userId } = await expect(200, recipient.api('GET', '/api/v2/user/me'))
  await tab.getByLabel('Number of the user').fill(String(userId))
  await tab.getByRole('button', { name: 'Share', exact: true }).click()
  const row = tab.getByRole('row').filter({ hasText: `User ${userId}` })
  await row.waitFor()
  await checkLooks(tab, 'sharing')

  const theirs = await strangersTab(tab)
  await openPage(theirs, service, recipient.email, '/webhooks')
  await theirs.getByRole('link', { name: 'Common <i>' }).click()
  await theirs.getByText('Shared by').waitFor()
  const [{ url }] = await expect(200, recipient.api('GET', `${data}/shared`))
  assert.ok(!(await theirs.content()).includes(url), 'it is hidden until someone asks for it')
  await tabNamed(theirs, 'How to send').click()
  await theirs.getByRole('region', { name: 'curl' }).filter({ hasText: url }).waitFor()
  await theirs.getByLabel('Payload').fill('{"from": "a recipient"}')
  await theirs.getByRole('button', { name: 'Send' }).click()
  await theirs.getByRole('region', { name: 'Answer' }).filter({ hasText: '202' }).waitFor()
  assert.equal(await theirs.getByRole('tab', { name: 'Deliveries' }).count(), 0)
  await checkLooks(theirs, 'a shared webhook')
  await theirs.context().close()

  await tabNamed(tab, 'Deliveries').click()
  await tab.getByRole('row').filter({ hasText: recipient.email }).waitFor()
  await tabNamed(tab, 'Sharing').click()
  await row.getByRole('button', { name: 'Revoke' }).click()
  await tab.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await tab.getByText('You share this webhook with nobody').waitFor()
})

inBrowser(
  'many deliveries are found by text, outcome and time, and older ones come while scrolling',
  async (tab) => {
    const { id, url } = await expect(201, user.api('POST', data, { name: 'Many' }))
    const all = Array.from({ length: 130 }, (_, n) => n)
    for (let n = 0; n < all.length; n += 10)
      await Promise.all(all.slice(n, n + 10).map((n) => expect(202, post(url, { n, word: `word${n}.` }))))
    await openPage(tab, service, user.email, `/webhooks/data/${id}`)
    const list = tab.getByRole('table', { name: 'Deliveries' })
    await list.getByRole('row').nth(5).waitFor()
    assert.ok((await list.getByRole('row').count()) < 60, 'only what can be seen is in the document')
    assert.equal(await list.getAttribute('aria-rowcount'), '100')
    await list.evaluate((element) => element.scrollTo(0, element.scrollHeight))
    await tab.locator('[role=table][aria-rowcount="130"]').waitFor()
    await checkLooks(tab, 'deliveries')
    await tab.getByLabel('In the payload').fill('WORD7.')
    await tab.getByLabel('In the payload').press('Enter')
    await tab.locator('[role=table][aria-rowcount="1"]').waitFor()
    assert.equal(new URL(tab.url()).search, '?tab=deliveries&q=WORD7.')
    await expect(202, post(url, { fresh: 'word7.' }))
    await list.getByRole('row').filter({ hasText: 'fresh' }).waitFor()
    await tab.getByLabel('Received').selectOption('hour')
    await tab.getByLabel('A reaction').selectOption('FAILED')
    await tab.getByText('No delivery fits these filters').waitFor()
    await tab.getByRole('link', { name: 'Show all deliveries' }).click()
    await list.getByRole('link').first().focus()
    await tab.keyboard.press('Enter')
    await tab.getByRole('button', { name: 'Replay' }).waitFor()
  },
)
