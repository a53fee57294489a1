import { AppError } from '../base/errors.ts'
import type { Change } from '../live/changes.ts'
import type { Source } from '../live/source.ts'
import type { RefusedPost, WrittenRefusal } from '../webhooks/refused-posts.ts'
import { presentRefused } from '../webhooks/refused-routes.ts'
import type { Parts } from './parts.ts'

type Webhooks = Parts['webhooks']

/** Who hears of a refused post: the owner of the webhook, and the user by whose URL it came. */
export function changesOf(
  kind: keyof Webhooks,
  { id, webhookId, ownerId, senderId }: WrittenRefusal,
): Change[] {
  const change = { kind: 'refused_post' as const, id, webhookId }
  const ofOwner = { ...change, userId: ownerId, part: kind }
  return senderId === null ? [ofOwner] : [ofOwner, { ...change, userId: senderId, part: `${kind} shared` }]
}

/** Reads refused posts. The `part` of a change says of which kind its webhook is. */
export function refusedSource(webhooks: Webhooks): Source {
  return (changes, listeners) =>
    Promise.all(
      changes.map(async ({ id, userId, webhookId, part = '' }) => {
        if (userId === undefined || webhookId === undefined || !listeners.has(userId)) return []
        const webhookKind = part.startsWith('bot') ? 'bot' : 'data'
        const { refused } = webhooks[webhookKind]
        const posts = await refused.latest(userId, webhookId).catch(noneIfGone)
        return posts
          .filter((post) => post.id === id)
          .map((post) => ({ userId, webhookId, webhookKind, record: presentRefused(post) }))
      }),
    )
}

/** The webhook was deleted meanwhile, or is no longer shared with the user. */
function noneIfGone(error: unknown): RefusedPost[] {
  if (error instanceof AppError && error.code === 'resource_not_found') return []
  throw error
}
