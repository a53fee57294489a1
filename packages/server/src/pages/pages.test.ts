/** The pages that links in mails open, with a real process, a mail server and a browser. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import type { Page } from 'playwright-core'
import { fileResources } from '../../test/databases.ts'
import { inBrowser } from '../../test/in-browser.ts'
import { type Mailbox, startMailbox } from '../../test/mailbox.ts'
import { type ServiceProcess, startProcess } from '../../test/process.ts'
import { expect } from '../../test/reaction.ts'
import { until } from '../../test/until.ts'
import { password, signUpBrowser } from '../../test/users.ts'

let mailbox: Mailbox
let service: ServiceProcess

before(async () => {
  mailbox = fileResources.use(await startMailbox())
  service = fileResources.use(await startProcess({ env: { SMTP_URL: mailbox.url } }))
})

const paths = ['/signup', '/reset', '/email', '/pages/account.css', '/pages/account.js', '/pages/steps.js']
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join(';')

test('pages have headers that allow nothing from other origins and reveal nothing to them', async () => {
  for (const path of paths) {
    const { status, headers, body } = await service.send('GET', path)
    const names = ['content-security-policy', 'referrer-policy', 'x-frame-options', 'cache-control']
    assert.deepEqual(
      [status, ...names.map((name) => headers.get(name))],
      [200, policy, 'no-referrer', 'DENY', 'no-cache'],
      path,
    )
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
    assert.equal(headers.get('set-cookie'), null)
    assert.doesNotMatch(body, /<script>|<style|\sstyle=|\son\w+=|innerHTML/, path)

    const head = await service.send('HEAD', path)
    assert.deepEqual([head.status, head.body], [200, ''])
    assert.equal(head.headers.get('content-length'), String(Buffer.byteLength(body)))
    const known = { headers: { 'if-none-match': headers.get('etag')! } }
    const again = await service.send('GET', path, known)
    assert.deepEqual([again.status, again.body], [304, ''])
    assert.equal(again.headers.get('content-security-policy'), policy)
  }
})

test('only the pages are served, and the API does not list them', async () => {
  for (const path of [
    '/pages/',
    '/pages/account.html',
    '/pages/..%2froutes.ts',
    '/signup/x',
    '/pages.test.ts',
  ])
    assert.equal((await service.send('GET', path)).status, 404, path)
  for (const method of ['POST', 'PUT', 'DELETE'])
    assert.equal((await service.send(method, '/signup')).status, 404, method)
  const { body } = await service.send('GET', '/api/v2/openapi.json')
  assert.deepEqual(
    Object.keys(body.paths).filter((path) => !path.startsWith('/api/v2/') && paths.includes(path)),
    [],
  )
})

inBrowser('an invited person can sign up with the link in the mail and only the keyboard', async (tab) => {
  await tab.goto(await invite('invited@example.com', 'admin'))
  await heading(tab, 'Create your account')
  assert.equal(tab.url(), `${service.url}/signup`)
  for (const text of ['Ada <b>', password, password]) {
    await tab.keyboard.press('Tab')
    await tab.keyboard.insertText(text)
  }
  await tab.keyboard.press('Enter')
  await heading(tab, 'You are signed in')
  assert.match(await tab.innerText('#done'), /invited@example\.com, an administrator/)

  const [first] = await Promise.all([
    tab.waitForResponse((response) => response.url().endsWith('/api/key')),
    tab.getByRole('button', { name: 'Create an API key' }).dblclick(),
  ])
  assert.equal(first.status(), 201)
  await tab.locator('#key').waitFor()
  const key = { key: await tab.innerText('#api-key'), secret: await tab.innerText('#api-secret') }
  const me = await expect(200, service.as(key).api('GET', '/api/v2/user/me'))
  assert.deepEqual([me.email, me.name, me.role], ['invited@example.com', 'Ada <b>', 'admin'])
  assert.equal((await expect(200, service.as(key).api('GET', '/api/v2/api/key'))).length, 1)

  await tab.reload()
  await heading(tab, 'You are signed in')
  assert.equal(await tab.getByText(key.secret).count(), 0)
})

inBrowser('the form shows a refusal of the API, and can be sent again', async (tab) => {
  const link = await invite('again@example.com')
  await tab.goto(link)
  const alert = tab.locator('#signup [role=alert]')
  const refusals = [
    ['too short', 'too short', 'Password must have at least 12 characters.'],
    [password, 'another horse battery', 'The two passwords are different.'],
  ] as const
  for (const [given, again, sentence] of refusals) {
    await fill(tab, { Password: given, 'Repeat the password': again })
    await alert.filter({ hasText: sentence }).waitFor()
  }
  assert.equal(await tab.locator('#signup-again').getAttribute('aria-invalid'), 'true')

  await tab.route('**/api/v2/user', (route) => route.abort(), { times: 1 })
  await fill(tab, { Password: password, 'Repeat the password': password })
  await alert.filter({ hasText: 'The service did not answer' }).waitFor()
  await tab.route('**/api/v2/user', (route) => route.fulfill({ status: 502, body: '<h1>Bad gateway' }), {
    times: 1,
  })
  await fill(tab, {})
  await alert.filter({ hasText: 'The response (502) cannot be read.' }).waitFor()
  await fill(tab, {})
  await heading(tab, 'You are signed in')

  await tab.goto(link)
  await fill(tab, { Password: password, 'Repeat the password': password })
  await tab.getByText('This link is not valid any more: it was used').waitFor()
  await heading(tab, 'You need a link')
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
  assert.equal(await button.isDisabled(), true)
  await button.click({ force: true })
  await tab.locator('#signup-again').press('Enter')
  held.resolve()
  await heading(tab, 'You are signed in')
  assert.equal(sent, 1)
})

inBrowser('a forgotten password is set by mail, with the second factor', async (tab) => {
  const email = 'forgetful@example.com'
  const user = await signUpBrowser(service, email)
  const { secret } = await expect(201, user.api('POST', '/api/v2/user/totp', { password }))
  const code = TOTP.generate({ secret: Secret.fromBase32(secret) })
  const { recovery_codes: codes } = await expect(200, user.api('PUT', '/api/v2/user/totp', { code }))

  await tab.goto(`${service.url}/reset`)
  await heading(tab, 'You need a link')
  await fill(tab, { 'E-mail address': email })
  await heading(tab, 'Check your mail')
  await tab.goto(await link(email, 'reset'))
  const next = 'another horse battery'
  await fill(tab, { 'New password': next, 'Repeat the new password': next })
  await heading(tab, 'Second factor')
  await fill(tab, { 'E-mail address': email, Code: 'abcd-efgh-jkmn' })
  await tab.locator('#code [role=alert]:not(:empty)').waitFor()
  await fill(tab, { Code: codes[0] })
  await heading(tab, 'You are signed in')
  assert.match(await tab.innerText('#done'), /forgetful@example\.com, a user/)
  assert.equal((await user.api('GET', '/api/v2/user/me')).status, 401)
})

inBrowser('a password that is set without a second factor signs in at once', async (tab) => {
  const email = 'plain@example.com'
  await signUpBrowser(service, email)
  await expect(202, service.send('POST', '/api/v2/user/password/reset', { body: { email } }))
  const mailed = await link(email, 'reset')
  await tab.goto(mailed)
  await fill(tab, { 'New password': password, 'Repeat the new password': password })
  await heading(tab, 'You are signed in')
  // Another link in the same tab starts the page again.
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
  await fill(tab, {})
  await heading(tab, 'Your e-mail address has changed')
  assert.match(await tab.innerText('#email-changed'), /sign in with latter@example\.com/)
  assert.equal((await expect(200, user.api('GET', '/api/v2/user/me'))).email, email)
  await tab.goto('about:blank')
  await tab.goto(mailed)
  await fill(tab, {})
  await tab.getByText('This link is not valid any more: it was used').waitFor()
  await heading(tab, 'You need a link')
})

inBrowser(
  'if the browser keeps no session, the page says so, and says that the password is set',
  async (tab) => {
    await tab.goto(await invite('cookieless@example.com'))
    await tab.route('**/api/v2/user/me', async (route) => {
      await tab.context().clearCookies()
      await route.continue()
    })
    await fill(tab, { Password: password, 'Repeat the password': password })
    await heading(tab, 'Your password is set, but you are not signed in')
  },
)

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

inBrowser('a script that got into a page would not be run', async (tab, complaints) => {
  await tab.goto(`${service.url}/signup`)
  await assert.rejects(tab.addScriptTag({ content: 'document.title = "taken"' }))
  await heading(tab, 'You need a link')
  assert.match(complaints.splice(0).join(), /Content Security Policy|TrustedScript/)
})

inBrowser('the page fits a narrow screen, and is dark if the user prefers that', async (tab) => {
  await tab.setViewportSize({ width: 320, height: 560 })
  await tab.emulateMedia({ colorScheme: 'dark' })
  const width = () => tab.locator('html').evaluate((html) => html.scrollWidth)
  await tab.goto(await invite(`${'a-long-name-'.repeat(5)}@example.com`))
  await heading(tab, 'Create your account')
  assert.equal(await width(), 320)
  await fill(tab, { Password: password, 'Repeat the password': password })
  await heading(tab, 'You are signed in')
  await tab.getByRole('button').click()
  await tab.locator('#key').waitFor()
  assert.equal(await width(), 320)
  const paper = await tab.locator('body').evaluate((body) => {
    return String(body.computedStyleMap().get('background-color'))
  })
  assert.equal(paper, 'rgb(20, 23, 27)')
})

inBrowser(
  'without JavaScript a sentence says what is missing, and no form is there to be sent',
  async (tab) => {
    await tab.goto(`${service.url}/signup#${'A'.repeat(43)}`)
    assert.match(await tab.locator('noscript p').innerText(), /^This page needs JavaScript\./)
    assert.equal(await tab.locator('form:visible').count(), 0)
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
  assert.equal(await tab.title(), `${name} – Tickwright`)
}

/** Fills in the form on the page, by its labels, and sends it. */
async function fill(tab: Page, fields: Record<string, string>): Promise<void> {
  const form = tab.locator('form:visible')
  for (const [label, text] of Object.entries(fields)) {
    await form.getByLabel(label, { exact: true }).fill(text)
  }
  await form.getByRole('button').click()
}
