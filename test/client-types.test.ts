/** Compares the types of the API client with the OpenAPI document that they are generated from. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { apiTypes, type OpenApi, type Schema } from '../scripts/api-types.ts'
import { root } from './repository.ts'

test('the types of the client match the OpenAPI document', () => {
  execFileSync(process.execPath, [`${root}/scripts/client-types.ts`, '--check'], { stdio: 'pipe' })
})

const Thing: Schema = {
  type: 'object',
  required: ['id', 'kind'],
  properties: {
    id: { type: 'integer', description: 'Never changes.' },
    kind: { anyOf: [{ type: 'string', enum: ['a'] }, { type: 'null' }] },
    tags: { type: 'array', items: { type: 'string' } },
    other: {},
  },
}
const detail = { type: 'object', required: ['message'], properties: { message: { type: 'string' } } }

function documentOf(paths: Record<string, unknown>): OpenApi {
  const error = { properties: { details: { type: 'array', items: detail } } }
  return { paths, components: { schemas: { Error: error } } } as OpenApi
}

function operation(answer: Schema, more: Record<string, unknown> = {}) {
  const content = { 'application/json': { schema: answer } }
  return {
    summary: 'Does it',
    security: [{ signature: [] }],
    responses: { 200: { content }, 304: {}, 400: {} },
    ...more,
  }
}

const page = { properties: { items: { type: 'array', items: Thing }, total: { type: 'integer' } } }
const document = documentOf({
  '/things': {
    get: operation(
      { anyOf: [{ type: 'array', items: Thing }, page] },
      { parameters: [{ in: 'query', name: 'page', schema: { type: 'integer' } }] },
    ),
  },
  '/things/{id}': {
    put: operation(Thing, {
      parameters: [{ in: 'path', name: 'id', required: true, schema: { type: 'integer' } }],
      requestBody: {
        required: true,
        content: { 'application/json': { schema: { properties: { ok: { type: 'boolean' } } } } },
      },
    }),
  },
  '/tagged': {
    post: operation(Thing, {
      parameters: [{ in: 'header', name: 'if-match', schema: { type: 'string' } }],
      requestBody: { content: { 'application/json': { schema: { type: 'object' } } } },
      responses: {
        201: { content: { 'application/json': { schema: Thing } }, headers: { ETag: {} } },
        400: {},
      },
    }),
  },
  '/health': { get: { responses: {} } },
  '/session': { post: operation({}, { security: [] }) },
})
const types = apiTypes(document, { Thing: 'GET /things' })
const flat = types.replaceAll(/\s+/g, ' ')

for (const [what, written] of [
  [
    'a resource by its name, its fields required or not',
    "export type Thing = { /** Never changes. */ id: number kind: 'a' | null tags?: (string)[] | undefined other?: unknown | undefined }",
  ],
  [
    'a list that may be a page',
    "'GET /things?{query}': { arguments: [query?: { page?: number | undefined }]; answer: List<Thing> }",
  ],
  [
    'a path, a body and an answer',
    "'PUT /things/{id} {body}': { arguments: [id: number,body: { ok?: boolean | undefined }]; answer: Thing }",
  ],
  [
    'a save under a condition, and an answer with a tag',
    "'POST /tagged {body}': { arguments: [body?: Record<string, unknown>,options?: SaveOptions]; answer: Thing & Tagged }",
  ],
  ['the details of an error', 'export type ErrorDetail = { message: string }'],
] as const) {
  test(`the document gives ${what}`, () => assert.ok(flat.includes(written), types))
}

test('a route that needs no signature is not an operation', () =>
  assert.doesNotMatch(types, /\/health|\/session/))

test('a schema that the types cannot express is refused', () => {
  const get = operation({ $ref: '#/components/schemas/Thing' })
  assert.throws(() => apiTypes(documentOf({ '/a': { get } }), {}), /A reference to/)
  const body = { requestBody: { content: { 'application/json': { schema: {} } } } }
  const withBody = documentOf({ '/a': { get: operation({}, body) } })
  assert.throws(() => apiTypes(withBody, {}), /GET \/a has a body, which nobody sends/)
  assert.throws(
    () => apiTypes(documentOf({ '/a/{id}': { get: operation({}) } }), {}),
    /does not describe \{id\}/,
  )
  assert.throws(() => apiTypes(document, { Thing: 'GET /nothing' }), /There is no GET \/nothing/)
})
