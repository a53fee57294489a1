/** Pages of other origins: the preflight requests of browsers, and the response headers that browsers obey. */
import assert from 'node:assert/strict'
import { withSharedAccount } from '../../test/shared-account.ts'

const origin = 'https://page.example'

withSharedAccount('a page of any origin may sign each kind of request to the API', async ({ send }) => {
  for (const [method, path] of [
    ['GET', '/api/v2/exchange'],
    ['PUT', '/api/v2/trading'],
    ['DELETE', '/api/v2/env/1'],
    ['POST', '/api/v2/nothing/here'],
  ] as const) {
    const asked = {
      origin,
      'access-control-request-method': method,
      'access-control-request-headers':
        'api-key,content-type,idempotency-key,if-match,last-event-id,signature,timestamp',
    }
    const { status, headers, body } = await send('OPTIONS', path, { headers: asked })
    assert.deepEqual([status, body], [204, ''])
    assert.equal(headers.get('access-control-allow-origin'), '*')
    assert.ok(headers.get('access-control-allow-methods')!.split(', ').includes(method))
    const allowed = headers.get('access-control-allow-headers')!.split(', ')
    assert.deepEqual(allowed.sort(), asked['access-control-request-headers'].split(','))
  }
})

withSharedAccount('a page of another origin can read answers and refusals of the API', async (service) => {
  const answers = [
    await service.api('GET', '/api/v2/trading'),
    await service.api('GET', '/api/v2/env/4000000'),
    await service.api('GET', '/api/v2/nothing/here'),
    await service.send('GET', '/api/v2/trading', { headers: { origin } }),
    await service.send('POST', '/api/v2/env', { body: 'a=1', headers: { 'content-type': 'text/plain' } }),
  ]
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 404, 404, 401, 415],
  )
  for (const { headers } of answers) {
    assert.equal(headers.get('access-control-allow-origin'), '*')
    assert.match(headers.get('access-control-expose-headers')!, /\bretry-after\b/)
    assert.equal(headers.get('access-control-allow-credentials'), null)
  }
})

withSharedAccount('nothing but the API is open to other origins', async ({ send }) => {
  for (const path of ['/metrics', '/health/ready', '/docs', '/data-webhook/x', '/webhook/x', '/api/v2']) {
    for (const method of ['OPTIONS', 'GET']) {
      const { headers } = await send(method, path, { headers: { origin } })
      assert.equal(headers.get('access-control-allow-origin'), null, `${method} ${path}`)
    }
  }
})
