import { type Static, Type } from 'typebox'
import type { Webhook } from './webhook-kind.ts'
import type { WebhookChanges } from './webhooks.ts'

const Timestamp = Type.String({ format: 'date-time', description: 'ISO 8601, UTC.' })

export const Status = Type.Union([Type.Literal('ACTIVE'), Type.Literal('INACTIVE')])
const KeyFrom = Type.Union([Type.Literal('header'), Type.Literal('header_or_body')], {
  description:
    '`header_or_body` also accepts the password as a top-level `key` of the payload, and removes it before it stores the payload. Default: `header` for data webhooks, `header_or_body` for bot webhooks.',
})

const ContentType = Type.Union([Type.Literal('json'), Type.Literal('any')], {
  description:
    '`json` accepts only `application/json`. `any` also accepts a JSON object that is sent as `text/plain` or without a content type. Default: `json` for data webhooks, `any` for bot webhooks.',
})

/** The settings of a webhook, except password and status. */
export const settable = {
  name: Type.String({ maxLength: 255 }),
  description: Type.String({ maxLength: 255 }),
  is_safe: Type.Boolean({ description: 'Key protection: every payload must have the password.' }),
  key_from: KeyFrom,
  content_type: ContentType,
}

const SomeSettings = Type.Partial(Type.Object(settable))

export function readWebhookSettings(body: Static<typeof SomeSettings>): WebhookChanges {
  const changes: WebhookChanges = {}
  if (body.name !== undefined) changes.name = body.name
  if (body.description !== undefined) changes.description = body.description
  if (body.is_safe !== undefined) changes.isSafe = body.is_safe
  if (body.key_from !== undefined) changes.keyFrom = body.key_from
  if (body.content_type !== undefined) changes.contentType = body.content_type
  return changes
}

/** A webhook as its owner sees it. */
export const WebhookRecord = Type.Object({
  id: Type.Integer(),
  ...settable,
  has_key: Type.Boolean(),
  url: Type.String({ description: 'Where senders post. Keep it secret.' }),
  status: Status,
  created_at: Timestamp,
  updated_at: Timestamp,
})

export function presentWebhook(webhook: Webhook, url: string) {
  return {
    id: webhook.id,
    name: webhook.name,
    description: webhook.description,
    is_safe: webhook.isSafe,
    has_key: webhook.keyHash !== null,
    key_from: webhook.keyFrom,
    content_type: webhook.contentType,
    url,
    status: webhook.status,
    created_at: webhook.createdAt.toISOString(),
    updated_at: webhook.updatedAt.toISOString(),
  }
}
