/** The administration: users, invitations, security events, exchanges, trading and the system, in a real browser. */
import assert from 'node:assert/strict'
import { before } from 'node:test'
import { sql } from 'drizzle-orm'
import { createTestDatabase, fileResources } from '../databases.ts'
import { inBrowser, strangersTab } from '../in-browser.ts'
import { expect } from '../reaction.ts'
import { startService, type TestService } from '../service.ts'
import { until } from '../until.ts'
import { type Browser, password, signUpBrowser } from '../users.ts'
import { assertCount, assertText } from './assert-shown.ts'
import { checkLooks } from './looks.ts'
import { openPage } from './open-page.ts'

let service: TestService
let ada: Browser
let bob: Browser

const hostile = `<img src=x onerror=alert(1)>\u202E${'long'.repeat(50)}`
const path = '/administration'

before(async () => {
  const database = fileResources.use(await createTestDatabase())
  service = fileResources.use(await startService({ database }))
  ada = await signUpBrowser(service, 'ada@example.com', 'admin')
  bob = await signUpBrowser(service, 'bob@example.com')
  await expect(200, bob.api('PUT', `/api/v2/user/${bob.user.id}`, { name: hostile }))
  await expect(201, bob.api('POST', '/api/v2/api/key', { name: hostile, algorithm: 'HMAC' }))
  // A node of an older version that has died.
  const { db } = await database.open()
  await db.execute(
    sql.raw(
      `insert into nodes (id, started_at, heartbeat_at, version) values ('00000000-0000-4000-8000-000000000001', now() - interval '1 hour', now() - interval '5 minutes', '1.9.0')`,
    ),
  )
})

const statusOf = async ({ user }: Browser) =>
  (await expect(200, service.api('GET', `/api/v2/user/${user.id}`))).status

inBrowser('a person is invited by keyboard, with a link that is shown once', async (tab) => {
  await openPage(tab, service, ada.email, path)
  await tab.getByRole('row').filter({ hasText: 'bob@example.com' }).waitFor()
  await checkLooks(tab, 'users')
  await tab.getByRole('button', { name: 'Invite' }).press('Enter')
  const dialog = tab.getByRole('dialog', { name: 'Invite a person' })
  await tab.keyboard.type('no address')
  await tab.keyboard.press('Enter')
  await dialog.locator('input[aria-invalid=true]').waitFor()
  await checkLooks(tab, 'invite')
  await tab.keyboard.press('ControlOrMeta+a')
  await tab.keyboard.type('carol@example.com')
  await tab.keyboard.press('Enter')
  const made = tab.getByRole('dialog', { name: 'The invitation' })
  await made.waitFor()
  // What nobody can show again does not go by Escape.
  await tab.keyboard.press('Escape')
  await made.getByRole('button', { name: 'Show the link' }).press('Enter')
  const link = await made.locator('code').innerText()
  await checkLooks(tab, 'invitation')
  await made.getByRole('button', { name: 'I have passed it on' }).press('Enter')
  await made.waitFor({ state: 'detached' })
  assert.ok(!(await tab.content()).includes(link), 'the link is gone')

  await tab.getByRole('tab', { name: 'Invitations' }).click()
  await tab.getByRole('row').filter({ hasText: 'carol@example.com' }).waitFor()
  await checkLooks(tab, 'invitations')
  await tab.getByRole('button', { name: 'Withdraw the invitation of carol@example.com' }).click()
  const asks = tab.getByRole('dialog', { name: 'Withdraw this invitation' })
  await asks.getByRole('button', { name: 'Withdraw' }).dblclick()
  await asks.waitFor({ state: 'detached' })
  await tab.getByText('No invitation is open').waitFor()
  const body = { invitation: new URL(link).hash.slice(1), password }
  assert.notEqual((await service.send('POST', '/api/v2/user', { body })).status, 201)
})

inBrowser('a user is found, disabled, enabled and deleted, each with its effects in words', async (tab) => {
  await openPage(tab, service, ada.email, `${path}?tab=users&q=bob`)
  const row = tab.getByRole('row').filter({ hasText: 'bob@example.com' })
  await row.waitFor()
  // The head and the user.
  await assertCount(tab.getByRole('row'), 2)
  await assertText(row, /<img src=x onerror=alert\(1\)>U\+202E/)
  await tab.getByRole('link', { name: 'Change bob@example.com' }).press('Enter')
  const dialog = tab.getByRole('dialog', { name: 'bob@example.com' })
  await dialog.getByText('Positions stay open.').waitFor()
  assert.match(tab.url(), new RegExp(`user=${bob.user.id}`))
  await checkLooks(tab, 'a user')
  await dialog.getByRole('button', { name: 'Disable' }).dblclick()
  await dialog.getByText('The user is disabled.').waitFor()
  assert.equal(await statusOf(bob), 'DISABLED')
  assert.equal((await bob.api('GET', '/api/v2/user/me')).status, 401)
  await dialog.getByRole('button', { name: 'Enable' }).click()
  await dialog.getByText('The user is enabled.').waitFor()
  assert.equal(await statusOf(bob), 'ACTIVE')
  await dialog.getByRole('button', { name: 'Make administrator' }).click()
  await dialog.getByRole('button', { name: 'Make user' }).click()
  await dialog.getByText('no administrator any more').waitFor()

  const doomed = await signUpBrowser(service, 'doomed@example.com')
  await tab.goto(`${service.url}${path}?user=${doomed.user.id}`)
  await tab.getByRole('button', { name: 'Delete …' }).click()
  const asks = tab.getByRole('dialog', { name: 'Delete this user' })
  await assertText(asks, /doomed@example\.com[\s\S]*bots, orders, fills/)
  await checkLooks(tab, 'delete a user')
  await asks.getByRole('button', { name: 'Delete the user' }).dblclick()
  await asks.waitFor({ state: 'detached' })
  assert.equal((await service.api('GET', `/api/v2/user/${doomed.user.id}`)).status, 404)
  await tab.getByRole('row').filter({ hasText: 'doomed' }).waitFor({ state: 'detached' })
})

inBrowser('an administrator changes the limits of a user, who sees them and what they use', async (tab) => {
  const user = await signUpBrowser(service, 'limited@example.com')
  await expect(201, user.api('POST', '/api/v2/webhook/data', {}))
  await openPage(tab, service, ada.email, `${path}?user=${user.user.id}`)
  await tab.getByRole('button', { name: 'Change …' }).click()
  const dialog = tab.getByRole('dialog', { name: 'Limits of limited@example.com' })
  const webhooks = dialog.getByLabel('Data webhooks')
  await webhooks.fill('one')
  await dialog.getByLabel('Bots', { exact: true }).fill('0')
  await tab.keyboard.press('Enter')
  await webhooks.and(tab.locator('[aria-invalid]')).waitFor()
  await checkLooks(tab, 'limits of a user')
  await webhooks.fill('1')
  await dialog.getByRole('button', { name: 'Save the limits' }).dblclick()
  await tab.getByText('The limits are saved.').waitFor()
  const limits = await expect(200, user.api('GET', `/api/v2/user/${user.user.id}/limits`))
  assert.deepEqual([limits.data_webhooks.own, limits.bots.own, limits.folders.own], [1, 0, null])
  await expect(409, user.api('POST', '/api/v2/webhook/data', {}))

  const theirs = await strangersTab(tab)
  await openPage(theirs, service, user.email, '/settings/account')
  const row = theirs.getByRole('region', { name: 'Limits' }).getByRole('row')
  await assertText(row.filter({ hasText: 'Data webhooks' }), /1\s+Reached 1$/)
  await assertText(row.filter({ hasText: 'Strategies and reactions' }), /0\s+10,000$/)
  assert.equal(await row.filter({ hasText: 'invitations' }).count(), 0)
  await checkLooks(theirs, 'limits of oneself')
  await theirs.context().close()

  await tab.getByRole('button', { name: 'Change …' }).click()
  assert.equal(await webhooks.inputValue(), '1')
  await webhooks.fill('')
  await dialog.getByRole('button', { name: 'Save the limits' }).click()
  await tab.getByText('The limits are saved.').waitFor()
  await expect(201, user.api('POST', '/api/v2/webhook/data', {}))
})

inBrowser('the audit log says who did what, from where, and shows hostile details as text', async (tab) => {
  await openPage(tab, service, ada.email, `${path}?tab=audit&user=${bob.user.id}`)
  const row = tab.getByRole('row').filter({ hasText: 'Created an API key' })
  // Names of users come with another answer.
  await row.filter({ hasText: 'bob@example.com' }).waitFor()
  const text = await row.innerText()
  for (const part of ['bob@example.com', '127.0.0.1', '<img src=x onerror=alert(1)>[U+202E]'])
    assert.ok(text.includes(part), `${part} in ${text}`)
  await checkLooks(tab, 'audit log')
  await tab.getByLabel('Events', { exact: true }).selectOption('Trading')
  await tab.getByText('No such event').waitFor()
  assert.match(tab.url(), /events=trading/)
  await tab.getByRole('button', { name: 'Show all events' }).click()
  await row.waitFor()
  await tab.getByLabel('User', { exact: true }).selectOption('You')
  await tab.getByRole('row').filter({ hasText: 'Invited a person' }).first().waitFor()
})

inBrowser('an exchange is switched off and on, and trading is halted and goes on', async (tab) => {
  await openPage(tab, service, ada.email, `${path}?tab=exchanges&q=kraken`)
  const off = tab.getByRole('button', { name: 'Switch off Kraken spot' })
  await off.waitFor()
  await checkLooks(tab, 'exchanges')
  await off.click()
  await tab.getByRole('dialog').getByText('Positions stay open at the exchange.').waitFor()
  await checkLooks(tab, 'switch an exchange')
  await tab.getByRole('dialog').getByRole('button', { name: 'Switch off' }).dblclick()
  await tab.getByRole('button', { name: 'Switch on Kraken spot' }).click()
  await tab.getByRole('dialog').getByRole('button', { name: 'Switch on' }).click()
  await off.waitFor()

  const trading = () => expect(200, service.api('GET', '/api/v2/trading'))
  await tab.getByRole('tab', { name: 'Trading' }).click()
  await tab.getByRole('button', { name: 'Halt all trading …' }).click()
  const dialog = tab.getByRole('dialog', { name: 'Halt all trading' })
  await dialog.getByText('neither to open nor to close').waitFor()
  assert.equal((await trading()).halted, false, 'it asks first')
  await checkLooks(tab, 'halt')
  await dialog.getByLabel('Reason').fill('Prices of Kraken <b> \u202E are wrong')
  await dialog.getByRole('button', { name: 'Halt all trading' }).dblclick()
  await tab.getByText('All trading is halted.').waitFor()
  assert.equal((await trading()).halt.reason, 'Prices of Kraken <b> \u202E are wrong')
  await tab.locator('main').getByText('Prices of Kraken <b> U+202E are wrong').waitFor()
  await checkLooks(tab, 'trading')
  await tab.getByRole('button', { name: 'Change the reason …' }).click()
  await tab.getByRole('dialog').getByLabel('Reason').fill('Maintenance until noon')
  await tab.getByRole('dialog').getByRole('button', { name: 'Save the reason' }).dblclick()
  await tab.locator('main').getByText('Maintenance until noon').waitFor()
  assert.equal((await trading()).halt.user_id, ada.user.id)
  await tab.getByRole('button', { name: 'Let trading go on …' }).click()
  await tab.getByRole('dialog').getByRole('button', { name: 'Let trading go on' }).click()
  await tab.getByRole('heading', { name: 'Trading goes on' }).waitFor()
  assert.deepEqual(await trading(), { live_trading: false, halted: false, halt: null })
})

// Here instead of with the rest of what surrounds every page: other files share a service, and want to trade.
inBrowser('an administrator halts all trading on each page, and lets it go on', async (tab) => {
  const admin = await signUpBrowser(service, 'chief@example.com', 'admin')
  await openPage(tab, service, admin.email, '/runs')
  await tab.getByRole('button', { name: 'Stop' }).click()
  const dialog = tab.getByRole('dialog', { name: 'Stop' })
  await dialog.getByLabel('Openings only').check()
  await dialog.getByRole('button', { name: 'Halt' }).click()
  await dialog.getByText('Openings are halted. Closes go on.').waitFor()
  await tab.getByText('Openings are halted', { exact: true }).waitFor()
  assert.equal((await expect(200, admin.api('GET', '/api/v2/trading'))).halted, 'openings')
  await dialog.getByLabel('Reason, for all users to read').fill('Wrong prices')
  await checkLooks(tab, 'Stop of an administrator')
  await dialog.getByRole('button', { name: 'Halt' }).click()
  await dialog.getByText('All trading is halted.').waitFor()
  await tab.getByText('Trading is halted', { exact: true }).waitFor()
  const { halted, halt } = await expect(200, admin.api('GET', '/api/v2/trading'))
  assert.deepEqual([halted, halt.reason, halt.user_id], [true, 'Wrong prices', admin.user.id])

  const theirs = await strangersTab(tab)
  await openPage(theirs, service, bob.email, '/runs')
  await theirs.getByRole('button', { name: 'Trading is halted' }).press('Enter')
  const why = theirs.getByRole('dialog', { name: 'Trading is halted' })
  await why.getByText('Wrong prices').waitFor()
  await why.getByText(`Administrator, user ${admin.user.id}`).waitFor()
  assert.ok(!(await why.innerText()).includes(admin.email))
  await checkLooks(theirs, 'why trading is halted')
  await dialog.getByRole('button', { name: 'Go on' }).click()
  await dialog.getByText('Trading goes on.').waitFor()
  assert.equal((await expect(200, admin.api('GET', '/api/v2/trading'))).halted, false)
  await theirs.getByText('An administrator has ended the halt.').waitFor()
  await theirs.context().close()
})

inBrowser('the system shows living and dead nodes, and says when what it shows is old', async (tab) => {
  await tab.clock.install()
  await openPage(tab, service, ada.email, `${path}?tab=system`)
  const nodes = tab.getByRole('table').first()
  const dead = nodes.getByRole('row').filter({ hasText: '00000000' })
  await dead.getByText('Gone').waitFor()
  await assertText(dead, /\d min( \d+ s)? ago[\s\S]*1\.9\.0/)
  const living = nodes.getByRole('row').filter({ hasText: 'answers' })
  await assertText(living, /Alive[\s\S]*api, worker, scheduler, market[\s\S]*MB[\s\S]*\d of \d/)
  assert.equal(await tab.getByText('different versions').count(), 0, 'a dead node makes no mix')
  await tab.getByText('Runs that wait').waitFor()
  await tab.getByText('Deleted after 30 days').waitFor()
  await tab.getByText('Only stored: no mail server is set').waitFor()
  await checkLooks(tab, 'system')
  await tab.setViewportSize({ width: 390, height: 800 })
  await tab.reload()
  const chosen = await tab.getByRole('tab', { name: 'System' }).boundingBox()
  assert.ok(chosen!.x >= 0 && chosen!.x + chosen!.width <= 390, 'the chosen tab is in sight on a phone')
  await tab.setViewportSize({ width: 1280, height: 800 })
  await tab.route('**/api/v2/system', (route) => route.abort())
  await until('the page to say that it is old', async () => {
    await tab.clock.fastForward(5000)
    return (await tab.getByText('The service has not answered since').count()) === 1
  })
  await living.getByText('Unknown').waitFor()
  await checkLooks(tab, 'system, old')
})

inBrowser('a user who is no administrator gets no rail entry and a page that says so', async (tab) => {
  await openPage(tab, service, bob.email, `${path}?tab=audit&user=${ada.user.id}`)
  await tab.getByText('This page is for administrators').waitFor()
  assert.equal(await tab.getByRole('link', { name: 'Administration' }).count(), 0)
  assert.ok(!(await tab.locator('main').innerText()).includes('ada@example.com'))
  await checkLooks(tab, 'for administrators')
})
