/** How other names of fields, other paths and texts as ids are read. The rows of the table are tested with a whole service. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import fastify from 'fastify'
import { Type } from 'typebox'
import { invalidField } from '../../base/errors.ts'
import { takeBytes } from '../authentication.ts'
import { closeRequests } from '../closed-requests.ts'
import { compilersFactory } from '../compilers.ts'
import { installErrorHandler } from '../error-handler.ts'
import { parseJsonBody } from '../json-body.ts'
import { limitRequests } from '../limits.ts'
import { Id, Nullable } from '../schemas.ts'
import type { App } from '../types.ts'
import { type Aliases, Untranslatable } from './alias.ts'
import { messageBeside } from './answers.ts'
import { acceptOtherNames } from './install.ts'
import { opposite, renamed } from './names.ts'

const Thing = Type.Object({ id: Type.Integer(), name: Type.String() })
const fields = {
  name: Type.String({ maxLength: 20 }),
  connection_id: Nullable(Id),
  strict: Type.Boolean({ default: false }),
  symbol: Type.String({ maxLength: 20 }),
}

const aliases: Aliases = {
  operations: {
    'PUT /thing/:id': {
      body: [
        renamed('api_id', 'connection_id'),
        opposite('from_signal', 'strict'),
        {
          names: {
            pair_base: { type: 'string', maxLength: 9 },
            pair_quote: { type: 'string', maxLength: 9 },
          },
          means: 'symbol',
          read: ({ pair_base: base, pair_quote: quote }) => {
            if (quote === undefined) throw new Untranslatable('pair_base', 'needs `pair_quote`')
            return { symbol: `${base}/${quote}` }
          },
        },
      ],
      answer: messageBeside,
    },
  },
  paths: {
    'PUT /thing/:id/shown': {
      of: 'PUT /thing/:id',
      summary: 'Show it',
      description: 'Shows it.',
      body: {
        schema: {
          type: 'object',
          required: ['isShown'],
          additionalProperties: false,
          properties: { isShown: { type: 'boolean' } },
        },
        read: ({ isShown }) => ({ name: isShown === true ? 'shown' : 'hidden' }),
      },
    },
  },
}

const facts = { credentialsOf: () => [], chainOf: () => null }

/** What the route of the application below has last received. */
let received: unknown

function start(): App {
  const app = fastify({ schemaController: { compilersFactory } }) as unknown as App
  app.addSchema({ $id: 'Error', type: 'object', additionalProperties: true })
  installErrorHandler(app)
  acceptOtherNames(app, aliases, facts)
  limitRequests(app)
  app.register(
    async (scope: App) => {
      takeBytes(scope)
      scope.addHook('preValidation', async (request) => {
        request.body = parseJsonBody(request.body as Buffer)
      })
      closeRequests(scope)
      scope.put(
        '/thing/:id',
        { schema: { body: Type.Partial(Type.Object(fields)), response: { 200: Thing } } },
        async ({ body }) => {
          received = body
          if (body.connection_id === 404) throw invalidField('connection_id', 'must be yours; 404 is not')
          return { id: 1, name: body.name ?? '' }
        },
      )
    },
    { prefix: '/api/v2' },
  )
  return app
}

const app = start()

async function put(body: unknown, path = '/thing/1') {
  received = undefined
  const payload = typeof body === 'string' ? body : JSON.stringify(body)
  const headers = { 'content-type': 'application/json' }
  const answer = await app.inject({ method: 'PUT', url: `/api/v2${path}`, headers, payload })
  return { status: answer.statusCode, body: answer.json() }
}

async function refused(body: unknown): Promise<{ field: string; sentence: string }> {
  const answer = await put(body)
  assert.deepEqual([answer.status, answer.body.code, received], [400, 'request_invalid', undefined])
  return { field: answer.body.details[0].field, sentence: answer.body.error }
}

const pass = { strict: false }

test('a field has the same effect under its other name', async () => {
  const { status, body } = await put({ api_id: 7, from_signal: false, pair_base: 'BTC', pair_quote: 'USDT' })
  assert.deepEqual([status, body], [200, { id: 1, name: '', message: 'Success' }])
  assert.deepEqual(received, { connection_id: 7, strict: true, symbol: 'BTC/USDT' })
  await put({ api_id: null })
  assert.deepEqual(received, { ...pass, connection_id: null })
})

test('both names of a field at once are refused, and the answer names both', async () => {
  for (const value of [7, 8, null]) {
    assert.deepEqual(await refused({ api_id: 7, connection_id: value }), {
      field: 'body.api_id',
      sentence: 'Invalid request: body.api_id means the same as `connection_id`; send only one of them.',
    })
  }
  assert.equal((await refused({ from_signal: true, strict: false })).field, 'body.from_signal')
  assert.equal((await refused({ pair_base: 'BTC', pair_quote: 'USDT', symbol: 'x' })).field, 'body.pair_base')
})

test('a value that nothing corresponds to is refused under the name that was sent', async () => {
  assert.deepEqual(await refused({ from_signal: 'yes' }), {
    field: 'body.from_signal',
    sentence: 'Invalid request: body.from_signal must be boolean.',
  })
  assert.equal((await refused({ pair_base: 'BTC' })).field, 'body.pair_base')
})

test('errors of the schema and of the route use the name that was sent', async () => {
  assert.deepEqual(await refused({ api_id: -1 }), {
    field: 'body.api_id',
    sentence: 'Invalid request: body.api_id must be >= 1.',
  })
  assert.equal((await refused({ connection_id: -1 })).field, 'body.connection_id')
  assert.equal((await refused({ pair_base: 'x'.repeat(99), pair_quote: 'y' })).field, 'body.pair_base')
  const answer = await put({ api_id: 404 })
  assert.equal(answer.body.error, 'Invalid request: body.api_id must be yours; 404 is not.')
})

test('an unknown name gets the nearest one, also if that is another name', async () => {
  const nearest = async (name: string) =>
    /Did you mean `(\w+)`/.exec((await refused({ [name]: 1 })).sentence)?.[1]
  assert.equal(await nearest('apiid'), 'api_id')
  assert.equal(await nearest('connectionid'), 'connection_id')
  assert.equal(await nearest('pair_quot'), 'pair_quote')
})

test('an id may be a text, in its plain form only', async () => {
  const ids = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER })
  await fc.assert(
    fc.asyncProperty(ids, fc.constantFrom('connection_id', 'api_id'), async (id, name) => {
      await put({ [name]: String(id) })
      assert.deepEqual(received, { ...pass, connection_id: id })
    }),
    { numRuns: 50 },
  )
  for (const text of [
    '',
    '0',
    '-1',
    '01',
    '1.0',
    '1e3',
    ' 1',
    '0x1',
    '9007199254740993',
    '9'.repeat(30),
    '١',
  ]) {
    assert.equal((await refused({ connection_id: text })).field, 'body.connection_id', text)
  }
  await put({ name: '12' })
  assert.deepEqual(received, { ...pass, name: '12' })
})

test('hostile names stay fields, and change nothing', async () => {
  for (const name of ['__proto__', 'constructor', 'toString']) {
    const { body } = await put(`{"${name}":{"connection_id":1},"api_id":7}`)
    assert.match(body.error, new RegExp(`\`${name}\` is unknown`))
  }
  assert.equal(({} as { connection_id?: number }).connection_id, undefined)
  for (const body of ['[]', '[{"api_id":7}]', '"api_id"', 'null', '7']) {
    assert.equal((await put(body)).status, 400, body)
  }
})

test('another path has a body of its own, and takes nothing else', async () => {
  const { status, body } = await put({ isShown: true }, '/thing/1/shown')
  assert.deepEqual([status, body], [200, { id: 1, name: 'shown' }])
  assert.deepEqual(received, { name: 'shown' })
  for (const wrong of [{}, { isShown: 'yes' }, { isShown: true, name: 'x' }, { isshown: true }]) {
    assert.equal((await put(wrong, '/thing/1/shown')).status, 400, JSON.stringify(wrong))
    assert.equal(received, undefined)
  }
})

test('a row for a field that its route does not have ends the start', () => {
  const wrong = fastify() as unknown as App
  acceptOtherNames(wrong, { operations: { 'POST /x': { body: [renamed('a', 'b')] } }, paths: {} }, facts)
  const body = Type.Object({ c: Type.Boolean() })
  assert.throws(
    () => wrong.post('/api/v2/x', { schema: { body } }, () => 'x'),
    /POST \/api\/v2\/x has no field b/,
  )
})
