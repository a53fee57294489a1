import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { expect } from '../../test/reaction.ts'
import { type Account, withSharedAccount } from '../../test/shared-account.ts'

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document
type Operation = { path: string; method: string; operation: any }

const documentOf = (service: Account) => expect(200, service.send('GET', '/api/v2/openapi.json'))

const list = (paths: Record<string, Record<string, unknown>>): Operation[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )

withSharedAccount('the API is described in OpenAPI 3.1, with the version of the service', async (service) => {
  const { openapi, info, servers } = await documentOf(service)
  assert.match(openapi, /^3\.1\./)
  assert.deepEqual(servers, [{ url: '/', description: 'This service.' }])
  const repository = new URL('../../../../', import.meta.url)
  for (const manifest of ['package.json', 'packages/server/package.json', 'packages/client/package.json']) {
    const { version } = JSON.parse(await readFile(new URL(manifest, repository), 'utf8'))
    assert.equal(info.version, version, manifest)
  }
})

withSharedAccount('the API reference loads, to anyone who asks', async (service) => {
  const page = await fetch(`${service.url}/docs/`)
  assert.deepEqual([page.status, new URL(page.url).pathname], [200, '/docs/'])
  assert.match(page.headers.get('content-type')!, /^text\/html/)
  const script = /<script src="([^"]+)"/.exec(await page.text())![1]!
  const loaded = await fetch(new URL(script, page.url))
  assert.equal(loaded.status, 200)
  assert.ok((await loaded.text()).length > 1_000_000)
  assert.equal((await fetch(`${service.url}/docs/absent`)).status, 404)
})

const nameOf = ({ method, path }: Operation) => `${method.toUpperCase()} ${path}`

/** The operations for people who have neither key nor session. */
const forGuests = [
  'post /api/v2/user',
  'post /api/v2/user/session',
  'post /api/v2/user/password/reset',
  'put /api/v2/user/password/reset',
  'put /api/v2/user/email',
]

withSharedAccount(
  'an operation takes either the three headers together, each a scheme, or the cookie of a session',
  async (service) => {
    const { components, paths } = await documentOf(service)
    const schemes = Object.entries<{ type: string; in: string; name: string }>(components.securitySchemes)
    for (const name of ['api-key', 'timestamp', 'signature']) {
      const [, scheme] = schemes.find(([, each]) => each.name === name)!
      assert.deepEqual([scheme.type, scheme.in], ['apiKey', 'header'])
    }
    assert.deepEqual(
      [components.securitySchemes.session.type, components.securitySchemes.session.in],
      ['apiKey', 'cookie'],
    )
    const all = list(paths).filter(({ path }) => path.startsWith('/api/v2/'))
    const signed = all.filter(({ path, method }) => !forGuests.includes(`${method} ${path}`))
    assert.ok(signed.length > 20)
    assert.equal(all.length - signed.length, forGuests.length)
    for (const { path, method, operation } of signed) {
      const alternatives = (operation.security ?? []).map((each: object) => Object.keys(each).toSorted())
      assert.deepEqual(
        alternatives,
        [['api-key', 'signature', 'timestamp'], ['session']],
        `${method} ${path}`,
      )
    }
  },
)

withSharedAccount(
  'every error of every operation has the same shape, and every operation has a summary',
  async (service) => {
    const { paths, components } = await documentOf(service)
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

withSharedAccount('a field with a default is not required in a request', async (service) => {
  const { paths } = await documentOf(service)
  for (const { path, method, operation } of list(paths)) {
    const { required = [], properties = {} } =
      operation.requestBody?.content['application/json']?.schema ?? {}
    const both = required.filter((name: string) => properties[name].default !== undefined)
    assert.deepEqual(both, [], `${method} ${path}`)
  }
})

withSharedAccount('every operation has a description that adds to its summary', async (service) => {
  const { paths, tags } = await documentOf(service)
  const missing = list(paths).filter(({ operation: { summary, description = '' } }) => {
    return description.length < 10 || description === summary
  })
  assert.equal(missing.map(nameOf).join('\n'), '')
  const described = new Set(tags.map(({ name }: { name: string }) => name))
  assert.deepEqual(
    list(paths).flatMap(({ operation }) => operation.tags.filter((tag: string) => !described.has(tag))),
    [],
  )
})

withSharedAccount('every request body has an example that fits its schema', async (service) => {
  const { paths } = await documentOf(service)
  const ajv = new Ajv({ strict: false })
  addFormats.default(ajv)
  const wrong = list(paths)
    .filter(({ operation }) => operation.requestBody !== undefined)
    .flatMap((each) => {
      const { schema, example, examples: named = {} } = each.operation.requestBody.content['application/json']
      const several = Object.values<{ value: unknown }>(named).map(({ value }) => value)
      const examples = example === undefined ? several : [example]
      if (examples.length === 0) return [`${nameOf(each)}: no example`]
      const isValid = ajv.compile(schema)
      return examples.every((one) => isValid(one))
        ? []
        : [`${nameOf(each)}: ${ajv.errorsText(isValid.errors)}`]
    })
  assert.equal(wrong.join('\n'), '')
})
