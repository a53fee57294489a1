/** The editor of strategies and reactions: writing, saving, drafts, and test runs, in a real browser. */

import assert from 'node:assert/strict'
import { before } from 'node:test'
import type { Page } from 'playwright-core'
import { inBrowser } from '../in-browser.ts'
import { longPatienceMs } from '../patience.ts'
import { expect } from '../reaction.ts'
import { type Browser, password, signUpBrowser } from '../users.ts'
import { assertCount, assertText } from './assert-shown.ts'
import { checkLooks } from './looks.ts'
import { openPage } from './open-page.ts'
import { type PagesService, pagesService } from './pages-service.ts'

let service: PagesService
let user: Browser
let webhook: { id: number; url: string }

const reactions = '/api/v2/strategy/reaction/code'
const hostile = '</script><img src=x onerror=steal()>\u202egnp.exe'

before(async () => {
  service = await pagesService()
  user = await signUpBrowser(service, 'ada@editor.example.com')
  webhook = await expect(201, user.api('POST', '/api/v2/webhook/data', { name: 'Prices' }))
})

/** Makes a reaction with this code. */
async function make(code: string, fields: Record<string, unknown> = {}) {
  const settings = { code, data_webhook_id: webhook.id, send_signal: true, symbol: 'BTC/USDT', ...fields }
  const { id } = await expect(201, user.api('POST', reactions, settings))
  return { id: Number(id), own: `${reactions}/${id}`, page: `/strategies/reaction/${id}/code` }
}

const codeOf = async (own: string): Promise<string> => (await expect(200, user.api('GET', own))).code

const editorIn = (tab: Page) => tab.getByRole('textbox', { name: 'Code', exact: true })

/** Puts the cursor at the end of the code, and types as a person does. */
async function writeAtEnd(tab: Page, text: string): Promise<void> {
  await editorIn(tab).focus()
  await tab.keyboard.press('Control+End')
  await tab.keyboard.type(text)
}

inBrowser('code is completed, checked while typing, and saved by a key', async (tab) => {
  const { own, page } = await make('const a = 1\r\n', { name: hostile })
  await openPage(tab, service, user.email, page)
  await tab.getByText('Version 1', { exact: true }).waitFor()
  await writeAtEnd(tab, 'await $.Sto')
  const choice = tab.getByRole('option', { name: /Storage/ })
  await choice.waitFor()
  // The editor ignores keys until a choice has been there for a moment, so that nobody takes one by accident.
  await choice.click()
  await tab.keyboard.type('.set(fetch+')
  await tab.getByRole('button', { name: '2 problems' }).waitFor()
  await tab.getByText(/of 256/).waitFor()
  // The message of a mark says what to do instead.
  await tab.keyboard.press('F8')
  await tab.getByText('Send requests with $.Http.').first().waitFor()
  await checkLooks(tab, 'editor with marks')
  await tab.keyboard.press('Escape')

  await tab.keyboard.press('Control+s')
  await tab.getByRole('alert').filter({ hasText: 'fetch' }).waitFor()
  assert.equal(await codeOf(own), 'const a = 1\r\n', 'refused, so nothing was saved')
  await tab.keyboard.press('Control+a')
  await tab.keyboard.type('const a = 2\nawait $.Storage.set(a')
  await tab.getByRole('button', { name: /problem/ }).waitFor({ state: 'detached' })
  await tab.keyboard.press('Control+s')
  await tab.getByText('Saved as version 2').waitFor()
  assert.match(await codeOf(own), /^const a = 2\nawait \$\.Storage\.set\(a\)$/)

  const isInEditor = () => editorIn(tab).evaluate((element) => element.matches(':focus'))
  await tab.keyboard.press('Tab')
  assert.ok(await isInEditor(), 'Tab indents')
  await tab.keyboard.press('Escape')
  await tab.keyboard.press('Tab')
  assert.ok(!(await isInEditor()), 'Escape, then Tab, leaves the editor')
  await assertText(tab.locator('h1'), /U\+202E/)
})

inBrowser(
  'the types of $ complete, explain and check the code once they are there',
  async (tab, complaints) => {
    const { page } = await make("const answer = await $.Http.get('https://example.com/')\nanswer.missing\n")
    await openPage(tab, service, user.email, page)
    // The compiler is large: a slow machine takes a while to start it.
    const marker = tab.locator('.cm-lint-marker-warning')
    await marker.waitFor({ timeout: longPatienceMs })
    // In the middle of the first name. A pointer that has not moved there says nothing.
    await editorIn(tab)
      .locator('.cm-line')
      .first()
      .hover({ position: { x: 79, y: 10 } })
    await tab.mouse.move(340, 168)
    await tab.getByText('const answer: HttpResponse').waitFor()
    await editorIn(tab).focus()
    await tab.keyboard.press('F8')
    await tab
      .getByText(/'missing' does not exist/)
      .first()
      .waitFor()
    await tab.keyboard.press('Escape')
    await writeAtEnd(tab, 'answer.')
    await tab.getByRole('option', { name: /^cache/ }).waitFor()
    await tab.getByText('Whether it is the cached answer').first().waitFor()
    await checkLooks(tab, 'completions')
    await tab.keyboard.press('Escape')
    const started = await tab.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name))
    assert.equal(started.filter((name) => /\/assets\/types-[0-9A-Z]{8}\.js$/.test(name)).length, 1)
    // A text, because the types of Node do not know pages.
    const other = await tab.evaluate(
      `(() => { try { new Worker('/assets/other.js'); return 'started' } catch (error) { return error.name } })()`,
    )
    assert.equal(other, 'TypeError', 'no script starts but by the rule of the pages')
    assert.match(complaints.splice(0).join(), /TrustedScriptURL/)
  },
)

inBrowser('a save from elsewhere is shown, and never overwritten unseen', async (tab) => {
  const { own, page } = await make('return 1\n')
  const saveElsewhere = (code: string) => expect(200, user.api('PUT', own, { code }))
  await openPage(tab, service, user.email, page)
  await editorIn(tab).waitFor()
  await saveElsewhere('return 2\n')
  await tab.getByText('Version 2', { exact: true }).waitFor()
  // Nothing was unsaved, so theirs is shown.
  await assertText(editorIn(tab), /return 2/)

  await writeAtEnd(tab, '// mine')
  // Other settings are no conflict.
  await expect(200, user.api('PUT', own, { name: 'Renamed' }))
  await tab.getByRole('heading', { name: 'Renamed' }).waitFor()
  await tab.keyboard.press('Control+s')
  await tab.getByText(/^Saved as version/).waitFor()

  await writeAtEnd(tab, ' again')
  await saveElsewhere(`// theirs ${hostile}\n`)
  const notice = tab.getByRole('alert').filter({ hasText: 'was saved elsewhere' })
  await notice.getByText('// theirs').waitFor()
  await checkLooks(tab, 'conflict of two saves')
  await editorIn(tab).focus()
  await tab.keyboard.press('Control+s')
  assert.match(await codeOf(own), /theirs/, 'a key does not decide')
  await notice.getByRole('button', { name: 'Keep mine and save' }).dblclick()
  await notice.waitFor({ state: 'detached' })
  await tab.getByText(/^Saved as version/).waitFor()
  assert.equal(await codeOf(own), 'return 2\n// mine again')

  await writeAtEnd(tab, ' and again')
  await saveElsewhere('return 6\n')
  await tab.getByRole('button', { name: 'Load theirs' }).click()
  await editorIn(tab).getByText('return 6').waitFor()
  for (const text of ['was saved elsewhere', 'Not saved'])
    await tab.getByText(text).waitFor({ state: 'detached' })
})

inBrowser('a draft survives a reload and the end of the session, until it is saved', async (tab) => {
  const { own, page } = await make('return 1\n')
  await openPage(tab, service, user.email, page)
  await writeAtEnd(tab, '// draft')
  await tab.reload()
  await tab.getByText('It began from version 1').waitFor()
  await assertText(editorIn(tab), /draft/)

  await tab.context().clearCookies()
  await editorIn(tab).focus()
  await tab.keyboard.press('Control+s')
  await tab.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
  await tab.getByLabel('Password').fill(password)
  await tab.keyboard.press('Enter')
  await tab.getByRole('dialog').waitFor({ state: 'detached' })
  await assertText(editorIn(tab), /draft/)
  await tab.getByRole('button', { name: 'Save', exact: true }).click()
  await tab.getByText('Saved as version 2').waitFor()
  assert.match(await codeOf(own), /draft/)
  await tab.reload()
  await tab.getByText('Version 2', { exact: true }).waitFor()
  assert.equal(await tab.getByText('It began from').count(), 0)

  await writeAtEnd(tab, ' more')
  await tab.goto('about:blank')
  await expect(200, user.api('PUT', own, { code: 'return 3\n' }))
  await tab.goto(service.url + page)
  await tab.getByText('Your text began from version 2').waitFor()
})

inBrowser('a test run shows what would happen, with the payload of a past delivery', async (tab) => {
  const code = [
    'const payload = JSON.parse($.Request.data)',
    '$.log(payload.text, $.Request.data.length)',
    "await $.Http.post('https://example.com/', payload)",
    'await $.Storage.set({ seen: payload.price })',
    'if (payload.price > 100) await $.Strategy.action($.Action.LONG, { size: 5 })',
    'payload.missing.field()',
  ].join('\n')
  const { own, page, id } = await make(code)
  await expect(200, user.api('PUT', `${own}/status`, { status: 'ACTIVE' }))
  const path = new URL(webhook.url).pathname
  const long = 'x'.repeat(20_000)
  const { id: delivery } = await expect(
    202,
    service.send('POST', path, { body: { price: 103.5, text: hostile, long } }),
  )
  await openPage(tab, service, user.email, `${page}?delivery=${delivery}`)
  await tab.getByRole('textbox', { name: 'Payload, as JSON' }).getByText('103.5').waitFor()
  await editorIn(tab).focus()
  await tab.keyboard.press('Control+Enter')
  const bench = tab.getByRole('region', { name: 'Test run' })
  await bench.getByText(`Ran version 1 with the payload of delivery ${delivery}`).waitFor()
  for (const text of ['Failed', 'LONG', 'BTC/USDT', 'U+202E', 'POST https://example.com/', 'of 5 s'])
    await bench.getByText(text).filter({ visible: true }).first().waitFor()
  await bench.getByText('"seen": 103.5').waitFor()
  await bench.getByRole('button', { name: 'Show line 6' }).click()
  await assertCount(tab.locator('.cm-lint-marker-error'), 1)
  await checkLooks(tab, 'test run with a result')
  const runs = await expect(200, user.api('GET', `${own}/runs`))
  assert.equal(runs.length, 1, 'a test run leaves no record')
  await tab.goto(`${service.url}/runs/${runs[0].id}`)
  await tab.getByRole('link', { name: 'Try again in the editor' }).click()
  const loaded = tab.getByText(`Loaded from run ${runs[0].id} of `)
  await loaded.waitFor()
  assert.match(
    await loaded.innerText(),
    new RegExp(`: the payload of delivery ${delivery}, the storage from before it, and the last action then`),
  )
  await tab.getByRole('textbox', { name: 'Payload, as JSON' }).getByText('103.5').waitFor()
  assert.equal(new URL(tab.url()).pathname, `/strategies/reaction/${id}/code`)
  await tab
    .getByRole('region', { name: `storage before run ${runs[0].id}` })
    .getByText('null')
    .waitFor()
  await checkLooks(tab, 'test run of a past run')
  await bench.getByRole('button', { name: 'Run', exact: true }).click()
  await bench.getByText(`the storage of run ${runs[0].id}, the last action of run ${runs[0].id}`).waitFor()

  await tab.getByLabel('Storage', { exact: true }).selectOption('Typed')
  await tab.getByRole('textbox', { name: 'Stored value, as JSON' }).fill('{')
  await bench.getByRole('button', { name: 'Run', exact: true }).click()
  await bench.getByText('This is not JSON').waitFor()
})

inBrowser('a payload that is worth testing with again gets a name, and is kept', async (tab) => {
  const { page } = await make('$.log($.Request.data.length, $.Request.headers["x-kept"])')
  const path = new URL(webhook.url).pathname
  const { id: delivery } = await expect(
    202,
    service.send('POST', path, { body: { price: 7.25 }, headers: { 'x-kept': 'came with it' } }),
  )
  await openPage(tab, service, user.email, `/deliveries/${delivery}`)
  await tab.getByRole('button', { name: 'Save as test payload' }).click()
  await tab.getByRole('textbox', { name: 'Name' }).fill(`A breakout ${hostile}`)
  await checkLooks(tab, 'save as test payload')
  // Enter that is held down saves once.
  await tab.keyboard.press('Enter')
  await tab.keyboard.press('Enter')
  await tab.getByRole('dialog').waitFor({ state: 'detached' })

  await tab.goto(service.url + page)
  const source = tab.getByLabel('Payload from')
  const payload = tab.getByRole('textbox', { name: 'Payload, as JSON' })
  await source.locator('option', { hasText: 'A breakout' }).waitFor({ state: 'attached' })
  const [kept] = await expect(200, user.api('GET', `/api/v2/test-payload?webhook_id=${webhook.id}`))
  await source.selectOption(`kept ${kept.id}`)
  await payload.getByText('7.25').waitFor()
  await editorIn(tab).focus()
  await tab.keyboard.press('Control+Enter')
  const bench = tab.getByRole('region', { name: 'Test run' })
  await bench.getByText('with the test payload “A breakout').waitFor()
  await bench.getByText('came with it').waitFor()

  // A typed one. A name that is taken is said at its field.
  await payload.fill('{"price": 8.50}')
  await tab.getByRole('button', { name: 'Save as test payload …' }).click()
  const dialog = tab.getByRole('dialog')
  await dialog.getByLabel('Name').fill(kept.name)
  await tab.keyboard.press('Enter')
  await dialog.getByText('Is taken.').waitFor()
  await dialog.getByLabel('Name').fill('Typed')
  await tab.keyboard.press('Enter')
  await dialog.waitFor({ state: 'detached' })
  assert.equal(await source.locator('option:checked').innerText(), 'Typed')
  await tab.getByRole('button', { name: 'Delete test payload …' }).click()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await dialog.waitFor({ state: 'detached' })
  const left = await expect(200, user.api('GET', `/api/v2/test-payload?webhook_id=${webhook.id}`))
  assert.deepEqual(left, [kept])
})

inBrowser('the code of another user is as if it did not exist', async (tab) => {
  const { page } = await make('return "secret"\n')
  const stranger = await signUpBrowser(service, 'stranger@editor.example.com')
  await openPage(tab, service, stranger.email, page)
  await tab.getByRole('alert').first().waitFor()
  assert.ok(!(await tab.locator('main').innerText()).includes('secret'))
})
