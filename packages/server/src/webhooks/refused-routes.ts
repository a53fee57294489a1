import { type Static, Type } from 'typebox'
import { presentSender, SenderRecord } from '../accounts/sender.ts'
import type { Window } from '../base/window.ts'
import { signedRequest } from '../http/authentication.ts'
import { answerEvents } from '../http/paging.ts'
import { EventQuery, EventsOf, errorResponses, IdParameter, Nullable, Timestamp } from '../http/schemas.ts'
import type { App, Routes } from '../http/types.ts'
import type { BotWebhooks } from './bot-webhooks.ts'
import type { DataWebhooks } from './data-webhooks.ts'
import type { RefusedPost } from './refused-posts.ts'
import type { Webhooks } from './webhooks.ts'

const RefusedRecord = Type.Object(
  {
    id: Type.Integer(),
    webhook_id: Type.Integer(),
    refused_at: Timestamp,
    ip: Nullable(
      Type.String({ description: 'The address of the sender. null if the sender had ended the connection.' }),
    ),
    sender: SenderRecord,
    size: Nullable(
      Type.Integer({
        description:
          'The bytes of its body. null if the sender did not say, and the service did not read all of it.',
      }),
    ),
    status: Type.Integer({ description: 'The status of the answer.' }),
    code: Type.String({ description: 'The error code of the answer.' }),
    reason: Type.String({
      description:
        'The sentence of the answer, at most 1,000 characters. Invisible characters are replaced by U+FFFD.',
    }),
    key_name: Nullable(
      Type.String({
        description:
          'Where the sender put a key: a header such as `x-key`, or a field such as `body.key`. null if there was none, or only in a body that the service did not read. The key itself is not kept.',
      }),
    ),
    more: Type.Integer({
      description:
        'How many posts by the same URL the service refused after this one, and only counted: it keeps at most one a second.',
    }),
  },
  {
    examples: [
      {
        id: 1,
        webhook_id: 1,
        refused_at: '2026-03-01T12:00:00.000Z',
        ip: '203.0.113.7',
        sender: 'owner',
        size: 54,
        status: 401,
        code: 'webhook_key',
        reason: 'This webhook needs its key, and the key was missing or wrong.',
        key_name: 'x-key',
        more: 12,
      },
    ],
  },
)

/** The webhooks of one kind, and where their routes are under `/api/v2`. */
type On = { webhooks: Webhooks; path: string; tags: string[]; one: string }

export function dataRefusedRoutes(webhooks: DataWebhooks): Routes {
  return (scope) =>
    listRefused(scope, { webhooks, path: '/webhook/data', tags: ['Data webhooks'], one: 'data webhook' })
}

export function botRefusedRoutes(webhooks: BotWebhooks): Routes {
  return (scope) =>
    listRefused(scope, { webhooks, path: '/webhook/bot', tags: ['Bot webhooks'], one: 'bot webhook' })
}

function listRefused(scope: App, { webhooks: { refused }, path, tags, one }: On): void {
  scope.get(
    `${path}/:id/refused`,
    {
      schema: {
        tags,
        security: signedRequest,
        summary: `List the posts that a ${one} refused, newest first`,
        description:
          'The latest 100, with the reason of each and without their bodies. The owner sees all of them; a user with whom the webhook is shared sees those by their own URL.',
        params: IdParameter,
        querystring: EventQuery,
        response: { 200: EventsOf(RefusedRecord), ...errorResponses(400, 401, 404, 500) },
      },
    },
    async ({ principal, params, query }) => {
      const latest = await refused.latest(principal.userId, params.id)
      return answerEvents(query, {
        list: async (window) => partOf(latest, window).map(presentRefused),
        count: async () => latest.length,
      })
    },
  )
}

/** The part of a list of events, the newest first, that a window shows. */
function partOf(latest: RefusedPost[], { limit, offset, before, after }: Window): RefusedPost[] {
  const found = latest.filter(({ id }) => id < (before ?? Infinity) && id > (after ?? 0))
  // After a cursor alone, those next to it: they are the last.
  const from = after !== undefined && before === undefined ? Math.max(0, found.length - limit) : offset
  return found.slice(from, from + limit)
}

/** A refused post as the API shows it. */
export function presentRefused(post: RefusedPost): Static<typeof RefusedRecord> {
  return {
    id: post.id,
    webhook_id: post.webhookId,
    refused_at: post.refusedAt.toISOString(),
    ip: post.ip,
    sender: presentSender(post.senderId === null ? null : { userId: post.senderId, email: post.senderEmail }),
    size: post.size,
    status: post.status,
    code: post.code,
    reason: post.reason,
    key_name: post.keyName,
    more: post.more,
  }
}
