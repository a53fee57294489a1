/** What senders, users and strategies write appears as text on every page of webhooks, deliveries and bots. */
import assert from 'node:assert/strict'
import { before } from 'node:test'
import type { Page } from 'playwright-core'
import { inBrowser } from '../in-browser.ts'
import { expect } from '../reaction.ts'
import { until } from '../until.ts'
import { type Browser, signUpBrowser } from '../users.ts'
import { checkLooks } from './looks.ts'
import { openPage } from './open-page.ts'
import { type PagesService, pagesService } from './pages-service.ts'

let service: PagesService
let user: Browser
let dataId: number
let botWebhookId: number
let botId: number
let deliveryId: number
let signalId: number

/** Markup, a character that turns the direction, and one that nobody sees. */
const evil = (where: string) => `${where}</code><img src=x onerror="hacked=1"><i>\u202Egpj.exe\u200B`
const shownOf = (where: string) => `${where}</code><img src=x onerror="hacked=1"><i>U+202Egpj.exeU+200B`
const digits = '12345678901234567890123.000000000000000000001'
const body = [
  `{"markup": ${JSON.stringify(evil('payload'))}, "n": ${digits}, "lone": "\\ud800",`,
  ` "deep": ${'['.repeat(60)}1${']'.repeat(60)}, "line": "${'x'.repeat(200_000)}"}`,
].join('')

before(async () => {
  service = await pagesService()
  user = await signUpBrowser(service, 'ada@hostile-text.example.com')
  const text = { description: evil('description') }
  const data = await expect(201, user.api('POST', '/api/v2/webhook/data', { ...text, name: evil('data') }))
  const bot = await expect(201, user.api('POST', '/api/v2/webhook/bot', { ...text, name: evil('signals') }))
  const code = { name: evil('reaction'), code: `throw new Error($.Request.data.slice(0, 200))` }
  const attached = { ...code, data_webhook_id: data.id, webhook_id: bot.id, symbol: 'BTC/USDT' }
  const reactions = '/api/v2/strategy/reaction/code'
  const reaction = await expect(201, user.api('POST', reactions, attached))
  await expect(200, user.api('PUT', `${reactions}/${reaction.id}/status`, { status: 'ACTIVE' }))
  const settings = { name: evil('bot'), webhook_id: bot.id, exchange_id: 472, symbol: '<b>\u202EX/USDT' }
  const follower = await expect(201, user.api('POST', '/api/v2/bot/signal/cex', settings))
  await expect(200, user.api('PUT', `/api/v2/bot/signal/cex/${follower.id}/status`, { status: 'ACTIVE' }))
  const ids = [data.id, bot.id, follower.id]
  ;[dataId, botWebhookId, botId] = ids as [number, number, number]
  const headers = {
    'content-type': 'application/json',
    'x-evil': '<svg onload="hacked=1">',
    'idempotency-key': '<key>',
  }
  const post = (url: string, body: string) => service.send('POST', new URL(url).pathname, { body, headers })
  deliveryId = (await expect(202, post(data.url, body))).id
  const signal = { symbol: '<b>\u202EX/USDT', side: 'BUY', id: evil('signal'), stop: evil('ignored') }
  signalId = (await expect(202, post(bot.url, JSON.stringify(signal)))).id
  await post(data.url, '{"refused":')
  await until('the refused post', async () => {
    const refused = await expect(200, user.api('GET', `/api/v2/webhook/data/${dataId}/refused`))
    return refused.length === 1
  })
})

/** The page shows these texts, has made no markup of any, and has run nothing. */
async function shows(tab: Page, where: string, ...texts: string[]): Promise<void> {
  for (const text of texts) await tab.getByText(text, { exact: false }).first().waitFor()
  assert.equal(await tab.locator('main img, dialog img, main svg[onload], main code i').count(), 0, where)
  assert.equal(await tab.evaluate('typeof hacked'), 'undefined', where)
  const shown = await tab.locator('body').innerText()
  assert.doesNotMatch(shown, /[\u202E\u200B]/, where)
  assert.ok(shown.length < 100_000, `${where} draws ${shown.length} characters`)
}

inBrowser('hostile text in every field is shown as text, and does nothing else', async (tab) => {
  const webhook = `/webhooks/data/${dataId}`
  const signals = `/webhooks/bot/${botWebhookId}`
  await openPage(tab, service, user.email, '/webhooks')
  const go = (path: string) => tab.goto(service.url + path)
  await shows(tab, 'webhooks', shownOf('data'), shownOf('signals'), shownOf('description'))
  await go(webhook)
  await tab.getByRole('row').filter({ hasText: '"markup"' }).filter({ hasText: 'Failed' }).waitFor()
  await shows(tab, 'deliveries', shownOf('data'), shownOf('description'))
  for (const [name, ...texts] of [
    ['Refused', '400'],
    ['Reactions', shownOf('reaction')],
    ['How to send', 'curl'],
    ['Sharing', 'You share this webhook with nobody'],
    ['Settings', 'Senders need no password'],
  ]) {
    await tab.getByRole('tab', { name: name!, exact: true }).click()
    await shows(tab, name!, ...texts)
  }
  assert.equal(await tab.getByRole('textbox', { name: 'Name' }).inputValue(), evil('data'))
  await tab.getByRole('button', { name: 'Delete …' }).click()
  await shows(tab, 'deleting a webhook', `Code reaction ${shownOf('reaction')}`)

  await go(`/deliveries/${deliveryId}`)
  await shows(tab, 'delivery', digits, '\\ud800', '<svg onload="hacked=1">', '<key>', 'reaction</code><img')
  await checkLooks(tab, 'a hostile delivery')
  await tab.getByRole('button', { name: 'Edit and resend' }).click()
  const resent = await tab.getByRole('dialog').getByLabel('Payload').inputValue()
  assert.ok(resent.includes(digits) && resent.includes('\\ud800'))
  await tab.keyboard.press('Escape')
  await tab.getByRole('button', { name: 'As curl' }).click()
  // What a terminal could obey is written as JSON writes it.
  await shows(tab, 'curl', '\\u202egpj.exe\\u200b')

  await go(`${signals}/deliveries/${signalId}`)
  await shows(tab, 'signal', `"id": "${JSON.stringify(shownOf('signal')).slice(1, -1)}"`, '<b>U+202EX/USDT')
  await checkLooks(tab, 'a hostile delivery of a signal')
  await go(`${signals}?tab=bots`)
  await shows(tab, 'bots of a webhook', shownOf('bot'), shownOf('reaction'))
  await go('/bots')
  await shows(tab, 'bots', shownOf('bot'), '<b>U+202EX/USDT')
  await tab.getByRole('link', { name: 'bot</code>' }).click()
  await tab.getByRole('tab', { name: 'Settings' }).click()
  await tab.getByLabel('Bot webhook').waitFor()
  await shows(tab, 'settings of a bot', shownOf('bot'))
  const options = await tab.getByLabel('Bot webhook').locator('option').allInnerTexts()
  assert.ok(options.some((text) => text.includes('[U+202E]')))
  await tab.getByRole('button', { name: 'Delete …' }).click()
  await shows(tab, 'deleting a bot', shownOf('bot'))
  assert.equal(new URL(tab.url()).pathname, `/bots/${botId}`)
})

inBrowser('another user finds none of it', async (tab) => {
  const stranger = await signUpBrowser(service, 'stranger@hostile-text.example.com')
  await openPage(tab, service, stranger.email, '/webhooks')
  await tab.getByText('No data webhook yet').waitFor()
  for (const path of [`/webhooks/data/${dataId}`, `/webhooks/bot/${botWebhookId}`, `/bots/${botId}`]) {
    await tab.goto(service.url + path)
    await tab.getByRole('alert').first().waitFor()
    assert.ok(!(await tab.locator('main').innerText()).includes('exe'), path)
  }
})
