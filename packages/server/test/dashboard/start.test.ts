/** The first minutes: from the printed link to the first fill, and on to a strategy of one's own. */
import assert from 'node:assert/strict'
import { before } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { fileResources } from '../databases.ts'
import { inBrowser } from '../in-browser.ts'
import { type ServiceProcess, startProcess } from '../process.ts'
import { expect } from '../reaction.ts'
import { until } from '../until.ts'
import { type Browser, password, signUpBrowser } from '../users.ts'
import { assertText } from './assert-shown.ts'
import { checkLooks } from './looks.ts'
import { openPage } from './open-page.ts'

let service: ServiceProcess
let printedLink: string

before(async () => {
  const env = { TICKWRIGHT_ADMIN_PASSWORD: '', TICKWRIGHT_EXAMPLE: '1' }
  service = fileResources.use(await startProcess({ env }))
  const link = /^ {2}(http\S+\/reset#[\w-]{43})$/m
  await until('the printed link', async () => link.test(service.output()))
  printedLink = link.exec(service.output())![1]!
})

const itemOf = (tab: Page, list: string, title: string) =>
  tab
    .getByRole('list', { name: list })
    .getByRole('listitem')
    .filter({ hasText: new RegExp(`^${title}`) })
const stage = (tab: Page, name: string) => itemOf(tab, 'Way to the fill', name)
const part = (tab: Page, name: string) => itemOf(tab, 'Parts of the example', name)
const step = (tab: Page, title: string) =>
  tab
    .getByRole('list', { name: 'Steps to your own strategy' })
    .getByRole('listitem')
    .filter({ hasText: title })
const send = (tab: Page) => tab.getByRole('button', { name: 'Send', exact: true })
const summary = (tab: Page, text: RegExp) => tab.getByRole('status').filter({ hasText: text }).waitFor()

inBrowser('from the printed link to the first fill takes less than a minute', async (tab) => {
  const beganAt = Date.now()
  await tab.goto(printedLink)
  await tab.getByLabel('New password', { exact: true }).waitFor()
  await tab.keyboard.insertText(password)
  await tab.keyboard.press('Tab')
  await tab.keyboard.insertText(password)
  await tab.keyboard.press('Enter')
  await tab.getByRole('heading', { level: 1, name: 'First steps' }).waitFor()
  assert.equal(await tab.getByLabel('Payload').inputValue(), '{ "price": 100 }')
  await send(tab).press('Enter')
  await stage(tab, 'Fill').filter({ hasText: 'Bought' }).waitFor()
  const tookMs = Date.now() - beganAt
  assert.ok(tookMs < 60_000, `${tookMs} ms`)
  await summary(tab, /^From the payload to the fill in \d/)
  for (const name of ['Delivery', 'Run', 'Signal', 'Order', 'Fill'])
    await stage(tab, name)
      .filter({ hasText: /\+[\d.]+ m?s/ })
      .waitFor()

  // The way is part of the address, and its stages lead to what they are about.
  await tab.reload()
  await stage(tab, 'Fill').filter({ hasText: 'Bought' }).waitFor()
  await checkLooks(tab, 'first steps with a fill')
  await stage(tab, 'Run').getByRole('link').click()
  await tab.getByRole('heading', { name: 'Receipt' }).waitFor()
  await tab.goBack()
  await stage(tab, 'Fill').getByRole('link').click()
  await tab.getByRole('tab', { name: 'Fills', selected: true }).waitFor()
  await tab.goBack()

  // The payload that is offered closes what is open. After that, the same payload does nothing, and the page says why.
  await tab.getByLabel('Payload').waitFor()
  assert.equal(await tab.getByLabel('Payload').inputValue(), '{ "price": 90 }')
  await send(tab).click()
  await stage(tab, 'Fill').filter({ hasText: 'Sold' }).waitFor()
  await send(tab).click()
  await summary(tab, /led to no fill/)
  await stage(tab, 'Signal').filter({ hasText: 'did not happen' }).waitFor()
  await assertText(stage(tab, 'Signal'), /no action/)

  await tab.getByLabel('Payload').fill('{')
  await send(tab).click()
  await tab.getByRole('alert').waitFor()
  await tab.getByRole('button', { name: 'Price 100: opens' }).click()
  await tab.context().setOffline(true)
  await send(tab).click()
  // The alert of the form, not that of the page: until then, the form still tries.
  const isOffline = tab.getByRole('alert').filter({ hasText: 'This device is offline.' })
  await isOffline.filter({ hasText: 'What you typed is still here.' }).waitFor()
  assert.equal(await tab.getByLabel('Payload').inputValue(), '{ "price": 100 }')
  await tab.context().setOffline(false)
  // The service takes it, and the answer is lost: sent again, it is the same delivery.
  const losesAnswer = async (route: Route) => {
    await route.fetch()
    await route.abort()
  }
  await tab.route('**/data-webhook/*', losesAnswer, { times: 1 })
  await send(tab).click()
  await tab.getByRole('alert').filter({ hasText: 'The service does not answer.' }).first().waitFor()
  // A double click of a person: the answer comes between the two clicks.
  let posts = 0
  tab.on('request', (request) => {
    if (request.url().includes('/data-webhook/')) posts += 1
  })
  await send(tab).dblclick({ delay: 100 })
  await stage(tab, 'Fill').filter({ hasText: 'Bought' }).waitFor()
  assert.equal(posts, 1)
})

inBrowser('the example is set up once, however often and wherever that is asked for', async (tab) => {
  const user = await signUpBrowser(service, 'grace@example.com')
  const second = await tab.context().newPage()
  await openPage(tab, service, user.email, '/start')
  await tab.getByText('Nothing of the example exists yet').waitFor()
  await checkLooks(tab, 'first steps without the example')
  await second.goto(`${service.url}/start`)
  const setUp = (page: Page) => page.getByRole('button', { name: 'Set up the example' })
  await setUp(second).waitFor()
  // Events, because only the tab in front can be clicked.
  await Promise.all([tab, tab, second].map((page) => setUp(page).dispatchEvent('click')))
  await Promise.all([tab, second].map((page) => send(page).waitFor()))
  await second.close()
  const made = await counts(user)
  assert.deepEqual(made, { dataWebhooks: 1, botWebhooks: 1, reactions: 1, bots: 1 })
  await send(tab).click()
  await stage(tab, 'Fill').filter({ hasText: 'Bought' }).waitFor()

  const [reaction] = await expect(200, user.api('GET', '/api/v2/strategy/reaction/code'))
  const [bot] = await expect(200, user.api('GET', '/api/v2/bot/signal/cex'))
  assert.equal(bot.mode, 'paper')
  assert.equal(await codeOf(reaction.id, user), await codeOfFirstStart(), 'the code is that of a first start')

  // Half of it is gone or off: the page says which half, and completes it.
  await expect(200, user.api('PUT', `/api/v2/bot/signal/cex/${bot.id}/status`, { status: 'INACTIVE' }))
  await expect(200, user.api('DELETE', `/api/v2/strategy/reaction/code/${reaction.id}`))
  await tab.reload()
  await part(tab, 'Bot').filter({ hasText: 'Off' }).waitFor()
  await part(tab, 'Reaction').filter({ hasText: 'Does not exist yet' }).waitFor()
  await tab.getByRole('button', { name: 'Complete the example' }).press('Enter')
  await send(tab).waitFor()
  assert.deepEqual(await counts(user), made)
})

async function counts(user: Browser) {
  const length = async (path: string) => (await expect(200, user.api('GET', `/api/v2/${path}`))).length
  return {
    dataWebhooks: await length('webhook/data'),
    botWebhooks: await length('webhook/bot'),
    reactions: await length('strategy/reaction/code'),
    bots: await length('bot/signal/cex'),
  }
}

async function codeOf(id: number, { api }: Pick<Browser, 'api'>): Promise<string> {
  return (await expect(200, api('GET', `/api/v2/strategy/reaction/code/${id}`))).code
}

async function codeOfFirstStart(): Promise<string> {
  const [reaction] = await expect(200, service.api('GET', '/api/v2/strategy/reaction/code'))
  return codeOf(reaction.id, service)
}

inBrowser('the steps to a strategy of one’s own are done by what the service says', async (tab) => {
  const user = await signUpBrowser(service, 'alan@example.com')
  await openPage(tab, service, user.email, '/start')
  const [write, follow, act] = [
    step(tab, 'Write a strategy or a reaction'),
    step(tab, 'Let a paper bot follow it'),
    step(tab, 'See it act'),
  ]
  await write.filter({ hasText: ': to do' }).waitFor()

  const name = `<img src=x onerror=alert(1)> \u202Egnp.exe ${'long'.repeat(50)}`
  const data = await expect(201, user.api('POST', '/api/v2/webhook/data', { name }))
  const code = 'await $.Strategy.action($.Action.LONG)'
  const { id } = await expect(
    201,
    user.api('POST', '/api/v2/strategy/reaction/code', { name, code, data_webhook_id: data.id }),
  )
  await tab.reload()
  await write.filter({ hasText: ': done' }).waitFor()
  await write.filter({ hasText: '<img src=x onerror=alert(1)> U+202Egnp.exe' }).waitFor()
  await follow.filter({ hasText: 'sends its signals to no bot webhook yet' }).waitFor()

  const botWebhook = await expect(201, user.api('POST', '/api/v2/webhook/bot', { name }))
  const reaction = `/api/v2/strategy/reaction/code/${id}`
  const signals = { send_signal: true, webhook_id: botWebhook.id, symbol: 'BTCUSDT' }
  await expect(200, user.api('PUT', reaction, signals))
  const exchanges = await expect(200, user.api('GET', '/api/v2/exchange'))
  const { id: exchange_id } = exchanges.find(({ type }: { type: string }) => type === 'SIM')
  const bot = { name, exchange_id, webhook_id: botWebhook.id }
  const { id: botId } = await expect(201, user.api('POST', '/api/v2/bot/signal/cex', bot))
  await tab.reload()
  await follow.filter({ hasText: ': done' }).waitFor()
  await act.filter({ hasText: 'is off. Switch it on.' }).waitFor()
  await checkLooks(tab, 'first steps with hostile names')

  // From here on, the page follows what happens.
  await expect(200, user.api('PUT', `${reaction}/status`, { status: 'ACTIVE' }))
  await expect(200, user.api('PUT', `/api/v2/bot/signal/cex/${botId}/status`, { status: 'ACTIVE' }))
  await act.filter({ hasText: 'has sent no signal yet' }).waitFor()
  await expect(202, service.send('POST', new URL(data.url).pathname, { body: {} }))
  await act.filter({ hasText: ': done' }).waitFor()
  assert.equal(await tab.locator('main img').count(), 0)
})

inBrowser('the first steps leave the rail when the user hides them, and search finds them', async (tab) => {
  const user = await signUpBrowser(service, 'edsger@example.com')
  await openPage(tab, service, user.email, '/start')
  const rail = tab.getByRole('navigation', { name: 'Pages', exact: true })
  const link = rail.getByRole('link', { name: 'First steps' })
  await link.waitFor()
  await tab.getByRole('button', { name: 'Hide from the rail' }).click()
  await link.waitFor({ state: 'detached' })
  await tab.goto(`${service.url}/runs`)
  await tab.getByRole('heading', { level: 1, name: 'Runs' }).waitFor()
  assert.equal(await link.count(), 0)
  await tab.keyboard.press('Control+k')
  await tab.keyboard.insertText('first steps')
  await tab.keyboard.press('Enter')
  await tab.getByRole('button', { name: 'Show in the rail' }).click()
  await link.waitFor()
})

inBrowser(
  'a slow or broken network is said in plain words, and nothing typed is lost',
  async (tab, complaints) => {
    const user = await signUpBrowser(service, 'barbara@example.com')
    const network = await tab.context().newCDPSession(tab)
    const slow = { latency: 150, downloadThroughput: 1.6e6 / 8, uploadThroughput: 1.6e6 / 8 }
    const setOffline = (offline: boolean) =>
      network.send('Network.emulateNetworkConditions', { offline, ...slow })
    await setOffline(false)
    await tab.goto(`${service.url}/start`)
    await tab.getByLabel('E-mail address').fill(user.email)
    await tab.getByLabel('Password').fill(password)
    const alert = tab.getByRole('alert')
    const answers = [
      [
        429,
        { 'retry-after': '9' },
        '',
        'Too many requests came from here. Nothing was changed. Try again in 9 s.',
      ],
      [502, {}, '<h1>Bad gateway', 'answered with status 502'],
      [
        503,
        {},
        JSON.stringify({ code: 'unavailable', error: 'The database is away.' }),
        'The database is away.',
      ],
    ] as const
    for (const [status, headers, body, text] of answers) {
      await tab.route('**/user/session', (route) => route.fulfill({ status, headers, body }), { times: 1 })
      await tab.getByRole('button', { name: 'Sign in' }).click()
      const shown = alert.filter({ hasText: text.split('.')[0]! })
      await shown.waitFor()
      if (status === 429) assert.equal((await shown.innerText()).replaceAll(/\s+/g, ' ').trim(), text)
    }
    await setOffline(true)
    await tab.getByRole('button', { name: 'Sign in' }).click()
    await alert.filter({ hasText: 'This device is offline.' }).first().waitFor()
    assert.equal(await tab.getByLabel('Password').inputValue(), password)
    await setOffline(false)
    // What the page reads fails: it says so, and goes on by itself.
    let isBroken = true
    await tab.route('**/api/v2/bot/**', (route) =>
      isBroken ? route.fulfill({ status: 502 }) : route.continue(),
    )
    await tab.getByRole('button', { name: 'Sign in' }).click()
    await alert.filter({ hasText: 'status 502. The service may be starting.' }).first().waitFor()
    isBroken = false
    await tab.getByRole('button', { name: 'Set up the example' }).waitFor()
    // The same when the page is opened while the service is away.
    await tab.route('**/user/me', (route) => (isBroken ? route.fulfill({ status: 502 }) : route.continue()))
    isBroken = true
    await tab.reload()
    await alert.filter({ hasText: 'This page tries again by itself.' }).waitFor()
    isBroken = false
    await tab.getByRole('button', { name: 'Set up the example' }).waitFor()
    assert.match(complaints.splice(0).join(), /^ApiError: HTTP status 502/)
  },
)

inBrowser('a page whose script does not arrive asks for a reload', async (tab, complaints) => {
  const user = await signUpBrowser(service, 'tony@example.com')
  await openPage(tab, service, user.email, '/start')
  await tab.route('**/assets/*.js', (route) => route.abort())
  await tab
    .getByRole('navigation', { name: 'Pages', exact: true })
    .getByRole('link', { name: 'Webhooks' })
    .click()
  await tab.getByText('A part of this page did not arrive.').waitFor()
  assert.match(complaints.splice(0).join(), /dynamically imported module/)
  await tab.unroute('**/assets/*.js')
  await tab.getByRole('button', { name: 'Reload' }).click()
  await tab.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor()
})
