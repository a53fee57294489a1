import assert from 'node:assert/strict'
import { oneService } from '../../test/each-service.ts'
import { expect } from '../../test/reaction.ts'

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document
type Operation = { path: string; method: string; operation: any }

const list = (paths: Record<string, Record<string, unknown>>): Operation[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )

oneService(
  'the interface is described in OpenAPI 3.1, as version 2.1.0, to anyone who asks',
  async (service) => {
    const document = await expect(200, service.send('GET', '/api/v2/openapi.json'))
    assert.match(document.openapi, /^3\.1\./)
    assert.equal(document.info.version, '2.1.0')
    const page = await fetch(`${service.url}/docs`)
    assert.equal(page.status, 200)
    assert.match(page.headers.get('content-type')!, /^text\/html/)
    const script = /<script src="([^"]+)"/.exec(await page.text())![1]!
    const asked = await fetch(new URL(script, page.url))
    assert.equal(asked.status, 200)
    assert.ok((await asked.text()).length > 1_000_000)
    assert.equal((await fetch(`${service.url}/docs/absent`)).status, 404)
  },
)

/** What is for those who have neither key nor session. */
const forGuests = [
  'post /api/v2/user',
  'post /api/v2/user/session',
  'post /api/v2/user/password/reset',
  'put /api/v2/user/password/reset',
  'put /api/v2/user/email',
]

oneService(
  'the three headers are three schemes, required together by every signed operation',
  async (service) => {
    const { components, paths } = await expect(200, service.send('GET', '/api/v2/openapi.json'))
    const schemes = Object.entries<{ type: string; in: string; name: string }>(components.securitySchemes)
    for (const name of ['api-key', 'timestamp', 'signature']) {
      const [, scheme] = schemes.find(([, each]) => each.name === name)!
      assert.deepEqual([scheme.type, scheme.in], ['apiKey', 'header'])
    }
    const all = list(paths).filter(({ path }) => path.startsWith('/api/v2/'))
    const signed = all.filter(({ path, method }) => !forGuests.includes(`${method} ${path}`))
    assert.ok(signed.length > 20)
    assert.equal(all.length - signed.length, forGuests.length)
    for (const { path, method, operation } of signed) {
      const together = (operation.security ?? []).map((each: object) => Object.keys(each).toSorted())
      assert.deepEqual(together, [['api-key', 'signature', 'timestamp']], `${method} ${path}`)
    }
  },
)

oneService(
  'every error of every operation has the one shape, and each has a sentence about itself',
  async (service) => {
    const { paths, components } = await expect(200, service.send('GET', '/api/v2/openapi.json'))
    for (const { path, method, operation } of list(paths)) {
      const what = `${method} ${path}`
      assert.ok(operation.summary?.length > 5, what)
      assert.ok(operation.tags?.length === 1, what)
      for (const [status, response] of Object.entries<{
        content?: Record<string, { schema: { $ref?: string } }>
      }>(operation.responses)) {
        if (Number(status) < 400 || path.startsWith('/health')) continue
        assert.equal(response.content?.['application/json']?.schema.$ref, '#/components/schemas/Error', what)
      }
    }
    assert.deepEqual(Object.keys(components.schemas.Error.properties), [
      'error',
      'code',
      'details',
      'request_id',
    ])
  },
)
