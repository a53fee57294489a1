/** Every page and dialog, light and dark, wide and narrow: no violation that axe finds, and nothing scrolls sideways. */
import assert from 'node:assert/strict'
import { before } from 'node:test'
import type { Page } from 'playwright-core'
import { inBrowser } from '../in-browser.ts'
import { expect, makeReaction } from '../reaction.ts'
import { type Browser, signUpBrowser } from '../users.ts'
import { checkLooks } from './looks.ts'
import { enter, openPage, visit } from './open-page.ts'
import { type PagesService, pagesService } from './pages-service.ts'

let service: PagesService
let user: Browser
let runId: number
let webhookId: number
let deliveryId: number
let botId: number

before(async () => {
  service = await pagesService()
  user = await signUpBrowser(service, 'ada@accessibility.example.com', 'admin')
  const code = 'if ($.Request.data.includes("fails")) throw new Error("failed")\n$.log($.Request.data)'
  const reaction = await makeReaction({ ...service, api: user.api }, code)
  await expect(202, reaction.post({ a: 'fails' }))
  await expect(202, reaction.post({ a: 'works '.repeat(200) }))
  const run = (await reaction.ended(2)).at(-1)!
  ;[runId, webhookId, deliveryId] = [run.id, reaction.webhookId, run.delivery_id]
  assert.equal((await reaction.post('{')).status, 400)
  botId = await makeBotWithPosition()
})

async function makeBotWithPosition(): Promise<number> {
  const exchanges = await expect(200, user.api('GET', '/api/v2/exchange'))
  const simulated = exchanges.find(({ name }: { name: string }) => name === 'Simulated market')
  const webhook = await expect(201, user.api('POST', '/api/v2/webhook/bot', { name: 'Signals' }))
  const settings = {
    name: 'Follower',
    webhook_id: webhook.id,
    exchange_id: simulated.id,
    mode: 'paper',
    amount: 9,
  }
  const { id } = await expect(201, user.api('POST', '/api/v2/bot/signal/cex', settings))
  await expect(200, user.api('PUT', `/api/v2/bot/signal/cex/${id}/status`, { status: 'ACTIVE' }))
  const { pathname } = new URL(webhook.url)
  await expect(202, service.send('POST', pathname, { body: { symbol: 'BTC/USDT', side: 'BUY' } }))
  return id
}

const botTab = (name: string, ready: (tab: Page) => Promise<unknown>) => ({
  path: () => `/bots/${botId}?tab=${name}`,
  ready,
})
const hasRow = (tab: Page) => tab.getByRole('row').filter({ hasText: 'BTC/USDT' }).waitFor()

/** What to look at: a path, and what to wait for. */
const views: { path: () => string; ready: (tab: Page) => Promise<unknown> }[] = [
  { path: () => '/overview', ready: (tab) => tab.locator('[role=img][data-drawn]').waitFor() },
  { path: () => '/runs', ready: (tab) => tab.getByRole('row').nth(2).waitFor() },
  { path: () => `/runs/${runId}`, ready: (tab) => tab.getByRole('heading', { name: 'Log' }).waitFor() },
  { path: () => '/webhooks', ready: (tab) => tab.getByRole('heading', { name: 'Bot webhooks' }).waitFor() },
  {
    path: () => `/webhooks/data/${webhookId}`,
    ready: (tab) => tab.getByRole('row').nth(2).waitFor(),
  },
  {
    path: () => `/webhooks/data/${webhookId}?tab=refused`,
    ready: (tab) => tab.getByRole('row').nth(1).waitFor(),
  },
  {
    path: () => `/webhooks/data/${webhookId}?tab=send`,
    ready: (tab) => tab.getByRole('tab', { name: 'curl' }).waitFor(),
  },
  {
    path: () => `/deliveries/${deliveryId}`,
    ready: (tab) => tab.getByRole('rowheader', { name: 'stored' }).waitFor(),
  },
  { path: () => '/bots', ready: (tab) => tab.getByRole('link', { name: 'Follower' }).waitFor() },
  ...['positions', 'signals', 'orders', 'fills', 'trades'].map((name) => botTab(name, hasRow)),
  botTab('results', (tab) => tab.getByText('Win rate').waitFor()),
  { path: () => '/runs/999999999', ready: (tab) => tab.getByRole('alert').waitFor() },
  {
    path: () => '/runs?status=SKIPPED',
    ready: (tab) => tab.getByText('No run fits these filters').waitFor(),
  },
]

inBrowser('axe finds nothing on any page and dialog, light and dark, wide and narrow', async (tab) => {
  await tab.goto(`${service.url}/sign-in`)
  await tab.getByRole('button', { name: 'Sign in' }).waitFor()
  await checkLooks(tab, '/sign-in')
  await enter(tab, user.email)
  await tab.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  for (const { path, ready } of views) {
    await visit(tab, path())
    await ready(tab)
    await checkLooks(tab, path())
  }
  await tab.getByRole('button', { name: 'Stop' }).locator('visible=true').click()
  await tab.getByRole('dialog', { name: 'Stop' }).waitFor()
  await checkLooks(tab, 'Stop')
  await tab.keyboard.press('Escape')
  await tab.keyboard.press('Control+k')
  await tab.getByRole('combobox', { name: 'Search' }).waitFor()
  await checkLooks(tab, 'search')
})

inBrowser('a script cannot enter a page: the policy holds', async (tab, complaints) => {
  await openPage(tab, service, user.email, '/runs')
  await assert.rejects(tab.addScriptTag({ content: 'document.title = "taken"' }))
  assert.match(complaints.splice(0).join(), /Content Security Policy|TrustedScript/)
})
