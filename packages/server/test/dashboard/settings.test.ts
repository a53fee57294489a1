/** The settings of a user: keys, account, connections and variables, with a real process and a real browser. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { before } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import type { Page } from 'playwright-core'
import { inBrowser } from '../in-browser.ts'
import { expect } from '../reaction.ts'
import { type Browser, password, signUpBrowser } from '../users.ts'
import { assertCount, assertText } from './assert-shown.ts'
import { checkLooks } from './looks.ts'
import { openPage, openPageBySigningIn } from './open-page.ts'
import { type PagesService, pagesService } from './pages-service.ts'

let service: PagesService
let user: Browser

/** Markup, a character that turns text around, and a line that is far too long. */
const hostile = `<img src=x onerror=alert(1)>\u202E${'long '.repeat(40)}`

before(async () => {
  service = await pagesService()
  user = await signUpBrowser(service, 'ada@settings.example.com')
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

/** What the tab shows behind a button that uncovers it. */
async function uncover(tab: Page, name: string): Promise<string> {
  const row = tab.locator('dd', { has: tab.getByRole('button', { name: `Show the ${name}` }) })
  await row.getByRole('button', { name: `Show the ${name}` }).click()
  return tab
    .locator('dd', { has: tab.getByRole('button', { name: `Hide the ${name}` }) })
    .locator('code')
    .innerText()
}

inBrowser(
  'a key is made by keyboard, shown once, and works in the program that the page shows',
  async (tab) => {
    await openPage(tab, service, user.email, '/settings')
    await tab.getByText('No API key yet').waitFor()
    assert.equal(new URL(tab.url()).pathname, '/settings/keys')
    await tab.getByRole('button', { name: 'New key' }).press('Enter')
    await tab.keyboard.press('Enter')
    const name = dialogOf(tab, 'New API key').getByLabel('Name')
    await tab.locator('[aria-invalid=true]').waitFor()
    await checkLooks(tab, 'new key')
    await name.fill('Reports')
    await tab.keyboard.press('Enter')
    await dialogOf(tab, 'The new key').waitFor()
    for (let time = 0; time < 3; time++) await tab.keyboard.press('Escape')
    await checkLooks(tab, 'the new key')
    const key = await uncover(tab, 'key')
    const secret = await uncover(tab, 'secret')
    await tab.getByRole('button', { name: 'I have stored it' }).click()
    assert.ok(!(await tab.content()).includes(secret))

    await tab.getByRole('tab', { name: 'JavaScript' }).click()
    const program = await tab.getByRole('region', { name: 'JavaScript' }).innerText()
    const env = { ...process.env, TICKWRIGHT_API_KEY: key, TICKWRIGHT_API_SECRET: secret }
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { env })
    assert.match(stdout.toString(), /ada@settings\.example\.com/)
  },
)

inBrowser('a key is renamed, rotated and deleted, and each asks or says what it does', async (tab) => {
  const other = await signUpBrowser(service, 'keys@settings.example.com')
  await expect(201, other.api('POST', '/api/v2/api/key', { name: hostile, algorithm: 'HMAC' }))
  await openPage(tab, service, other.email, '/settings/keys')
  await tab.getByRole('button', { name: /^Change / }).waitFor()
  await isText(tab)
  await checkLooks(tab, '/settings/keys')
  await tab.getByRole('button', { name: /^Change / }).click()
  const change = dialogOf(tab, 'Change this API key')
  await change.getByLabel('Name').fill('Renamed')
  await change.getByLabel('A program with this key').selectOption('deploy')
  await change.getByLabel('An agent with this key').selectOption('write')
  await change.getByLabel('Changes need an Idempotency-Key').check()
  await change.getByRole('button', { name: 'Save' }).dblclick()
  await entryOf(tab, 'Renamed').filter({ hasText: 'may use all tools' }).waitFor()
  await assertText(entryOf(tab, 'Renamed'), /may read, and change strategies and webhooks/)

  await tab.getByRole('button', { name: 'Rotate Renamed' }).click()
  await dialogOf(tab, 'Rotate this API key').getByRole('button', { name: 'Rotate' }).click()
  await dialogOf(tab, 'The new secret').getByRole('button', { name: 'I have stored it' }).click()
  await entryOf(tab, 'Rotated').waitFor()

  await tab.getByRole('button', { name: 'Delete Renamed' }).click()
  const ask = dialogOf(tab, 'Delete this API key')
  await tab.keyboard.press('Escape')
  await tab.locator('button:focus', { hasText: 'Delete' }).press('Enter')
  await assertText(ask, /Renamed stops working at once/)
  await checkLooks(tab, 'delete a key')
  await ask.getByRole('button', { name: 'Delete' }).dblclick()
  await tab.getByText('No API key yet').waitFor()
  const events = await expect(200, other.api('GET', '/api/v2/user/audit'))
  const names: string[] = events.map(({ event }: { event: string }) => event)
  assert.deepEqual(
    names.filter((event) => event.startsWith('api_key')),
    ['api_key_revoked', 'api_key_rotated', 'api_key_changed', 'api_key_made'],
  )
})

inBrowser('name, address and password change, and what is wrong is said at its field', async (tab) => {
  const other = await signUpBrowser(service, 'profile@settings.example.com')
  await openPageBySigningIn(tab, service, other.email, '/settings/account')
  await tab.getByLabel('Your name').fill(hostile)
  await tab.getByRole('button', { name: 'Save the name' }).click()
  await tab.getByText('The name is saved.').waitFor()
  assert.equal((await expect(200, other.api('GET', '/api/v2/user/me'))).name, hostile.trim())

  const section = (name: string) =>
    tab.locator('section', { has: tab.getByRole('heading', { name, exact: true }) })
  const address = section('E-mail address')
  await address.getByLabel('New address').fill('moved@settings.example.com')
  await address.getByLabel('Your password').fill('a wrong password')
  await tab.keyboard.press('Enter')
  await address.getByText('The password is wrong.').waitFor()
  await address.getByLabel('Your password').fill(password)
  await tab.keyboard.press('Enter')
  await address.getByText('From now on, sign in with moved@settings.example.com.').waitFor()

  const change = section('Password')
  await change.getByLabel('Current password').fill(password)
  await change.getByLabel('New password').fill('too short')
  await tab.keyboard.press('Enter')
  await change.getByText('must have at least 12 characters').waitFor()
  await checkLooks(tab, '/settings/account')
  await change.getByLabel('New password').fill(`${password} two`)
  await tab.keyboard.press('Enter')
  await change.getByText('The password is changed.').waitFor()
  assert.equal(await change.getByLabel('New password').inputValue(), '')
  assert.equal((await other.api('GET', '/api/v2/user/me')).status, 401, 'the other session has ended')
  await tab.getByRole('row').filter({ hasText: 'this one' }).waitFor()
})

inBrowser('the account has a number to tell others, and says what happened to it', async (tab) => {
  const other = await signUpBrowser(service, 'events@settings.example.com')
  for (let n = 0; n < 9; n++) {
    await expect(201, other.api('POST', '/api/v2/env', { name: `NEVER_SHOWN_${n}`, value: 'x' }))
  }
  await expect(201, other.api('POST', '/api/v2/api/key', { name: hostile, algorithm: 'HMAC' }))
  await openPage(tab, service, other.email, '/settings/account')
  await tab
    .getByRole('definition')
    .filter({ hasText: new RegExp(`^${other.user.id}$`) })
    .waitFor()
  const events = tab.getByRole('region', { name: 'Security events' })
  await events.getByRole('row').filter({ hasText: 'Created an API key' }).filter({ hasText: 'You' }).waitFor()
  assert.equal(await events.getByText('Created the user').count(), 0, 'it is the oldest')
  await tab.getByRole('button', { name: 'Show older' }).click()
  await events.getByRole('row').filter({ hasText: 'Created the user' }).waitFor()
  assert.equal(await tab.getByRole('button', { name: 'Show older' }).count(), 0)
  await isText(tab)
  await checkLooks(tab, 'account with events')
  await openPage(tab, service, user.email, '/settings/account')
  await events.getByRole('row').filter({ hasText: 'Created the user' }).waitFor()
  assert.ok(!(await events.innerText()).includes('NEVER_SHOWN'))
})

inBrowser('the second factor is set up by its picture or its text, and switched off', async (tab) => {
  const other = await signUpBrowser(service, 'factor@settings.example.com')
  await openPage(tab, service, other.email, '/settings/account')
  await tab.getByRole('button', { name: 'Set up' }).click()
  await tab.getByRole('dialog').getByLabel('Your password').fill(password)
  await tab.keyboard.press('Enter')
  const scan = dialogOf(tab, 'Scan the code')
  await scan.locator('input:focus').waitFor()
  await scan.getByRole('img', { name: 'QR code of the secret' }).waitFor()
  await checkLooks(tab, 'scan the code')
  await scan.getByRole('button', { name: 'Show the secret' }).click()
  const secret = Secret.fromBase32(await scan.locator('code').innerText())
  await scan.getByLabel('Code', { exact: true }).fill('12345')
  await tab.keyboard.press('Enter')
  await scan.locator('[aria-invalid=true]').waitFor()
  await scan.getByLabel('Code', { exact: true }).fill(TOTP.generate({ secret }))
  await tab.keyboard.press('Enter')
  const codes = dialogOf(tab, 'Your recovery codes')
  await codes.waitFor()
  await tab.keyboard.press('Escape')
  const [code] = await codes.getByRole('listitem').allInnerTexts()
  await checkLooks(tab, 'recovery codes')
  await codes.getByRole('button', { name: 'I have stored them' }).click()
  await tab.getByText('It is on').waitFor()
  assert.ok(!(await tab.content()).includes(code!))

  await tab.getByRole('button', { name: 'Switch off' }).click()
  const off = dialogOf(tab, 'Switch the second factor off')
  await off.getByLabel('Your password').fill(password)
  await off.getByLabel('Code', { exact: true }).fill(code!)
  await tab.keyboard.press('Enter')
  await tab.getByText('It is off').waitFor()
})

inBrowser('sessions are told apart, and all others end at once', async (tab) => {
  const other = await signUpBrowser(service, 'sessions@settings.example.com')
  await openPageBySigningIn(tab, service, other.email, '/settings/account')
  const rows = tab
    .getByRole('region', { name: 'Sessions' })
    .getByRole('row')
    .filter({ has: tab.getByRole('cell') })
  await rows.filter({ hasText: 'Chrome on Linux · this one' }).waitFor()
  await assertCount(rows, 2)
  const own = tab.getByRole('button', { name: 'End the session of Chrome on Linux' })
  assert.equal(await own.getAttribute('title'), 'This is your own session: sign out instead.')
  const third = await service.send('POST', '/api/v2/user/session', { body: { email: other.email, password } })
  assert.equal(third.status, 200)
  await tab.reload()
  await rows.nth(2).waitFor()
  await tab.getByRole('button', { name: 'End the session of another program' }).first().dblclick()
  await rows.nth(2).waitFor({ state: 'detached' })
  await tab.getByRole('button', { name: 'End all others' }).click()
  const ask = dialogOf(tab, 'End all other sessions')
  await assertText(ask, /1 browser has to sign in again/)
  await ask.getByRole('button', { name: 'End them' }).click()
  await ask.waitFor({ state: 'detached' })
  await assertCount(rows, 1)
  assert.equal((await other.api('GET', '/api/v2/user/me')).status, 401)

  await tab.getByRole('button', { name: 'Delete …' }).click()
  await tab.getByRole('dialog').getByLabel('Your password').fill(password)
  await tab.keyboard.press('Enter')
  await tab.getByRole('button', { name: 'Sign in' }).waitFor()
})

inBrowser('one thing of a long list is found by a text, and by search from every page', async (tab) => {
  const other = await signUpBrowser(service, 'many@settings.example.com')
  for (let n = 0; n < 9; n++) {
    await expect(201, other.api('POST', '/api/v2/env', { name: `KEY_${n}`, value: 'x' }))
    await expect(201, other.api('POST', '/api/v2/api/key', { name: `Key ${n}`, algorithm: 'HMAC' }))
  }
  await expect(201, other.api('POST', '/api/v2/env', { name: 'TELEGRAM', value: 'x' }))
  await openPage(tab, service, other.email, '/settings/variables')
  await entryOf(tab, 'KEY_8').waitFor()
  await tab.getByLabel('Name', { exact: true }).fill('gram')
  await entryOf(tab, 'KEY_8').waitFor({ state: 'detached' })
  await entryOf(tab, 'TELEGRAM').waitFor()
  assert.equal(new URL(tab.url()).search, '?q=gram')
  await checkLooks(tab, 'variables with a text')
  await tab.getByLabel('Name', { exact: true }).fill(`gram ${hostile.slice(0, 60)}`)
  await tab.getByText('Nothing here has').waitFor()
  await isText(tab)
  await tab.getByRole('button', { name: 'Show all' }).click()
  await entryOf(tab, 'KEY_8').waitFor()
  assert.equal(new URL(tab.url()).search, '')

  await tab.keyboard.press('Control+k')
  await tab.keyboard.type('key 7')
  const option = tab.getByRole('option', { name: 'Key 7 API key' })
  await option.waitFor()
  await tab.keyboard.press('Enter')
  await entryOf(tab, 'Key 7').waitFor()
  await assertCount(tab.getByRole('listitem').filter({ hasText: 'HMAC' }), 1)
  assert.equal(new URL(tab.url()).pathname, '/settings/keys')
  await tab.keyboard.press('Control+k')
  await tab.keyboard.type('settings: mail')
  await tab.keyboard.press('Enter')
  await tab.waitForURL('**/settings/mail')
})
