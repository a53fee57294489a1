import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { fileResources } from '../../test/databases.ts'
import { inBrowser } from '../../test/in-browser.ts'
import { longPatienceMs } from '../../test/patience.ts'
import { startService, type TestService } from '../../test/service.ts'

let service: TestService

const password = 'correct horse battery'
const email = 'admin@example.com'

before(async () => {
  service = fileResources.use(await startService({ env: { TICKWRIGHT_ADMIN_PASSWORD: password } }))
})

/** Before this, the browser has to read megabytes of script. */
const shown = (tab: Page) =>
  tab.getByRole('heading', { name: 'Exchanges' }).first().waitFor({ timeout: longPatienceMs })

const policyAt = async (path: string) => {
  const answer = await fetch(service.url + path)
  const policy = answer.headers.get('content-security-policy') ?? ''
  return new Map(policy.split('; ').map((part) => [part.split(' ')[0]!, part.split(' ').slice(1)]))
}

test('the API reference runs only its own scripts, and sends requests only to this service', async () => {
  for (const path of ['/docs', '/docs/', '/docs/js/scalar.js', '/docs/absent']) {
    const policy = await policyAt(path)
    assert.deepEqual(policy.get('default-src'), ["'none'"], path)
    assert.deepEqual(policy.get('connect-src'), ["'self'"], path)
    for (const name of ['base-uri', 'form-action', 'frame-ancestors']) {
      assert.deepEqual(policy.get(name), ["'none'"], `${path} ${name}`)
    }
    const scripts = policy.get('script-src')!
    assert.ok(
      scripts.every((source) => source === "'self'" || /^'sha256-[\w+/]{43}='$/.test(source)),
      path,
    )
    // Only the page itself has inline scripts.
    assert.equal(scripts.length > 1, path === '/docs' || path === '/docs/', path)
  }
})

inBrowser('the API reference is shown without a breach of its policy or a failed request', async (tab) => {
  const asked: string[] = []
  tab.on('request', (request) => asked.push(new URL(request.url()).origin))
  const failed: string[] = []
  tab.on('console', (message) => {
    if (message.text().startsWith('Failed to load resource')) failed.push(message.location().url)
  })
  const answer = await tab.goto(`${service.url}/docs`)
  assert.equal(answer?.status(), 200)
  await shown(tab)
  const origins = asked.filter((origin) => origin !== 'null')
  assert.deepEqual([...new Set(origins)], [service.url])
  assert.deepEqual(failed, [])
})

inBrowser('a signed-in user can send a test request without filling in anything', async (tab) => {
  await tab.context().request.post(`${service.url}/api/v2/user/session`, { data: { email, password } })
  // The first route that the page shows.
  await tab.goto(`${service.url}/docs/#tag/exchanges/GET/api/v2/exchange`)
  await shown(tab)
  await tab
    .getByRole('button', { name: /Test Request/ })
    .first()
    .click()
  const answered = tab.waitForResponse(`${service.url}/api/v2/exchange`)
  await tab
    .getByRole('button', { name: /^\s*Send/ })
    .first()
    .click()
  const answer = await answered
  assert.equal(answer.request().headers()['api-key'], '')
  assert.equal(answer.status(), 200)
})

test('empty authentication headers count as absent, beside a session and without one', async () => {
  const signedIn = await service.send('POST', '/api/v2/user/session', { body: { email, password } })
  const cookie = signedIn.headers.get('set-cookie')!.split(';')[0]!
  const empty = { 'api-key': '', timestamp: '', signature: '' }
  const headers = { ...empty, cookie, origin: service.url }
  assert.equal((await service.send('GET', '/api/v2/user/me', { headers })).status, 200)
  const body = { name: 'by a test request' }
  assert.equal((await service.send('POST', '/api/v2/webhook/data', { headers, body })).status, 201)
  const { status, body: refusal } = await service.send('GET', '/api/v2/user/me', { headers: empty })
  assert.deepEqual([status, refusal.code], [401, 'auth_missing'])
})

inBrowser('an injected script does not run in the API reference', async (tab, complaints) => {
  await tab.goto(`${service.url}/docs`)
  await shown(tab)
  const ran = await tab.evaluate(`new Promise((resolve) => {
    document.addEventListener('securitypolicyviolation', (event) => {
      resolve([event.violatedDirective, 'wasRun' in window])
    })
    const script = document.createElement('script')
    script.textContent = 'window.wasRun = true'
    document.head.append(script)
  })`)
  assert.deepEqual(ran, ['script-src-elem', false])
  // The violation that this test is about.
  assert.match(complaints.splice(0).join(), /^Executing inline script violates/)
})
