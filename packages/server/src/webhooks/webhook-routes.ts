import type { FastifyRequest } from 'fastify'
import { type Static, type TObject, type TProperties, Type } from 'typebox'
import type { AuditLog } from '../accounts/audit-log.ts'
import { signedRequest } from '../http/authentication.ts'
import { deleteRoute, getRoute, listRoute } from '../http/crud.ts'
import { errorResponses, IdParameter, SuccessMessage } from '../http/schemas.ts'
import type { App, Routes } from '../http/types.ts'
import type { BotWebhooks } from './bot-webhooks.ts'
import type { DataWebhooks } from './data-webhooks.ts'
import type { Webhook } from './webhook-kind.ts'
import {
  BotWebhookRecord,
  presentWebhook,
  readWebhookSettings,
  Status,
  settable,
  settableOfBots,
  WebhookRecord,
} from './webhook-record.ts'
import type { WebhookChanges, Webhooks } from './webhooks.ts'

const besides = {
  status: Status,
  has_key: Type.Union([Type.String({ minLength: 1, maxLength: 255 }), Type.Boolean()], {
    description: 'The password. A boolean, as in responses, changes nothing.',
  }),
}
const newExample = { name: 'Alerts', is_safe: true, has_key: 'a long password', key_from: 'header_or_body' }
const changedExample = { name: 'Alerts', status: 'INACTIVE' }

/** The bodies and the responses of the routes of one kind. */
const schemasOf = <Settings extends TProperties, Record extends TObject>(
  settings: Settings,
  record: Record,
) => ({
  record,
  created: Type.Partial(Type.Object({ ...settings, ...besides }), { examples: [newExample] }),
  changed: Type.Partial(Type.Object({ ...settings, ...besides }), { examples: [changedExample] }),
})
const ofBots = schemasOf(settableOfBots, BotWebhookRecord)
type Schemas = typeof ofBots
/** A body without `format` is one of the others, too. */
const ofData = schemasOf(settable, WebhookRecord) as unknown as Schemas

/** The webhooks of one kind, and where their routes are under `/api/v2`. */
type On = {
  webhooks: Webhooks
  audit: AuditLog
  path: string
  tags: string[]
  one: string
  schemas: Schemas
  /** What senders post, and what may use a webhook. */
  words: { posted: string; users: string }
}

export function dataWebhookRoutes(webhooks: DataWebhooks, audit: AuditLog): Routes {
  return webhookRoutes({
    webhooks,
    audit,
    path: '/webhook/data',
    tags: ['Data webhooks'],
    one: 'data webhook',
    schemas: ofData,
    words: { posted: 'JSON payloads for reactions', users: 'reaction' },
  })
}

export function botWebhookRoutes(webhooks: BotWebhooks, audit: AuditLog): Routes {
  return webhookRoutes({
    webhooks,
    audit,
    path: '/webhook/bot',
    tags: ['Bot webhooks'],
    one: 'bot webhook',
    schemas: ofBots,
    words: { posted: 'signals for bots', users: 'bot or strategy' },
  })
}

function webhookRoutes(on: On): Routes {
  return (scope) => {
    listWebhooks(scope, on)
    createWebhook(scope, on)
    readWebhook(scope, on)
    changeWebhook(scope, on)
    setStatus(scope, on)
    rotateUrl(scope, on)
    deleteWebhook(scope, on)
  }
}

function listWebhooks(scope: App, { webhooks, path, tags, one, schemas }: On): void {
  listRoute(scope, path, {
    tags,
    summary: `List your ${one}s`,
    description: 'In order of id. Webhooks that others share with you are in a list of their own.',
    item: schemas.record,
    list: async (userId, window) =>
      (await webhooks.list(userId, window)).map((webhook) => present(webhooks, webhook)),
    count: (userId) => webhooks.count(userId),
  })
}

function createWebhook(scope: App, on: On): void {
  const { webhooks, path, tags, one, words, schemas } = on
  scope.post(
    path,
    {
      schema: {
        tags,
        security: signedRequest,
        summary: `Create a ${one}`,
        description: `The service generates a secret URL, where senders post ${words.posted}. All fields are optional; without them, the webhook is ACTIVE, has a name of two words and needs no password.`,
        body: schemas.created,
        response: { 201: schemas.record, ...errorResponses(400, 401, 409, 415, 500) },
      },
    },
    async (request, reply) => {
      const changes = readChanges(request.body)
      const created = await webhooks.create(request.principal.userId, changes)
      await recordKeyChange(on, request, changes, created)
      return reply.code(201).send(present(webhooks, created))
    },
  )
}

function readWebhook(scope: App, { webhooks, path, tags, one, schemas }: On): void {
  getRoute(scope, path, {
    tags,
    summary: `Read a ${one}`,
    description: 'The response has its URL, but never its password.',
    item: schemas.record,
    get: async (userId, id) => present(webhooks, await webhooks.get(userId, id)),
  })
}

function changeWebhook(scope: App, on: On): void {
  const { webhooks, path, tags, one, schemas } = on
  scope.put(
    `${path}/:id`,
    {
      schema: {
        tags,
        security: signedRequest,
        summary: `Change a ${one}`,
        description:
          'Only the given fields change; the URL stays until you rotate it. The change applies to every payload that arrives after the response.',
        params: IdParameter,
        body: schemas.changed,
        response: { 200: schemas.record, ...errorResponses(400, 401, 404, 415, 500) },
      },
    },
    async (request) => {
      const changes = readChanges(request.body)
      const changed = await webhooks.change(request.principal.userId, request.params.id, changes)
      await recordKeyChange(on, request, changes, changed)
      return present(webhooks, changed)
    },
  )
}

function setStatus(scope: App, { webhooks, path, tags, one }: On): void {
  scope.put(
    `${path}/:id/status`,
    {
      schema: {
        tags,
        security: signedRequest,
        summary: `Switch a ${one} on or off`,
        description: 'An INACTIVE webhook refuses every post with 403.',
        params: IdParameter,
        body: Type.Object({ status: Status }, { examples: [{ status: 'INACTIVE' }] }),
        response: { 200: SuccessMessage, ...errorResponses(400, 401, 404, 415, 500) },
      },
    },
    async ({ principal, params, body }) => {
      await webhooks.change(principal.userId, params.id, { status: body.status })
      return { message: 'Success' as const }
    },
  )
}

function rotateUrl(scope: App, { webhooks, audit, path, tags, one, schemas }: On): void {
  scope.post(
    `${path}/:id/rotate`,
    {
      schema: {
        tags,
        security: signedRequest,
        summary: `Give a ${one} a new URL`,
        description:
          'The old URL stops at once, on every node: its senders get 404. Everything else stays, also the password, the deliveries, and the URLs of users with whom you share it.',
        params: IdParameter,
        response: { 200: schemas.record, ...errorResponses(400, 401, 404, 500) },
      },
    },
    async (request) => {
      const note = audit.note(request, 'webhook_url_rotated')
      return present(webhooks, await webhooks.rotate(request.principal.userId, request.params.id, note))
    },
  )
}

function deleteWebhook(scope: App, { webhooks, path, tags, one, words }: On): void {
  deleteRoute(scope, path, {
    tags,
    summary: `Delete a ${one} that nothing uses`,
    description: `While a ${words.users} uses the webhook, the service refuses with 409 and names what uses it.`,
    canConflict: true,
    delete: (userId, id) => webhooks.delete(userId, id),
  })
}

function present(webhooks: Webhooks, webhook: Webhook) {
  return presentWebhook(webhook, webhooks.url(webhook))
}

async function recordKeyChange(
  { audit, one }: On,
  { principal: { userId }, ip }: Pick<FastifyRequest, 'principal' | 'ip'>,
  { key }: WebhookChanges,
  { id, name }: Webhook,
): Promise<void> {
  if (key === undefined) return
  await audit.record(userId, 'webhook_key_changed', { userId, ip }, { kind: one, webhook_id: id, name })
}

function readChanges(body: Static<Schemas['created']>): WebhookChanges {
  const changes = readWebhookSettings(body)
  if (typeof body.has_key === 'string') changes.key = body.has_key
  if (body.status !== undefined) changes.status = body.status
  return changes
}
