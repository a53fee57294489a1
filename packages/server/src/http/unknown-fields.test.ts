/** The API refuses a field that it does not know, and names the field that was probably meant. */
import assert from 'node:assert/strict'
import { signedHeaders } from '../../test/client.ts'
import { administratorKey } from '../../test/environment.ts'
import { expect } from '../../test/reaction.ts'
import type { TestService } from '../../test/service.ts'
import { withService } from '../../test/with-service.ts'

type Operation = {
  method: string
  path: string
  isForGuests: boolean
  query: string[]
  body: string[] | null
}

type Described = {
  security?: object[]
  parameters?: { in: string; name: string }[]
  requestBody?: { content: { 'application/json': { schema: { properties?: object } } } }
}

async function operationsOf(service: TestService): Promise<Operation[]> {
  const { paths } = await expect(200, service.send('GET', '/api/v2/openapi.json'))
  return Object.entries<Record<string, Described>>(paths).flatMap(([path, methods]) =>
    Object.entries<Described>(methods).map(([method, { security = [], parameters = [], requestBody }]) => ({
      method: method.toUpperCase(),
      path: path.replaceAll(/\{\w+\}/g, '77777'),
      isForGuests: security.length === 0,
      query: parameters.filter((each) => each.in === 'query').map(({ name }) => name),
      body:
        requestBody === undefined
          ? null
          : Object.keys(requestBody.content['application/json'].schema.properties ?? {}),
    })),
  )
}

/** Closer to `name` than any other name of the API. */
const misspelt = (name: string) => `${name}x`

async function refusal(
  service: TestService,
  { method, isForGuests }: Operation,
  target: string,
  body?: object,
) {
  const text = body === undefined ? undefined : JSON.stringify(body)
  const signed = isForGuests ? {} : signedHeaders(administratorKey, method, target, text)
  return service.send(method, target, { body: text, headers: signed })
}

withService('every operation refuses an unknown query parameter, and names the nearest', async (service) => {
  const operations = (await operationsOf(service)).filter(({ path }) => path.startsWith('/api/v2/'))
  assert.ok(operations.length > 100)
  for (const operation of operations) {
    const name = misspelt(operation.query[0] ?? 'page')
    const answer = await refusal(service, operation, `${operation.path}?${name}=1`)
    const what = `${operation.method} ${operation.path}: ${JSON.stringify(answer.body)}`
    assert.deepEqual([answer.status, answer.body.code], [400, 'request_invalid'], what)
    const found = answer.body.details.find(({ field }: { field: string }) => field === `querystring.${name}`)
    // A request without its body is refused for the missing body.
    if (operation.body !== null && found === undefined) continue
    const hint = operation.query[0]
      ? `Did you mean \`${operation.query[0]}\`?`
      : 'No fields are allowed here.'
    assert.equal(found?.message, `is unknown. ${hint}`, what)
  }
})

withService(
  'every operation refuses an unknown field in its body, and names the nearest',
  async (service) => {
    const operations = (await operationsOf(service)).filter(
      ({ method, path }) => path.startsWith('/api/v2/') && (method === 'POST' || method === 'PUT'),
    )
    assert.ok(operations.length > 50)
    for (const operation of operations) {
      const [known] = operation.body ?? []
      const name = misspelt(known ?? 'name')
      const answer = await refusal(service, operation, operation.path, { [name]: 1 })
      const what = `${operation.method} ${operation.path}: ${JSON.stringify(answer.body)}`
      assert.deepEqual([answer.status, answer.body.code], [400, 'request_invalid'], what)
      const hint = known === undefined ? 'No fields are allowed here.' : `Did you mean \`${known}\`?`
      assert.deepEqual(
        answer.body.details[0],
        { field: `body.${name}`, message: `is unknown. ${hint}` },
        what,
      )
      assert.equal(answer.body.error, `Invalid request: \`${name}\` is unknown. ${hint}`, what)
    }
  },
)

withService('the sentence names a misspelt field as people write it', async (service) => {
  const send = async (body: object) =>
    (await expect(400, service.api('POST', '/api/v2/bot/signal/cex', body))).error
  const base = { exchange_id: 2, amount: '1' }
  const tries: [object, RegExp][] = [
    [{ max_dayly_loss: '5' }, /: `max_dayly_loss` is unknown\. Did you mean `max_daily_loss`\?$/],
    [{ webhookId: 1 }, /: `webhookId` is unknown\. Did you mean `webhook_id`\?$/],
    [{ nothing_like_it: 1 }, /: `nothing_like_it` is unknown\. Known fields: `name`, .*`webhook_id`/],
    [{ toString: 1 }, /: `toString` is unknown/],
  ]
  for (const [field, sentence] of tries) assert.match(await send({ ...base, ...field }), sentence)
  const proto = await expect(400, service.api('POST', '/api/v2/webhook/data', '{"__proto__":{"a":1}}'))
  assert.match(proto.error, /`__proto__` is unknown/)
})

withService('fields of objects inside a body are checked too, also among alternatives', async (service) => {
  const test = (body: object) =>
    expect(400, service.api('POST', '/api/v2/strategy/code/test', { code: '', ...body }))
  const { details: trigger } = await test({ last_trigger: { action: 'LONG', prise: 1 } })
  assert.deepEqual(trigger, [
    { field: 'body.last_trigger.prise', message: 'is unknown. Did you mean `price`?' },
  ])
  const price = { symbol: 'BTC/USDT', price: 1, exchange: 'sim', service: 'spot' }
  const { details: among } = await test({ price: { ...price, symbl: 'x' } })
  assert.deepEqual(among, [{ field: 'body.price.symbl', message: 'is unknown. Did you mean `symbol`?' }])
  // A header may have any name.
  const answer = await service.api('POST', '/api/v2/strategy/reaction/code/test', {
    code: '',
    headers: { 'x-any': 'x' },
  })
  assert.equal(answer.status, 200)
})

withService('a thousand unknown fields get a short answer that names the first of them', async (service) => {
  const many = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`unknown_${n}`, n]))
  const { details } = await expect(400, service.api('POST', '/api/v2/webhook/data', many))
  assert.ok(details.length <= 20)
  assert.ok(details.some(({ field }: { field: string }) => field === 'body.unknown_0'))
})

withService('a request without a body of its own takes an empty object', async (service) => {
  const answer = await service.api('POST', '/api/v2/approval/77777/approve', {})
  assert.equal(answer.body.code, 'resource_not_found')
})

withService('payloads of webhooks keep unknown fields', async (service) => {
  const { url } = await expect(201, service.api('POST', '/api/v2/webhook/data', { name: 'open' }))
  const answer = await service.send('POST', `${new URL(url).pathname}?source=x`, {
    body: { nobody_knows: [1], name: 'x' },
  })
  assert.equal(answer.status, 202)
})

withService(
  'a record that was read can be sent back, and its read-only fields change nothing',
  async (service) => {
    const strategy = await expect(201, service.api('POST', '/api/v2/strategy/code', { name: 'a', code: '1' }))
    const own = `/api/v2/strategy/code/${strategy.id}`
    const sent = { ...strategy, name: 'b', id: 77777, status: 'ACTIVE', last_run_at: strategy.created_at }
    const { message: _, ...changed } = await expect(200, service.api('PUT', own, sent))
    assert.deepEqual({ ...changed, updated_at: '' }, { ...strategy, name: 'b', updated_at: '' })
    const { error } = await expect(400, service.api('PUT', own, { ...strategy, nam: 'b' }))
    assert.match(error, /`nam` is unknown\. Did you mean `name`\?/)
  },
)
