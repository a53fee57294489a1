import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { fileResources } from '../../test/databases.ts'
import { inBrowser } from '../../test/in-browser.ts'
import { startService, type TestService } from '../../test/service.ts'

let service: TestService

before(async () => {
  service = fileResources.use(await startService())
})

/** Megabytes of script have to be read before. */
const shown = (tab: Page) =>
  tab.getByRole('heading', { name: 'Exchanges' }).first().waitFor({ timeout: 60_000 })

const policyAt = async (path: string) => {
  const answer = await fetch(service.url + path)
  const policy = answer.headers.get('content-security-policy') ?? ''
  return new Map(policy.split('; ').map((part) => [part.split(' ')[0]!, part.split(' ').slice(1)]))
}

test('the API reference runs no script but its own, and asks nobody else for anything', async () => {
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
    // Those of the page itself.
    assert.equal(scripts.length > 1, path === '/docs' || path === '/docs/', path)
  }
})

inBrowser('the API reference is shown without a breach of its policy', async (tab) => {
  const asked: string[] = []
  tab.on('request', (request) => asked.push(new URL(request.url()).origin))
  const answer = await tab.goto(`${service.url}/docs`)
  assert.equal(answer?.status(), 200)
  await shown(tab)
  const origins = asked.filter((origin) => origin !== 'null')
  assert.deepEqual([...new Set(origins)], [service.url])
})

inBrowser('a script that gets into the API reference does not run', async (tab, complaints) => {
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
  // The breach that this test is about.
  assert.match(complaints.splice(0).join(), /^Executing inline script violates/)
})
