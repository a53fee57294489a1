/** Signing in, out, and a session that ends while a page is open: with a real process and a real browser. */
import assert from 'node:assert/strict'
import { before } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import { inBrowser } from '../in-browser.ts'
import { expect } from '../reaction.ts'
import { type Browser, password, signUpBrowser } from '../users.ts'
import { enter, openPage } from './open-page.ts'
import { type PagesService, pagesService } from './pages-service.ts'

let service: PagesService
let user: Browser

before(async () => {
  service = await pagesService()
  user = await signUpBrowser(service, 'ada@sign-in.example.com')
})

inBrowser('the root asks to sign in, says what was wrong, and then leads to the overview', async (tab) => {
  await tab.goto(service.url)
  await tab.getByLabel('E-mail address').fill(user.email)
  await tab.getByLabel('Password').fill('wrong horse battery')
  await tab.keyboard.press('Enter')
  await tab.getByRole('alert').filter({ hasText: 'The e-mail address or the password is wrong.' }).waitFor()
  await tab.getByLabel('Password').fill(password)
  await tab.keyboard.press('Enter')
  await tab.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  assert.equal(new URL(tab.url()).pathname, '/overview')
})

inBrowser('after signing in, the page that was asked for opens, and never another site', async (tab) => {
  await tab.goto(`${service.url}/runs?status=FAILED`)
  await enter(tab, user.email)
  await tab.getByRole('heading', { level: 1, name: 'Runs' }).waitFor()
  assert.equal(new URL(tab.url()).search, '?status=FAILED')
  await tab.context().clearCookies()
  for (const hostile of ['https://example.com', '//example.com', '/\\example.com', 'javascript:alert(1)']) {
    await tab.goto(`${service.url}/sign-in?next=${encodeURIComponent(hostile)}`)
    await enter(tab, user.email)
    await tab.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    await tab.context().clearCookies()
  }
})

inBrowser('a second factor is asked for after the password', async (tab) => {
  const other = await signUpBrowser(service, 'careful@sign-in.example.com')
  const { secret } = await expect(201, other.api('POST', '/api/v2/user/totp', { password }))
  const code = TOTP.generate({ secret: Secret.fromBase32(secret) })
  const { recovery_codes: codes } = await expect(200, other.api('PUT', '/api/v2/user/totp', { code }))
  await tab.goto(service.url)
  await enter(tab, other.email)
  await tab.getByLabel('Code').fill('000000')
  await tab.keyboard.press('Enter')
  await tab.getByRole('alert').waitFor()
  await tab.getByLabel('Code').fill(codes[0])
  await tab.keyboard.press('Enter')
  await tab.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
})

inBrowser('a session that ends leaves the page as it is, and signing in goes on with it', async (tab) => {
  await openPage(tab, service, user.email, '/runs')
  await tab.getByLabel('In log, error or payload').fill('typed before')
  await tab.getByText('No run fits these filters').waitFor()
  const address = tab.url()
  await expect(200, user.api('DELETE', '/api/v2/user/sessions'))
  const dialog = tab.getByRole('dialog', { name: 'Your session has ended' })
  await dialog.waitFor()
  await tab.keyboard.press('Escape')
  await dialog.getByLabel('Password').fill(password)
  await tab.keyboard.press('Enter')
  await dialog.waitFor({ state: 'detached' })
  assert.equal(tab.url(), address)
  assert.equal(await tab.getByLabel('In log, error or payload').inputValue(), 'typed before')
  await tab.getByRole('status').filter({ hasText: 'Up to date' }).waitFor()
  // The same if the account is disabled: then the page says who can help.
  await expect(200, service.api('PUT', `/api/v2/user/${user.user.id}`, { status: 'DISABLED' }))
  await dialog.getByLabel('Password').fill(password)
  await tab.keyboard.press('Enter')
  await dialog.getByRole('alert').filter({ hasText: 'disabled. Ask an administrator' }).waitFor()
  assert.equal(await tab.getByLabel('In log, error or payload').inputValue(), 'typed before')
})

inBrowser('after signing out, the Back button shows nothing of the account', async (tab) => {
  const other = await signUpBrowser(service, 'leaving@sign-in.example.com')
  await openPage(tab, service, other.email, '/overview')
  await tab
    .getByRole('navigation', { name: 'Pages', exact: true })
    .getByRole('link', { name: 'Runs' })
    .click()
  await tab.getByRole('heading', { level: 1, name: 'Runs' }).waitFor()
  await tab.getByRole('button', { name: 'Sign out' }).click()
  await tab.getByRole('button', { name: 'Sign in' }).waitFor()
  await tab.goBack()
  await tab.getByRole('button', { name: 'Sign in' }).waitFor()
  assert.equal(await tab.getByRole('navigation').count(), 0)
})
