/** Connections, variables, notifications, mail and public strategies, with stand-ins for everything outside. */
import assert from 'node:assert/strict'
import { before } from 'node:test'
import type { Page } from 'playwright-core'
import { says, startProvider } from '../ai/stand-in.ts'
import { makeBotWebhook } from '../bot-webhook.ts'
import { startExchange, type TestExchange } from '../connection.ts'
import { fileResources } from '../databases.ts'
import { inBrowser } from '../in-browser.ts'
import { expect } from '../reaction.ts'
import { type Receivers, startReceivers } from '../receiver.ts'
import { startService, type TestService } from '../service.ts'
import { until } from '../until.ts'
import { type Browser, signUpBrowser } from '../users.ts'
import { assertText } from './assert-shown.ts'
import { checkLooks } from './looks.ts'
import { openPage, visit } from './open-page.ts'

let service: TestService
let user: Browser
let exchange: TestExchange
let provider: Awaited<ReturnType<typeof startProvider>>
let receivers: Receivers

/** Markup, a character that turns text around, and a line that is far too long. */
const hostile = `<img src=x onerror=alert(1)>\u202E${'long '.repeat(40)}`

before(async () => {
  exchange = fileResources.use(await startExchange())
  provider = fileResources.use(await startProvider('openai', says({ text: 'ok' })))
  receivers = fileResources.use(await startReceivers())
  const env = { ...exchange.env, HTTP_ALLOW: `${provider.host},${receivers.host}` }
  service = fileResources.use(await startService({ env }))
  user = await signUpBrowser(service, 'ada@example.com')
})

const dialogOf = (tab: Page, name: string) => tab.getByRole('dialog', { name })
const entryOf = (tab: Page, text: string) => tab.getByRole('listitem').filter({ hasText: text })

async function isText(tab: Page): Promise<void> {
  const text = await tab.locator('main').innerText()
  assert.ok(
    text.includes('<img src=x onerror=alert(1)>') && text.includes('U+202E') && !text.includes('\u202E'),
  )
  assert.equal(await tab.locator('main img').count(), 0)
}

inBrowser('an exchange is tested, connected and deleted, and its secret is never shown', async (tab) => {
  await openPage(tab, service, user.email, '/settings/connections')
  await tab.getByRole('button', { name: 'Connect an exchange' }).click()
  const connect = dialogOf(tab, 'Connect an exchange')
  assert.equal(
    await connect.getByRole('button', { name: 'Connect' }).getAttribute('title'),
    'Choose an exchange first.',
  )
  await connect.getByLabel('Exchange').selectOption({ label: 'Bitget, spot' })
  await connect.getByLabel('Passphrase').waitFor()
  await connect.getByLabel('Exchange').selectOption({ label: 'Binance, spot' })
  await connect.getByLabel('Passphrase').waitFor({ state: 'detached' })
  await connect.getByLabel('API key').fill(exchange.credentials.api_key)
  await connect.getByRole('button', { name: 'Test' }).click()
  await connect.getByText('is required by Binance').waitFor()
  await connect.getByLabel('Secret', { exact: true }).fill(exchange.credentials.api_secret)
  await connect.getByRole('button', { name: 'Test' }).click()
  await connect.getByText('The exchange accepts the key.').waitFor()
  await checkLooks(tab, 'connect an exchange')
  assert.equal((await expect(200, user.api('GET', '/api/v2/api/exchange'))).length, 0)
  await connect.getByLabel('Name').fill(hostile)
  await connect.getByRole('button', { name: 'Connect' }).dblclick()
  await connect.waitFor({ state: 'detached' })
  const [stored, ...others] = await expect(200, user.api('GET', '/api/v2/api/exchange'))
  assert.equal(others.length, 0)
  await entryOf(tab, 'Binance, spot').getByText(`…${stored.key_ending}`).waitFor()
  await isText(tab)
  assert.ok(!(await tab.content()).includes(exchange.credentials.api_secret))

  await tab.getByRole('button', { name: /^Switch off / }).click()
  await entryOf(tab, 'Binance, spot').getByText('Off', { exact: true }).waitFor()
  const settings = {
    name: 'Its user',
    exchange_id: 2,
    connection_id: stored.id,
    symbol: 'BTC/USDT',
    mode: 'paper',
  }
  const bot = await expect(201, user.api('POST', '/api/v2/bot/signal/cex', { ...settings, amount: 10 }))
  await tab.getByRole('button', { name: /^Delete / }).click()
  const ask = dialogOf(tab, 'Delete this connection')
  await ask.getByText('Its user').waitFor()
  await checkLooks(tab, 'delete a connection')
  assert.equal(await ask.getByRole('button', { name: 'Delete' }).getAttribute('title'), 'Bots still use it.')
  await ask.getByRole('button', { name: 'Cancel' }).click()
  await expect(200, user.api('DELETE', `/api/v2/bot/signal/cex/${bot.id}`))
  await tab.getByRole('button', { name: /^Delete / }).click()
  await ask.getByRole('button', { name: 'Delete' }).click()
  await tab.getByText('No exchange yet').waitFor()
})

inBrowser('a model is connected, tested, changed and deleted', async (tab) => {
  await openPage(tab, service, user.email, '/settings/connections')
  await tab.getByRole('button', { name: 'Connect a model' }).click()
  const connect = dialogOf(tab, 'Connect a model')
  await connect.getByLabel('Provider').selectOption({ label: 'OpenAI-compatible' })
  await connect.getByLabel('API key').fill('a-wrong-key')
  await connect.getByLabel('Address').fill(provider.baseUrl)
  await connect.getByLabel('Model', { exact: true }).fill('stand-in')
  await connect.getByLabel('Name').fill('Judge')
  await connect.getByRole('button', { name: 'Test and connect' }).click()
  await connect.getByRole('alert').filter({ hasText: 'rejected this connection' }).waitFor()
  await checkLooks(tab, 'connect a model')
  await connect.getByLabel('API key').fill(provider.key)
  await connect.getByRole('button', { name: 'Test and connect' }).click()
  await connect.waitFor({ state: 'detached' })
  await entryOf(tab, 'Judge').getByText(provider.baseUrl).waitFor()
  await tab.getByRole('button', { name: 'Test Judge' }).click()
  await tab.getByText('The model has answered.').waitFor()
  await checkLooks(tab, '/settings/connections')
  await tab.getByRole('button', { name: 'Change Judge' }).click()
  const change = dialogOf(tab, 'Change this connection')
  await change.getByLabel('Model', { exact: true }).fill('other')
  await change.getByRole('button', { name: 'Save' }).click()
  await entryOf(tab, 'Judge').getByText('other', { exact: true }).waitFor()
  await tab.getByRole('button', { name: 'Delete Judge' }).click()
  await dialogOf(tab, 'Delete this connection').getByRole('button', { name: 'Delete' }).click()
  await tab.getByText('No model yet').waitFor()
})

inBrowser('variables are made, changed and deleted in their folders, and say who reads them', async (tab) => {
  const code = '/api/v2/strategy/code'
  const folder = await expect(201, user.api('POST', `${code}/folder`, { name: hostile }))
  const strategy = { name: 'Reads it', folder_id: folder.id, code: '$.log($.Env.LIMIT)' }
  await expect(201, user.api('POST', code, strategy))
  await openPage(tab, service, user.email, '/settings/variables')
  await tab.getByRole('button', { name: 'New variable' }).click()
  const make = dialogOf(tab, 'New variable')
  await make.getByLabel('Name').fill('not a name')
  await make.getByLabel('Value').fill('first secret')
  await tab.keyboard.press('Tab')
  await tab.keyboard.press('Space')
  await make.getByLabel('Applies to').selectOption({ index: 1 })
  await make.getByRole('button', { name: 'Create' }).click()
  await make.locator('[aria-invalid=true]').waitFor()
  await checkLooks(tab, 'new variable')
  await make.getByLabel('Name').fill('LIMIT')
  await make.getByRole('button', { name: 'Create' }).dblclick()
  await make.waitFor({ state: 'detached' })
  await isText(tab)
  await tab.getByRole('button', { name: 'Who reads it: LIMIT' }).click()
  await entryOf(tab, 'LIMIT').getByText('Reads it', { exact: true }).waitFor()
  await checkLooks(tab, '/settings/variables')
  assert.ok(!(await tab.content()).includes('first secret'))

  await tab.getByRole('button', { name: 'Change LIMIT' }).click()
  const change = dialogOf(tab, 'Change this variable')
  await change.getByText('Reads it', { exact: true }).waitFor()
  await change.getByLabel('Applies to').selectOption({ label: 'all strategies' })
  await change.getByLabel('Name').fill('MOST')
  await change.getByRole('button', { name: 'Save' }).click()
  await tab.getByRole('list', { name: 'Everywhere' }).getByText('MOST').waitFor()
  await tab.getByRole('button', { name: 'Delete MOST' }).click()
  const ask = dialogOf(tab, 'Delete this variable')
  await ask.getByText('No strategy reads it.').waitFor()
  await ask.getByRole('button', { name: 'Delete' }).click()
  await tab.getByText('No variable yet').waitFor()
})

inBrowser('an endpoint is made and tested, and each attempt is shown with its answer', async (tab) => {
  const receiver = receivers.add()
  receiver.answers(500)
  await openPage(tab, service, user.email, '/settings/notifications')
  await tab.getByRole('button', { name: 'New endpoint' }).click()
  const make = dialogOf(tab, 'New endpoint')
  await make.getByLabel('Address').fill('http://10.0.0.1/private')
  await make.getByLabel('Description').fill(hostile)
  await make.getByLabel('a run failed').check()
  await make.getByRole('button', { name: 'Create' }).click()
  await make.locator('[aria-invalid=true]').waitFor()
  await checkLooks(tab, 'new endpoint')
  await make.getByLabel('Address').fill(receiver.url)
  await make.getByRole('button', { name: 'Create' }).dblclick()
  const shown = dialogOf(tab, 'The secret of the endpoint')
  await shown.getByRole('button', { name: 'Show the secret' }).click()
  const secret = await shown.locator('code').innerText()
  assert.match(secret, /^whsec_/)
  await shown.getByRole('button', { name: 'I have stored it' }).click()
  await entryOf(tab, 'run.failed').waitFor()
  await isText(tab)
  assert.ok(!(await tab.content()).includes(secret))
  await checkLooks(tab, '/settings/notifications')

  await tab.getByRole('button', { name: /^Test / }).click()
  await tab.getByRole('row').filter({ hasText: '500' }).filter({ hasText: 'Waiting' }).waitFor()
  const address = new URL(tab.url())
  receiver.answers(204)
  await tab.getByRole('button', { name: 'Send again' }).click()
  await tab.getByRole('row').filter({ hasText: 'Delivered' }).waitFor()
  await checkLooks(tab, 'one notification')
  await tab.getByRole('link', { name: 'All notifications' }).click()
  await tab.getByRole('row').filter({ hasText: '204' }).getByRole('link', { name: 'test' }).waitFor()
  await tab.getByLabel('Event').selectOption('run.failed')
  await tab.getByText('No notification fits this filter').waitFor()
  await tab.goBack()
  await tab.goBack()
  await tab.getByRole('heading', { name: 'Payload' }).waitFor()
  assert.equal(new URL(tab.url()).search, address.search)
})

inBrowser('a chat is added by its own fields, and a test message arrives there', async (tab) => {
  const chats = await signUpBrowser(service, 'chats@example.com')
  const receiver = receivers.add((_received, response) => void response.end('ok'))
  await openPage(tab, service, chats.email, '/settings/notifications')
  await tab.getByRole('button', { name: 'New endpoint' }).click()
  const make = dialogOf(tab, 'New endpoint')
  await make.getByLabel('Send to').selectOption({ label: 'Telegram' })
  await make.getByText('@BotFather in Telegram').waitFor()
  await make.getByLabel('Bot token').fill('not a token')
  await make.getByLabel('Chat').fill('42')
  await make.getByLabel('a run failed').selectOption('Silently')
  await make.getByRole('button', { name: 'Create' }).click()
  await make.locator('textarea[name=token][aria-invalid=true]').waitFor()
  await checkLooks(tab, 'new Telegram endpoint')
  await make.getByLabel('Send to').selectOption({ label: 'Slack' })
  await make.getByLabel('a run failed').check()
  await make.getByLabel('Webhook URL').fill(receiver.url)
  await make.getByRole('button', { name: 'Create' }).click()
  const ready = dialogOf(tab, 'The endpoint is ready')
  await ready.getByRole('button', { name: 'Send a test message' }).click()
  await tab.getByRole('row').filter({ hasText: 'Delivered' }).waitFor()
  assert.match(JSON.parse(receiver.received[0]!.body).text, /^Test message/)

  await visit(tab, '/settings/notifications')
  const name = `Slack webhook at ${receivers.host}`
  await tab.getByRole('button', { name: `Change ${name}` }).click()
  const change = dialogOf(tab, 'Change this endpoint')
  assert.equal(await change.getByLabel('Webhook URL').inputValue(), '')
  await change.getByLabel('Description').fill('Phone')
  await change.getByRole('button', { name: 'Save' }).click()
  // The address was kept.
  await tab.getByRole('button', { name: 'Test Phone' }).click()
  await tab.getByRole('row').filter({ hasText: 'Delivered' }).waitFor()
  assert.equal(receiver.received.length, 2)
})

inBrowser('an endpoint that was disabled says why, and goes on once it is switched on', async (tab) => {
  const other = await signUpBrowser(service, 'endpoints@example.com')
  const receiver = receivers.add()
  receiver.answers(410)
  const endpoints = '/api/v2/notification/endpoint'
  const fields = { url: receiver.url, events: ['run.failed'], description: 'Gone' }
  const { id } = await expect(201, other.api('POST', endpoints, fields))
  await expect(201, other.api('POST', `${endpoints}/${id}/test`))
  await until('the endpoint to be disabled', async () => {
    return (await expect(200, other.api('GET', `${endpoints}/${id}`))).status === 'DISABLED'
  })
  await openPage(tab, service, other.email, '/overview')
  const need = tab.getByRole('alert').filter({ hasText: 'has disabled the notification endpoint Gone' })
  await need.filter({ hasText: '410' }).getByRole('link', { name: 'Show it' }).click()
  await entryOf(tab, 'Gone').getByText('Disabled', { exact: true }).waitFor()
  assert.equal(new URL(tab.url()).search, '?q=Gone')
  // The first notification of the service belongs to another user.
  await visit(tab, '/settings/notifications?tab=history&id=1')
  await tab.getByRole('alert').filter({ hasText: 'There is no notification 1.' }).waitFor()
  await tab.getByRole('tab', { name: 'Endpoints' }).click()
  await tab.getByText('The service has disabled the endpoint').waitFor()
  const test = tab.getByRole('button', { name: 'Test Gone' })
  assert.equal(await test.getAttribute('title'), 'The endpoint is off.')
  receiver.answers(204)
  await tab.getByRole('button', { name: 'Switch on Gone' }).click()
  await entryOf(tab, 'Gone').getByText('Active', { exact: true }).waitFor()
  await tab.getByRole('button', { name: 'Rotate the secret of Gone' }).click()
  await dialogOf(tab, 'Rotate the secret').getByRole('button', { name: 'Rotate' }).click()
  await tab.getByRole('button', { name: 'I have stored it' }).click()
  await tab.getByRole('button', { name: 'Recover Gone' }).click()
  const recover = dialogOf(tab, 'Send what it has missed')
  await recover.getByLabel('Since').fill('2026-01-01T00:00')
  await recover.getByRole('button', { name: 'Send' }).click()
  await recover.getByText('queued.').waitFor()
  await recover.getByRole('button', { name: 'Back' }).click()
  await tab.getByRole('button', { name: 'Delete Gone' }).click()
  await dialogOf(tab, 'Delete this endpoint').getByRole('button', { name: 'Delete' }).click()
  await tab.getByText('No endpoint yet').waitFor()
})

inBrowser('hosts of callbacks are listed with their attempts, get secrets, and are deleted', async (tab) => {
  const other = await signUpBrowser(service, 'callbacks@example.com')
  const receiver = receivers.add()
  receiver.answers(500)
  await openPage(tab, service, other.email, '/settings/notifications?tab=callbacks')
  await tab.getByText('No host receives callbacks').waitFor()
  const webhook = await makeBotWebhook({ ...service, api: other.api })
  await expect(202, webhook.post({ symbol: 'BTCUSDT', side: 'BUY', callback: receiver.url }))
  await until('the failed callback', async () => {
    const [host] = await expect(200, other.api('GET', '/api/v2/notification/callback'))
    return receiver.received.length > 0 && host?.failing_since != null
  })
  await tab.reload()
  const host = entryOf(tab, new URL(receiver.url).origin)
  await host.getByText('Fails since').waitFor()
  await checkLooks(tab, 'hosts of callbacks')
  await host.getByRole('button', { name: /^New secret / }).click()
  await dialogOf(tab, 'A new secret').getByRole('button', { name: 'Make a secret' }).dblclick()
  const shown = dialogOf(tab, 'The secret of the host')
  await shown.getByRole('button', { name: 'Show the secret' }).click()
  await assertText(shown.locator('code'), /^whsec_/)
  await shown.getByRole('button', { name: 'I have stored it' }).click()

  await tab.getByRole('tab', { name: 'History' }).click()
  await tab.getByRole('row').filter({ hasText: '500' }).getByRole('link', { name: 'signal.ended' }).click()
  receiver.answers(204)
  await tab
    .getByRole('row')
    .filter({ hasText: new URL(receiver.url).host })
    .getByRole('button')
    .click()
  await tab.getByRole('row').filter({ hasText: 'Delivered' }).waitFor()

  await tab.getByRole('tab', { name: 'Callbacks' }).click()
  await host.getByRole('button', { name: /^Delete / }).click()
  await dialogOf(tab, 'Delete this host').getByRole('button', { name: 'Delete' }).click()
  await tab.getByText('No host receives callbacks').waitFor()
  await openPage(tab, service, user.email, '/settings/notifications?tab=callbacks')
  await tab.getByText('No host receives callbacks').waitFor()
})

inBrowser('mail says what became of it, and that there is no mail server', async (tab) => {
  await openPage(tab, service, user.email, '/settings/mail')
  await tab.getByText('No mail yet').waitFor()
  const reset = { email: user.email }
  await expect(202, service.send('POST', '/api/v2/user/password/reset', { body: reset }))
  const row = tab.getByRole('row').filter({ hasText: 'Kept' })
  await row.waitFor()
  await tab.getByText('This installation has no mail server.').waitFor()
  await checkLooks(tab, '/settings/mail')
  await row.getByRole('button').press('Enter')
  await dialogOf(tab, 'Mail').getByText('The service does not show this text').waitFor()
  await checkLooks(tab, 'a mail')
  await tab.keyboard.press('Escape')
  await dialogOf(tab, 'Mail').waitFor({ state: 'detached' })
})

inBrowser(
  'a public strategy is read as text and copied, and nothing else of its owner is shown',
  async (tab) => {
    const owner = await signUpBrowser(service, 'owner@example.com')
    const code = '/api/v2/strategy/code'
    const fields = { name: hostile, code: '$.log("<b>\u202E")', visibility: 'PUBLIC' }
    await expect(201, owner.api('POST', code, fields))
    await expect(201, owner.api('POST', code, { name: 'Kept secret' }))
    await expect(201, owner.api('POST', '/api/v2/env', { name: 'OWNERS', value: 'x' }))
    await openPage(tab, service, user.email, '/settings/public')
    await tab
      .getByRole('row')
      .filter({ hasText: `user ${owner.user.id}` })
      .waitFor()
    await isText(tab)
    assert.ok(!(await tab.locator('main').innerText()).includes('Kept secret'))
    await checkLooks(tab, '/settings/public')
    await tab.getByRole('row').getByRole('link').click()
    await tab.getByRole('region', { name: 'code' }).waitFor()
    await isText(tab)
    await tab.getByRole('button', { name: 'Copy it' }).dblclick()
    await tab.getByText('is yours now').waitFor()
    await checkLooks(tab, 'a public strategy')
    const copies = await expect(200, user.api('GET', code))
    assert.equal(copies.filter(({ name }: { name: string }) => name.endsWith('(copy)')).length, 1)
    await tab.goBack()
    for (const name of ['AI reactions', 'AI sessions']) {
      await tab.getByRole('tab', { name }).click()
      await tab.getByText('Nobody has published one yet').waitFor()
    }
    for (const area of ['keys', 'connections', 'variables', 'notifications']) {
      await tab
        .getByRole('navigation', { name: 'Areas of the settings' })
        .locator(`[href="/settings/${area}"]`)
        .click()
      await tab.getByRole('heading', { level: 2 }).first().waitFor()
      assert.ok(!(await tab.locator('main').innerText()).includes('OWNERS'))
    }
  },
)
