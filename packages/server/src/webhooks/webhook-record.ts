import { type Static, type TProperties, Type } from 'typebox'
import { given } from '../base/given.ts'
import { readAllowFrom } from './allowed-senders.ts'
import { alertFormats } from './formats/format.ts'
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
  allow_from: Type.Array(Type.String({ maxLength: 64 }), {
    maxItems: 50,
    description:
      'The networks from which it accepts posts, such as `192.0.2.0/24`, single addresses, or `tradingview` for those that TradingView publishes. Empty: any.',
  }),
}

/** The settings of a bot webhook. */
export const settableOfBots = {
  ...settable,
  format: Type.Enum([...alertFormats], {
    description:
      'In whose words the payloads are; docs/signals.md has a table of the fields of each. Default: `tickwright`.',
  }),
}

const SomeSettings = Type.Partial(Type.Object(settableOfBots))

export function readWebhookSettings(body: Static<typeof SomeSettings>): WebhookChanges {
  const changes: WebhookChanges = {}
  if (body.name !== undefined) changes.name = body.name
  if (body.description !== undefined) changes.description = body.description
  if (body.is_safe !== undefined) changes.isSafe = body.is_safe
  if (body.key_from !== undefined) changes.keyFrom = body.key_from
  if (body.content_type !== undefined) changes.contentType = body.content_type
  if (body.allow_from !== undefined) changes.allowFrom = readAllowFrom(body.allow_from)
  if (body.format !== undefined) changes.format = body.format
  return changes
}

const recordOf = <Settings extends TProperties>(settings: Settings) => ({
  id: Type.Integer(),
  ...settings,
  has_key: Type.Boolean(),
  url: Type.String({ description: 'Where senders post. Keep it secret.' }),
  status: Status,
  created_at: Timestamp,
  updated_at: Timestamp,
})

/** A webhook as its owner sees it. */
export const WebhookRecord = Type.Object(recordOf(settable))
/** The same for a bot webhook. */
export const BotWebhookRecord = Type.Object(recordOf(settableOfBots))
type PresentedWebhook = Static<typeof BotWebhookRecord>

/** @returns `format` is absent for a data webhook */
export function presentWebhook(webhook: Webhook, url: string): PresentedWebhook {
  const presented = {
    id: webhook.id,
    name: webhook.name,
    description: webhook.description,
    is_safe: webhook.isSafe,
    has_key: webhook.keyHash !== null,
    key_from: webhook.keyFrom,
    content_type: webhook.contentType,
    allow_from: webhook.allowFrom,
    ...given({ format: webhook.format }),
    url,
    status: webhook.status,
    created_at: webhook.createdAt.toISOString(),
    updated_at: webhook.updatedAt.toISOString(),
  }
  return presented as PresentedWebhook
}
