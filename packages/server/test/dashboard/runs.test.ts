/** Runs as they happen, and the receipt of one, with a real process and a real browser. */
import assert from 'node:assert/strict'
import { before } from 'node:test'
import { inBrowser } from '../in-browser.ts'
import { expect, makeReaction, type TestReaction } from '../reaction.ts'
import { type Browser, signUpBrowser } from '../users.ts'
import { assertCount, assertText } from './assert-shown.ts'
import { checkLooks } from './looks.ts'
import { openPage } from './open-page.ts'
import { type PagesService, pagesService } from './pages-service.ts'

let service: PagesService
let user: Browser
let reaction: TestReaction
let other: TestReaction

/** Logs what it gets, and fails if it is told to. */
const code = `
const { text, fails } = JSON.parse($.Request.data)
$.log(text)
if (fails) throw new Error(text)`
const hostile = `<img src=x onerror=alert(1)> \u202Egnp.exe \u0007 ${'x'.repeat(9000)}`

before(async () => {
  service = await pagesService()
  user = await signUpBrowser(service, 'ada@runs.example.com')
  // `makeReaction` needs a client; the page's own session is one.
  const client = { ...service, api: user.api }
  reaction = await makeReaction(client, code, { name: 'Watched <b>' })
  other = await makeReaction(client, code, { name: 'Quiet' })
})

inBrowser('a run appears while the list is open, and a filter keeps others out', async (tab) => {
  await openPage(tab, service, user.email, '/runs')
  await tab.getByText('Nothing has run yet').waitFor()
  await expect(202, reaction.post({ text: 'first' }))
  const rows = tab.getByRole('row').filter({ has: tab.getByRole('cell') })
  await rows.filter({ hasText: 'first' }).filter({ hasText: 'Succeeded' }).waitFor()
  await assertText(rows.first(), /Watched <b>/)

  await tab.getByLabel('Outcome').selectOption('Failed')
  await tab.getByText('No run fits these filters').waitFor()
  assert.equal(new URL(tab.url()).search, '?status=FAILED')
  await expect(202, other.post({ text: 'fine' }))
  await expect(202, other.post({ text: 'broken', fails: true }))
  await rows.filter({ hasText: 'Error: broken' }).waitFor()
  await assertCount(rows, 1)
  await tab.reload()
  await rows.filter({ hasText: 'Error: broken' }).waitFor()
  // The address is the view.
  await assertCount(rows, 1)
})

inBrowser('a list that was left and opened again has what happened meanwhile', async (tab) => {
  await openPage(tab, service, user.email, '/runs')
  const go = (name: string) =>
    tab.getByRole('navigation', { name: 'Pages', exact: true }).getByRole('link', { name }).click()
  await tab.getByRole('row').filter({ hasText: 'first' }).waitFor()
  await go('Webhooks')
  await tab.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor()
  const before = (await other.runs()).length
  await expect(202, other.post({ text: 'meanwhile' }))
  await other.ended(before + 1)
  await go('Runs')
  await tab.getByRole('row').filter({ hasText: 'meanwhile' }).waitFor()
})

inBrowser('the receipt of a run shows every step, and text of others as text', async (tab) => {
  await expect(202, reaction.post({ text: hostile, fails: true }))
  const [run] = (await reaction.ended(2)).slice(-1)
  await openPage(tab, service, user.email, `/runs/${run!.id}`)
  const steps = tab.getByRole('row')
  for (const kind of ['received', 'stored', 'queued', 'started', 'log', 'ended'])
    await steps.filter({ has: tab.getByRole('rowheader', { name: kind, exact: true }) }).waitFor()
  const text = await tab.locator('main').innerText()
  assert.match(text, /<img src=x onerror=alert\(1\)>/)
  assert.match(text, /U\+202E/)
  assert.ok(!text.includes('\u202E') && !text.includes('\u0007'))
  assert.ok(text.length < 30_000, 'a long line is cut')
  assert.equal(await tab.locator('main img').count(), 0)
})

inBrowser('an error is shown in the code of its version, also after the code has changed', async (tab) => {
  const client = { ...service, api: user.api }
  const text = `<i>\u202E ${'y'.repeat(500)}`
  const changing = await makeReaction(client, code, { name: 'Changing' })
  await expect(202, changing.post({ text, fails: true }))
  const [run] = await changing.ended(1)
  await expect(200, user.api('PUT', changing.own, { code: 'return 1\n' }))
  await openPage(tab, service, user.email, `/runs/${run!.id}`)
  const excerpt = tab.getByRole('region', { name: 'Code around line 4' })
  await excerpt.getByText('if (fails) throw new Error(text)').waitFor()
  await excerpt.getByText('Error: <i>').waitFor()
  await tab.getByRole('heading', { name: /^The error in version \d+$/ }).waitFor()
  assert.ok(!(await excerpt.innerText()).includes('\u202E'))
  await checkLooks(tab, 'a run that failed')
})

inBrowser('runs are found by strategy and time', async (tab) => {
  await openPage(tab, service, user.email, '/runs')
  const rows = tab.getByRole('row').filter({ has: tab.getByRole('cell') })
  await rows.filter({ hasText: 'Quiet' }).first().waitFor()
  await tab.getByLabel('Strategy').selectOption('Watched <b>')
  await rows.filter({ hasText: 'Quiet' }).first().waitFor({ state: 'detached' })
  await tab.getByLabel('Queued').selectOption('The last hour')
  await rows.filter({ hasText: 'Watched <b>' }).first().waitFor()
  assert.equal(new URL(tab.url()).search, `?strategy=${reaction.id}&range=hour`)
  await expect(202, reaction.post({ text: 'in the range' }))
  await rows.filter({ hasText: 'in the range' }).waitFor()
  await tab.goto(`${service.url}/runs?until=2026-01-01T00:00:00Z`)
  await tab.getByText('No run fits these filters').waitFor()
  await tab.getByRole('button', { name: /^Until Jan/ }).click()
  await rows.filter({ hasText: 'in the range' }).waitFor()
})

inBrowser('a run of another user is as if it did not exist', async (tab) => {
  const stranger = await signUpBrowser(service, 'stranger@runs.example.com')
  const [run] = await reaction.runs()
  await openPage(tab, service, stranger.email, `/runs/${run!.id}`)
  await tab
    .getByRole('alert')
    .filter({ hasText: /does not exist|no run/i })
    .waitFor()
  await tab.goto(`${service.url}/runs?strategy=${reaction.id}`)
  await tab.getByText('No run fits these filters').waitFor()
})

inBrowser('the keyboard moves through the list, opens a run beside it, and closes it', async (tab) => {
  const ids = (await other.runs()).map(({ id }) => id).toSorted((one, next) => next - one)
  const address = (open?: number) =>
    `${service.url}/runs?strategy=${other.id}${open === undefined ? '' : `&open=${open}`}`
  const rowOf = (id: number) => tab.getByRole('link', { name: `Run ${id} of Quiet` })
  const detailOf = (id: number) => tab.getByRole('complementary', { name: `Run ${id}` })
  const hasFocus = async (id: number) => rowOf(id).and(tab.locator(':focus')).waitFor()
  assert.ok(ids.length >= 3, 'other tests made runs')
  await openPage(tab, service, user.email, new URL(address()).pathname + new URL(address()).search)
  await rowOf(ids[0]!).waitFor()
  for (const key of ['j', 'ArrowDown', 'ArrowUp']) await tab.keyboard.press(key)
  await hasFocus(ids[0]!)
  await tab.keyboard.press('Enter')
  await detailOf(ids[0]!).getByRole('heading', { name: 'Receipt' }).waitFor()
  await tab.waitForURL(address(ids[0]))
  // While it is open, it follows. A key that is held shows only where it ends.
  await tab.keyboard.down('j')
  await tab.keyboard.down('j')
  await hasFocus(ids[2]!)
  await tab.keyboard.up('j')
  await tab.waitForURL(address(ids[2]))
  await tab.keyboard.press('k')
  await detailOf(ids[1]!).waitFor()
  assert.equal(await rowOf(ids[1]!).getAttribute('aria-current'), 'page')
  // A key for a field is not for the list, and a dialog takes Escape first.
  await tab.getByLabel('In log, error or payload').press('j')
  await tab.keyboard.press('Escape')
  await tab.getByLabel('In log, error or payload').fill('')
  await rowOf(ids[1]!).focus()
  await tab.keyboard.press('Control+k')
  await tab.getByRole('dialog').waitFor()
  await tab.keyboard.press('Escape')
  await tab.getByRole('dialog').waitFor({ state: 'detached' })
  await tab.waitForURL(address(ids[1]))
  await hasFocus(ids[1]!)
  // Enter on the open row leads into its detail, and closing it leads back to the row.
  await tab.keyboard.press('Enter')
  await detailOf(ids[1]!).and(tab.locator(':focus')).waitFor()
  await checkLooks(tab, 'a run beside the list', { isWide: true })
  await tab.keyboard.press('Escape')
  await tab.waitForURL(address())
  await hasFocus(ids[1]!)

  // The address is the view: a link opens it, and where there is no room for both, the page.
  await tab.goto(address(ids[1]))
  await detailOf(ids[1]!).getByRole('heading', { name: 'Receipt' }).waitFor()
  await tab.setViewportSize({ width: 1000, height: 800 })
  await tab.waitForURL(`${service.url}/runs/${ids[1]}`)
  await tab.goto(`${service.url}/signals?open=999999999`)
  await tab.getByRole('alert').waitFor()
})
