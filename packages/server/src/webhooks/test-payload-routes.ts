import { type Static, Type } from 'typebox'
import { invalidField } from '../base/errors.ts'
import { signedRequest } from '../http/authentication.ts'
import { deleteRoute, getRoute, listRoute } from '../http/crud.ts'
import { codeBodyLimit } from '../http/limits.ts'
import { errorResponses, Id, Nullable, PageQuery, Timestamp } from '../http/schemas.ts'
import type { App, Routes } from '../http/types.ts'
import {
  type ListedTestPayload,
  type NewTestPayload,
  type TestPayload,
  type TestPayloads,
  testPayloadLimit,
} from './test-payloads.ts'

const shown = {
  id: Type.Integer(),
  webhook_id: Type.Integer(),
  name: Type.String(),
  created_at: Timestamp,
}

const ListedRecord = Type.Object(shown)

const Record = Type.Object({
  ...shown,
  body: Type.String({ description: 'Byte for byte as it was posted or entered.' }),
  headers: Nullable(
    Type.Record(Type.String(), Type.String(), {
      description: 'Of the delivery that it is a copy of. null: its user entered the text.',
    }),
  ),
  ip: Nullable(Type.String({ description: 'The address that the delivery came from.' })),
})

const NewRecord = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 100, description: 'Unique for the webhook.' }),
    delivery_id: Type.Optional({ ...Id, description: 'Copies the payload of this delivery.' }),
    webhook_id: Type.Optional({ ...Id, description: 'One of your data webhooks; with `body`.' }),
    body: Type.Optional(
      Type.String({ maxLength: testPayloadLimit, description: 'JSON, at most 256 KB; with `webhook_id`.' }),
    ),
  },
  { examples: [{ name: 'A breakout', delivery_id: 12 }] },
)

const ListQuery = Type.Object({ ...PageQuery.properties, webhook_id: Type.Optional(Id) })

const tags = ['Data webhooks']
const path = '/test-payload'

/** Routes of the payloads that users keep for test runs. */
export function testPayloadRoutes(payloads: TestPayloads): Routes {
  return (scope) => {
    listPayloads(scope, payloads)
    createPayload(scope, payloads)
    getRoute(scope, path, {
      tags,
      summary: 'Read a test payload',
      description: 'With its body, byte for byte, and what came with it.',
      item: Record,
      get: async (userId, id) => present(await payloads.get(userId, id)),
    })
    deleteRoute(scope, path, {
      tags,
      summary: 'Delete a test payload',
      description: 'The delivery that it is a copy of stays.',
      delete: (userId, id) => payloads.delete(userId, id),
    })
  }
}

function listPayloads(scope: App, payloads: TestPayloads): void {
  listRoute(scope, path, {
    tags,
    summary: 'List your test payloads, without their bodies',
    description: 'In order of id. With `webhook_id`, only those of this data webhook.',
    item: ListedRecord,
    query: ListQuery,
    list: async (userId, window, { webhook_id }) =>
      (await payloads.list(userId, window, webhook_id)).map(presentListed),
    count: (userId, { webhook_id }) => payloads.count(userId, webhook_id),
  })
}

function createPayload(scope: App, payloads: TestPayloads): void {
  scope.post(
    path,
    {
      bodyLimit: codeBodyLimit,
      schema: {
        tags,
        security: signedRequest,
        summary: 'Keep a payload for test runs',
        description:
          'Copies a delivery, or takes a text for one of your data webhooks. The service keeps it until you delete it or its webhook, also after it has deleted the delivery.',
        body: NewRecord,
        response: { 201: Record, ...errorResponses(400, 401, 404, 409, 413, 415, 500) },
      },
    },
    async ({ principal, body }, reply) =>
      reply.code(201).send(present(await payloads.create(principal.userId, wantedOf(body)))),
  )
}

/** @throws {AppError} 400 unless it names a delivery, or a webhook and a text */
function wantedOf({ name, delivery_id, webhook_id, body }: Static<typeof NewRecord>): NewTestPayload {
  if (delivery_id !== undefined) {
    if (webhook_id !== undefined || body !== undefined)
      throw invalidField('delivery_id', 'cannot come with `webhook_id` or `body`')
    return { name, deliveryId: delivery_id }
  }
  if (webhook_id === undefined) throw invalidField('webhook_id', 'is missing; give it, or `delivery_id`')
  if (body === undefined) throw invalidField('body', 'is missing')
  return { name, webhookId: webhook_id, body }
}

function presentListed({ id, webhookId, name, createdAt }: ListedTestPayload): Static<typeof ListedRecord> {
  return { id, webhook_id: webhookId, name, created_at: createdAt.toISOString() }
}

function present(payload: TestPayload): Static<typeof Record> {
  const { body, headers, ip } = payload
  return { ...presentListed(payload), body, headers, ip }
}
