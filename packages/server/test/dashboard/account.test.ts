/** The pages that links in mails open, with a real service, a mail server and a real browser. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import type { Page } from 'playwright-core'
import { fileResources } from '../databases.ts'
import { freePort } from '../free-port.ts'
import { inBrowser } from '../in-browser.ts'
import { type Mailbox, startMailbox } from '../mailbox.ts'
import { expect } from '../reaction.ts'
import { startService, type TestService } from '../service.ts'
import { until } from '../until.ts'
import { password, signUpBrowser } from '../users.ts'
import { assertText } from './assert-shown.ts'
import { checkLooks } from './looks.ts'
import { openPage } from './open-page.ts'

let mailbox: Mailbox
let service: TestService

before(async () => {
  mailbox = fileResources.use(await startMailbox())
  // Links in mails name the port.
  const PORT = String(await freePort())
  service = fileResources.use(await startService({ env: { SMTP_URL: mailbox.url, PORT } }))
})

test('the pages reveal nothing to others, and nothing of the former pages is left', async () => {
  for (const path of ['/signup', '/reset', '/email']) {
    const { status, headers } = await service.send('GET', path)
    const names = ['referrer-policy', 'x-frame-options', 'cache-control', 'set-cookie']
    assert.deepEqual(
      [status, ...names.map((name) => headers.get(name))],
      [200, 'no-referrer', 'DENY', 'no-cache', null],
      path,
    )
    for (const method of ['POST', 'PUT', 'DELETE'])
      assert.equal((await service.send(method, path)).status, 404, `${method} ${path}`)
  }
  for (const path of ['/pages/', '/pages/account.html', '/pages/account.js', '/signup.html'])
    assert.equal((await service.send('GET', path)).status, 404, path)
})

inBrowser('an invited person signs up with the link in the mail and only the keyboard', async (tab) => {
  const mailed = await invite('invited@example.com', 'admin')
  const referrers: (string | undefined)[] = []
  tab.on('request', (request) => {
    referrers.push(request.headers().referer)
    assert.ok(!request.url().includes(mailed.split('#')[1]!), 'the token is in no address')
  })
  await tab.goto(mailed)
  await heading(tab, 'Create your account')
  assert.equal(tab.url(), `${service.url}/signup`)
  await checkLooks(tab, 'sign-up')
  for (const text of ['Ada <b>', password, password]) {
    await tab.keyboard.insertText(text)
    await tab.keyboard.press('Tab')
  }
  await tab.keyboard.press('Enter')
  await tab.getByRole('heading', { level: 1, name: 'First steps' }).waitFor()
  const cookie = (await tab.context().cookies()).map(({ name, value }) => `${name}=${value}`).join('; ')
  const { body: me } = await service.send('GET', '/api/v2/user/me', { headers: { cookie } })
  assert.deepEqual([me.email, me.name, me.role], ['invited@example.com', 'Ada <b>', 'admin'])
  assert.deepEqual(referrers.filter(Boolean), [], 'no request names the page that it comes from')

  // The history has neither the form nor the token.
  await tab.goBack()
  assert.equal(tab.url(), 'about:blank')
  // A second tab with the same link says that it was used, and who is signed in.
  const second = await tab.context().newPage()
  await second.goto(mailed)
  await fill(second, { Password: password, 'Repeat the password': password })
  await second.getByText('This link is not valid any more: it was used').waitFor()
  await second.getByText('You are signed in as invited@example.com').waitFor()
  await second.getByRole('link', { name: 'Open the dashboard' }).click()
  await second.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
})

inBrowser('the form shows a refusal at its field, loses nothing, and can be sent again', async (tab) => {
  const mailed = await invite('again@example.com')
  await tab.goto(mailed)
  const again = tab.getByLabel('Repeat the password')
  await fill(tab, { 'Your name': 'Ada', Password: 'too short', 'Repeat the password': 'too short' })
  await tab.getByText('Must have at least 12 characters.', { exact: true }).waitFor()
  await tab.locator('input[name=password]:focus').waitFor()
  assert.equal(await tab.getByLabel('Password', { exact: true }).getAttribute('aria-invalid'), 'true')
  await fill(tab, { Password: password, 'Repeat the password': 'another horse battery' })
  await tab.getByText('The two passwords are different.').waitFor()
  assert.equal(await again.getAttribute('aria-invalid'), 'true')
  await checkLooks(tab, 'sign-up with a problem')

  const alert = tab.getByRole('alert')
  await tab.route('**/api/v2/user', (route) => route.abort(), { times: 1 })
  await fill(tab, { 'Repeat the password': password })
  await alert.filter({ hasText: 'The service does not answer.' }).waitFor()
  const answers = [
    [502, {}, 'answered with status 502'],
    [429, { 'retry-after': '7' }, 'Nothing was changed. Try again in 7 s.'],
    [503, {}, 'answered with status 503'],
  ] as const
  for (const [status, headers, text] of answers) {
    const answer = { status, headers, body: '<h1>Sorry' }
    await tab.route('**/api/v2/user', (route) => route.fulfill(answer), { times: 1 })
    await fill(tab, {})
    await alert.filter({ hasText: text }).waitFor()
  }
  assert.equal(await tab.getByLabel('Your name').inputValue(), 'Ada')
  assert.equal(await again.inputValue(), password)
  await fill(tab, {})
  await tab.getByRole('heading', { level: 1, name: 'First steps' }).waitFor()

  await tab.context().clearCookies()
  await tab.goto(mailed)
  await fill(tab, { Password: password, 'Repeat the password': password })
  await tab.getByText('This link is not valid any more: it was used').waitFor()
  await heading(tab, 'You need a link')
  assert.equal(await tab.getByText('You are signed in').count(), 0)
  await fill(tab, { 'E-mail address': 'again@example.com' })
  await tab.getByText('Sign-up is by invitation. Ask an administrator for one.').waitFor()
})

inBrowser('a form is sent once, however often its button is pressed', async (tab) => {
  await tab.goto(await invite('once@example.com'))
  let sent = 0
  const held = Promise.withResolvers<void>()
  await tab.route('**/api/v2/user', async (route) => {
    sent++
    await held.promise
    await route.continue()
  })
  await fill(tab, { Password: password, 'Repeat the password': password })
  const button = tab.getByRole('button', { name: 'Create account' })
  await button.dblclick({ force: true })
  await tab.getByLabel('Repeat the password').press('Enter')
  assert.equal(await button.getAttribute('aria-busy'), 'true')
  held.resolve()
  await tab.getByRole('heading', { level: 1, name: 'First steps' }).waitFor()
  assert.equal(sent, 1)
})

inBrowser('a forgotten password is set by mail, with the second factor', async (tab) => {
  const email = 'forgetful@example.com'
  const user = await signUpBrowser(service, email)
  await expect(201, user.api('POST', '/api/v2/strategy/code', { name: 'Mine' }))
  const { secret } = await expect(201, user.api('POST', '/api/v2/user/totp', { password }))
  const code = TOTP.generate({ secret: Secret.fromBase32(secret) })
  const { recovery_codes: codes } = await expect(200, user.api('PUT', '/api/v2/user/totp', { code }))

  await tab.goto(`${service.url}/sign-in`)
  await tab.getByRole('link', { name: 'Forgotten password' }).click()
  await heading(tab, 'You need a link')
  await checkLooks(tab, 'reset without a link')
  await fill(tab, { 'E-mail address': email })
  await heading(tab, 'Check your mail')
  await tab.goto(await link(email, 'reset'))
  const next = 'another horse battery'
  await fill(tab, { 'New password': next, 'Repeat the new password': next })
  await heading(tab, 'Second factor')
  await fill(tab, { 'E-mail address': email, Code: 'abcd-efgh-jkmn' })
  await tab.getByRole('alert').waitFor()
  await fill(tab, { Code: codes[0] })
  // Someone who has strategies is no beginner.
  await tab.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  assert.equal((await user.api('GET', '/api/v2/user/me')).status, 401)
})

inBrowser('a password that is set without a second factor signs in at once', async (tab) => {
  const email = 'plain@example.com'
  await signUpBrowser(service, email)
  await expect(202, service.send('POST', '/api/v2/user/password/reset', { body: { email } }))
  const mailed = await link(email, 'reset')
  // The page without a link starts again with the link that is opened in the same tab.
  await tab.goto(`${service.url}/reset`)
  await heading(tab, 'You need a link')
  await tab.goto(mailed)
  await heading(tab, 'Set a new password')
  await fill(tab, { 'New password': password, 'Repeat the new password': password })
  await tab.getByRole('heading', { level: 1, name: 'First steps' }).waitFor()
  await tab.goto(mailed)
  await fill(tab, { 'New password': password, 'Repeat the new password': password })
  await tab.getByText('This link is not valid any more').waitFor()
})

inBrowser('a new address counts once its link was opened and confirmed', async (tab) => {
  const user = await signUpBrowser(service, 'former@example.com')
  const email = 'latter@example.com'
  await expect(200, user.api('POST', '/api/v2/user/email', { email, password }))
  const mailed = await link(email, 'email')
  await tab.goto(mailed)
  await heading(tab, 'Confirm your new e-mail address')
  assert.equal((await expect(200, user.api('GET', '/api/v2/user/me'))).email, 'former@example.com')
  await tab.keyboard.press('Enter')
  await heading(tab, 'Your e-mail address has changed')
  await tab.getByText('sign in with latter@example.com').waitFor()
  assert.equal((await expect(200, user.api('GET', '/api/v2/user/me'))).email, email)
  await tab.goto('about:blank')
  await tab.goto(mailed)
  await fill(tab, {})
  await tab.getByText('This link is not valid any more: it was used').waitFor()
  await heading(tab, 'You need a link')
})

inBrowser('if the browser keeps no session, the page says that the password is set', async (tab) => {
  await tab.goto(await invite('cookieless@example.com'))
  await tab.route('**/api/v2/user/me', async (route) => {
    await tab.context().clearCookies()
    await route.continue()
  })
  await fill(tab, { Password: password, 'Repeat the password': password })
  await heading(tab, 'Your password is set, but you are not signed in')
})

inBrowser('text after # is never read as markup, and is sent only if it can be a token', async (tab) => {
  const asked: string[] = []
  tab.on('request', (request) => asked.push(new URL(request.url()).pathname))
  const hostile = ['', '<img src=x onerror=alert(1)>', '"><script>alert(1)</script>', '%E0%'.repeat(10_000)]
  for (const [index, token] of hostile.entries()) {
    const page = `${service.url}/${index % 2 === 0 ? 'signup' : 'reset'}`
    await tab.goto('about:blank')
    await tab.goto(`${page}#${token}`)
    await heading(tab, 'You need a link')
    assert.equal(tab.url(), page)
    assert.equal(await tab.locator('main :is(img, script)').count(), 0)
  }
  assert.deepEqual(
    asked.filter((path) => path.startsWith('/api/') && path !== '/api/v2/user/me'),
    [],
  )
})

inBrowser('another account that was signed in before leaves nothing behind', async (tab) => {
  const former = await signUpBrowser(service, 'earlier@example.com')
  await expect(201, former.api('POST', '/api/v2/strategy/code', { name: 'Secret of the former' }))
  await openPage(tab, service, former.email, '/overview')
  await tab.goto(await invite('later@example.com'))
  await fill(tab, { Password: password, 'Repeat the password': password })
  await tab.getByRole('heading', { level: 1, name: 'First steps' }).waitFor()
  await tab.getByRole('button', { name: 'Set up the example' }).waitFor()
  assert.equal(await tab.getByText('Secret of the former').count(), 0)
})

inBrowser(
  'without JavaScript a sentence says what is missing, and no form is there to be sent',
  async (tab) => {
    await tab.goto(`${service.url}/signup#${'A'.repeat(43)}`)
    await assertText(tab.locator('noscript p'), /^This page needs JavaScript\./)
    assert.equal(await tab.locator('form').count(), 0)
    assert.equal(await tab.locator('.late').isVisible(), false)
  },
  { javaScriptEnabled: false },
)

/** The link in the invitation that is mailed to this address. */
async function invite(email: string, role = 'user'): Promise<string> {
  await expect(201, service.api('POST', '/api/v2/user/invitation', { email, role }))
  return link(email, 'signup')
}

async function link(email: string, page: string): Promise<string> {
  const pattern = new RegExp(`^http://\\S+/${page}#[\\w-]{43}$`, 'm')
  const find = () => mailbox.to(email).flatMap(({ text }) => pattern.exec(text ?? '')?.[0] ?? [])
  await until(`a link to ${page}`, async () => find().length > 0)
  return find().at(-1)!
}

async function heading(tab: Page, name: string): Promise<void> {
  await tab.getByRole('heading', { level: 1, name, exact: true }).waitFor()
  // The page sets its title, and moves the focus, some moments after the heading is there.
  await until(`the title ${name}`, async () => (await tab.title()) === `${name} · Tickwright`)
}

/** Fills in the form on the page, by its labels, and sends it. */
async function fill(tab: Page, fields: Record<string, string>): Promise<void> {
  for (const [label, text] of Object.entries(fields)) await tab.getByLabel(label, { exact: true }).fill(text)
  await tab.locator('form button[type=submit]').click()
}
