/** What surrounds every page: the stream of all tabs, search, and Stop. */
import assert from 'node:assert/strict'
import { before } from 'node:test'
import type { Page } from 'playwright-core'
import { createTestDatabase } from '../databases.ts'
import { freePort } from '../free-port.ts'
import { inBrowser } from '../in-browser.ts'
import { startAddress } from '../one-address.ts'
import { startProcess } from '../process.ts'
import { expect, makeReaction } from '../reaction.ts'
import { startService } from '../service.ts'
import { type Browser, signUpBrowser } from '../users.ts'
import { assertCount } from './assert-shown.ts'
import { checkLooks } from './looks.ts'
import { openPage } from './open-page.ts'
import { type PagesService, pagesService } from './pages-service.ts'

let service: PagesService
let user: Browser
let simulated: number

before(async () => {
  service = await pagesService()
  user = await signUpBrowser(service, 'ada@shell.example.com')
  const exchanges = await expect(200, user.api('GET', '/api/v2/exchange'))
  simulated = exchanges.find(({ name }: { name: string }) => name === 'Simulated market').id
})

async function makeBot(
  name: string,
  owner = user,
): Promise<{ id: number; read(): Promise<{ status: string }> }> {
  const settings = { name, exchange_id: simulated, symbol: 'BTC/USDT', mode: 'paper', amount: 100 }
  const { id } = await expect(201, owner.api('POST', '/api/v2/bot/signal/cex', settings))
  const path = `/api/v2/bot/signal/cex/${id}`
  await expect(200, owner.api('PUT', `${path}/status`, { status: 'ACTIVE' }))
  return { id, read: () => expect(200, owner.api('GET', path)) }
}

const isLive = (tab: Page) => tab.getByRole('status').filter({ hasText: 'Up to date' })

inBrowser('the stream opens before a page reads, so the page reads everything once', async (tab) => {
  const asked: string[] = []
  tab.on('request', (request) => {
    const { pathname, search } = new URL(request.url())
    if (pathname.startsWith('/api/')) asked.push(pathname + search)
  })
  // A busy service may open the stream late. A page reads nothing of its own before it knows who is signed in.
  const opened = tab.waitForResponse('**/api/v2/live')
  await tab.route('**/api/v2/user/me', async (route) => {
    await opened
    await route.continue()
  })
  await openPage(tab, service, user.email, '/signals')
  await tab.getByText('No signals yet').or(tab.getByRole('cell')).first().waitFor()
  // A page would read again in the same task in which the stream opens.
  await tab.evaluate('new Promise((resolve) => setTimeout(resolve))')
  assert.deepEqual(asked.toSorted(), [...new Set(asked)].toSorted())
  assert.ok(asked.includes('/api/v2/live'))
})

inBrowser('the tabs of a browser share one stream, and another tab takes it over', async (tab) => {
  const reaction = await makeReaction({ ...service, api: user.api }, '$.log(1)')
  let streams = 0
  tab.context().on('request', (request) => {
    if (new URL(request.url()).pathname === '/api/v2/live') streams++
  })
  await openPage(tab, service, user.email, '/runs')
  const second = await tab.context().newPage()
  await second.goto(`${service.url}/runs`)
  await isLive(second).waitFor()
  assert.equal(streams, 1)
  const rowsOf = (page: Page) => page.getByRole('row').filter({ has: page.getByRole('cell') })
  await expect(202, reaction.post({}))
  for (const page of [tab, second]) await rowsOf(page).filter({ hasText: 'Succeeded' }).waitFor()

  await tab.close()
  await expect(202, reaction.post({}))
  await rowsOf(second).nth(1).waitFor()
  assert.equal(streams, 2)
})

inBrowser('a laptop back from sleep connects again at once', async (tab) => {
  await tab.clock.install()
  await openPage(tab, service, user.email, '/runs')
  const again = tab.waitForRequest('**/api/v2/live')
  // While a device sleeps, its clock goes on, and its timers do not.
  await tab.clock.setSystemTime(Date.now() + 8 * 3_600_000)
  await tab.clock.runFor(5_000)
  await again
  await isLive(tab).waitFor()
})

inBrowser('on a device with a wrong clock, distances in time are those of the service', async (tab) => {
  const strategies = '/api/v2/strategy/code'
  // Half a day from now, wherever the day is.
  const hour = (new Date().getUTCHours() + 12) % 24
  const daily = { name: 'Daily', code: '$.log(1)', cron_interval: `30 ${hour} * * *` }
  const { id } = await expect(201, user.api('POST', strategies, daily))
  await expect(200, user.api('PUT', `${strategies}/${id}/status`, { status: 'ACTIVE' }))
  const { next_run_at } = await expect(200, user.api('GET', `${strategies}/${id}`))
  // Three days behind: by its own clock, the next run would be days away.
  await tab.clock.install({ time: Date.now() - 3 * 86_400_000 })
  await openPage(tab, service, user.email, '/overview')
  const due = tab.locator(`time[datetime="${next_run_at}"]`)
  await due.filter({ hasText: /^in 1[12] h$/ }).waitFor()
  await expect(200, user.api('PUT', `${strategies}/${id}/status`, { status: 'INACTIVE' }))
})

inBrowser('a lost service is said, and what happened meanwhile is there afterwards', async (tab) => {
  await using database = await createTestDatabase()
  const env = { PORT: String(await freePort()) }
  await using former = await startProcess({ database, env })
  const ada = await signUpBrowser(former, 'ada@shell.example.com')
  const { path } = await makeReaction({ ...former, api: ada.api }, '$.log("while away")')
  await openPage(tab, former, ada.email, '/runs')
  await former.killGroup()
  await tab.getByRole('status').filter({ hasText: 'Out of date: as of' }).waitFor()
  await using next = await startService({ database, env })
  await expect(202, next.send('POST', path, { body: {} }))
  await isLive(tab).waitFor()
  await tab.getByRole('row').filter({ hasText: 'while away' }).waitFor()
})

inBrowser('a page shows what another node does, and goes on with it when its own is killed', async (tab) => {
  await using database = await createTestDatabase()
  await using own = await startProcess({ database, env: { ROLES: 'api' } })
  await using other = await startService({ database })
  const portOf = ({ url }: { url: string }) => Number(new URL(url).port)
  await using address = await startAddress(portOf(own))
  const ada = await signUpBrowser(own, 'ada@example.com')
  const { path } = await makeReaction({ ...own, api: ada.api }, '$.log($.Request.data)')
  const post = (text: string) => expect(202, other.send('POST', path, { body: { text } }))
  const row = (text: string) => tab.getByRole('row').filter({ hasText: text })
  await openPage(tab, { url: `http://127.0.0.1:${address.port}` }, ada.email, '/runs')
  await post('from the other node')
  await row('from the other node').waitFor()
  await own.killGroup()
  await tab.getByRole('status').filter({ hasText: 'Out of date: as of' }).waitFor()
  await post('while nobody answered')
  address.switchTo(portOf(other))
  await isLive(tab).waitFor()
  await row('while nobody answered').waitFor()
  await post('after the change')
  await row('after the change').waitFor()
  // Each once.
  await assertCount(row('{"text"'), 3)
})

inBrowser('every page says at once that the service fails, and goes on by itself', async (tab) => {
  const grace = await signUpBrowser(service, 'grace@shell.example.com', 'admin')
  const { id: botId } = await makeBot('shown', grace)
  const { id: strategyId } = await makeReaction({ ...service, api: grace.api }, '$.log(1)')
  let isBroken = true
  // What the page itself needs: who the user is. All else fails.
  // With so long a wait, the client library leaves it to the page to try again.
  const broken = { status: 502, headers: { 'retry-after': '60' } }
  await tab.route(/\/api\/v2\/(?!user\/me|live)/, (route) =>
    isBroken ? route.fulfill(broken) : route.continue(),
  )
  await openPage(tab, service, grace.email, '/about')
  const paths = [
    ...['/overview', '/strategies', '/ai-strategies', '/approvals', '/webhooks', '/runs', '/signals'],
    ...['/bots', '/trading', `/bots/${botId}`],
    ...[`/strategies/reaction/${strategyId}`, `/strategies/reaction/${strategyId}/code`],
    ...['keys', 'account', 'connections', 'variables', 'notifications', 'mail', 'public'].map(
      (area) => `/settings/${area}`,
    ),
    ...['users', 'invitations', 'audit', 'exchanges', 'trading', 'system'].map(
      (name) => `/administration?tab=${name}`,
    ),
  ]
  // Nothing of the page before counts: its failures are marked.
  const open = (path: string) =>
    tab.evaluate(`for (const each of document.querySelectorAll('[role=alert]')) each.dataset.before = ''
      history.pushState(null, '', ${JSON.stringify(path)})`)
  const failure = tab.locator('[role=alert]:not([data-before])').filter({ hasText: 'status 502' }).first()
  isBroken = true
  for (const path of paths) {
    await open(path)
    await failure.waitFor().catch((error: unknown) => assert.fail(`${path}: ${error}`))
  }
  // A list, a page with many answers, one of the tabs, and one of the areas.
  for (const path of ['/runs', '/overview', '/administration?tab=system', '/settings/keys']) {
    isBroken = true
    await open(path)
    await failure.waitFor().catch((error: unknown) => assert.fail(`${path}: ${error}`))
    isBroken = false
    await failure.waitFor({ state: 'detached' }).catch((error: unknown) => assert.fail(`${path}: ${error}`))
  }
})

inBrowser('search finds pages and commands by the keyboard alone', async (tab) => {
  await openPage(tab, service, user.email, '/overview')
  await tab.keyboard.press('Control+k')
  await tab.getByRole('combobox', { name: 'Search' }).waitFor()
  await tab.keyboard.type('run')
  await tab.keyboard.press('Enter')
  await tab.getByRole('heading', { level: 1, name: 'Runs' }).waitFor()
  await tab.keyboard.press('Control+k')
  await tab.keyboard.type('stop')
  await tab.keyboard.press('Enter')
  await tab.getByRole('dialog', { name: 'Stop' }).waitFor()
  await tab.keyboard.press('Escape')
  await tab.getByRole('dialog').waitFor({ state: 'detached' })
})

inBrowser('an address without a page says so, and leads to pages', async (tab) => {
  const missing = await tab.goto(`${service.url}/positions?q=1`)
  assert.equal(missing!.status(), 404)
  await tab.getByRole('heading', { level: 1, name: 'There is no such page' }).waitFor()
  await tab.getByText('/positions', { exact: true }).waitFor()
  await checkLooks(tab, 'no-such-page')
  await openPage(tab, service, user.email, '/runs')
  await tab.goto(`${service.url}/runs/1/2/3`)
  await tab.getByRole('link', { name: 'Overview' }).click()
  await tab.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
})

inBrowser(
  'search leads to a bot without a venue and to its folder, and the bot can be deleted',
  async (tab) => {
    const at = '/api/v2/bot/signal/prediction'
    const folder = await expect(201, user.api('POST', `${at}/folder`, { name: 'Elections <b>' }))
    const made = { name: 'Rain in spring', exchange_id: 15, folder_id: folder.id, slug: 'rain-in-spring' }
    await expect(201, user.api('POST', at, made))
    await openPage(tab, service, user.email, '/bots')
    await tab.getByRole('link', { name: '1 bot without a venue' }).click()
    await tab.getByRole('heading', { level: 1, name: 'Bots without a venue' }).waitFor()
    const find = async (text: string, kind: string) => {
      await tab.keyboard.press('Control+k')
      await tab.keyboard.type(text)
      await tab.getByRole('option', { name: kind }).waitFor()
      await tab.keyboard.press('Enter')
    }
    await find('Elections', 'Folder')
    await tab.getByRole('heading', { level: 1, name: 'Elections <b>' }).waitFor()
    await find('Rain in', 'Bot without a venue')
    await tab.getByRole('heading', { level: 2, name: 'Rain in spring' }).waitFor()
    for (const text of ['rain-in-spring', 'Polymarket', 'none of them can be switched on'])
      await tab.getByText(text).waitFor()
    await checkLooks(tab, 'bots-without-venue')
    await tab.getByRole('button', { name: 'Delete' }).click()
    await tab.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await tab.getByText('No bot here').waitFor()
    assert.deepEqual(await expect(200, user.api('GET', at)), [])
  },
)

inBrowser('the theme and the colours of profit are commands and settings, and stay chosen', async (tab) => {
  await openPage(tab, service, user.email, '/overview')
  const colours = () =>
    tab.locator('html').evaluate((html) => {
      const style = html.computedStyleMap()
      return [String(style.get('background-color')), String(style.get('--profit'))]
    })
  const choose = async (command: string) => {
    await tab.keyboard.press('Control+k')
    await tab.keyboard.type(command)
    await tab.keyboard.press('Enter')
    await tab.getByRole('dialog').waitFor({ state: 'detached' })
  }
  await choose('Theme: light')
  const light = await colours()
  await tab.getByRole('link', { name: 'Appearance' }).first().click()
  const settings = tab.getByRole('main')
  await settings.getByLabel('Light', { exact: true }).and(tab.locator(':checked')).waitFor()
  await checkLooks(tab, 'appearance', { isWide: true })
  await choose('Theme: dark')
  await settings.getByLabel('Dark', { exact: true }).and(tab.locator(':checked')).waitFor()
  const second = await tab.context().newPage()
  await second.goto(`${service.url}/settings/appearance`)
  await second.getByLabel('Blue and orange').check()
  await tab.locator('html[data-profit-colours="blue-orange"]').waitFor()
  await settings.getByLabel('Blue and orange').and(tab.locator(':checked')).waitFor()
  await second.close()
  const dark = await colours()
  assert.notEqual(dark[0], light[0])
  assert.notEqual(dark[1], light[1])
  await tab.reload()
  await isLive(tab).waitFor()
  assert.deepEqual(await colours(), dark)
})

inBrowser('Stop switches the bots of the user off, and says so when it is done', async (tab) => {
  const bots = [await makeBot('one'), await makeBot('two')]
  await openPage(tab, service, user.email, '/overview')
  const dialog = tab.getByRole('dialog', { name: 'Stop' })
  await tab.getByRole('button', { name: 'Stop' }).focus()
  for (let repeat = 0; repeat < 3; repeat++) await tab.keyboard.down('Enter')
  await dialog.getByRole('button', { name: 'Switch off' }).and(tab.locator(':focus')).waitFor()
  await tab.keyboard.down('Enter')
  await tab.keyboard.up('Enter')
  assert.equal(
    await dialog.getByText(/bots? switched off\./).count(),
    0,
    'Enter that is held opens the dialog only',
  )
  for (const bot of bots) assert.equal((await bot.read()).status, 'ACTIVE')
  assert.equal(
    await dialog.getByRole('button', { name: 'Halt' }).count(),
    0,
    'only administrators halt all trading',
  )
  await dialog.getByRole('button', { name: 'Switch off' }).dblclick()
  await dialog.getByText('2 bots switched off.').waitFor()
  for (const bot of bots) assert.equal((await bot.read()).status, 'INACTIVE')
})

inBrowser(
  'on a phone, every page is two taps away, and Stop stays within reach',
  async (tab) => {
    await openPage(tab, service, user.email, '/overview')
    await tab.setViewportSize({ width: 390, height: 800 })
    const bar = tab.getByRole('navigation', { name: 'Pages and Stop' })
    const more = bar.getByRole('button', { name: 'More' })
    const sheet = tab.getByRole('navigation', { name: 'More pages' })
    for (const name of ['Strategies', 'Webhooks', 'Signals', 'Positions', 'Settings', 'About']) {
      await more.tap()
      await sheet.getByRole('link', { name, exact: true }).tap()
      await tab.getByRole('heading', { level: 1 }).getByText(name, { exact: true }).waitFor()
      await sheet.waitFor({ state: 'hidden' })
      if (name !== 'About') assert.equal(await more.getAttribute('aria-current'), 'page', name)
    }
    assert.equal(await sheet.getByRole('link', { name: 'Administration' }).count(), 0)
    await bar.getByRole('link', { name: 'Runs' }).tap()
    await tab.getByRole('heading', { level: 1, name: 'Runs' }).waitFor()
    assert.equal(await more.getAttribute('aria-current'), null)

    await more.tap()
    await sheet.waitFor()
    const small = await sheet.locator('a, button').evaluateAll((targets) =>
      targets.filter((target) => {
        const { width, height } = target.getBoundingClientRect()
        return Math.min(width, height) < 44
      }),
    )
    assert.deepEqual(small, [])
    await checkLooks(tab, 'the sheet with more pages')
    await tab.setViewportSize({ width: 390, height: 800 })
    await bar.getByRole('button', { name: 'Stop' }).tap()
    await tab.getByRole('dialog', { name: 'Stop' }).waitFor()
    await sheet.waitFor({ state: 'hidden' })
  },
  { hasTouch: true },
)

inBrowser('the sheet with more pages works by keyboard, and gives the focus back', async (tab) => {
  await openPage(tab, service, user.email, '/overview')
  await tab.setViewportSize({ width: 390, height: 800 })
  const more = tab.getByRole('button', { name: 'More', exact: true })
  const sheet = tab.getByRole('navigation', { name: 'More pages' })
  const first = sheet.getByRole('link').first()
  await more.focus()
  await tab.keyboard.press('Enter')
  await sheet.waitFor()
  await tab.keyboard.press('Tab')
  await first.and(tab.locator(':focus')).waitFor()
  await tab.keyboard.press('Escape')
  await sheet.waitFor({ state: 'hidden' })
  await more.and(tab.locator(':focus')).waitFor()
  await tab.keyboard.press('Enter')
  await tab.keyboard.press('Tab')
  await sheet.getByRole('link', { name: 'Settings' }).focus()
  await tab.keyboard.press('Enter')
  await tab.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()
  await tab.locator('main:focus').waitFor()
})
