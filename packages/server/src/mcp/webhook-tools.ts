import type { BotWebhook, DataWebhook, SharedWebhook } from '@tickwright/client'
import { Type } from 'typebox'
import { omit, pageOf, pick, withText } from './results.ts'
import { Id, Offset, oneOf, paging, readingTool, writingTool } from './tool.ts'

const Kind = oneOf(['data', 'bot'])
const publicFields = ['id', 'name', 'description', 'status', 'is_safe', 'owner_id'] as const

/** Anyone who knows a URL can post to it, so a key that may only read does not see it. */
function presentWebhook(webhook: DataWebhook | BotWebhook | SharedWebhook, canWrite: boolean): object {
  const shown = pick(webhook, canWrite ? [...publicFields, 'url'] : publicFields)
  return 'format' in webhook ? { ...shown, format: webhook.format } : shown
}

const listWebhooks = readingTool({
  name: 'list_webhooks',
  description:
    'List your webhooks: data takes JSON for reactions, bot takes signals. With shared: those of others. Only keys that may write see URLs.',
  input: { kind: Kind, shared: Type.Optional(Type.Boolean()), ...paging },
  run: ({ kind, shared = false, ...page }, { api, agent }) =>
    pageOf<DataWebhook | BotWebhook | SharedWebhook>(
      page,
      (window) =>
        shared
          ? api(`GET /api/v2/webhook/${kind}/shared?{query}`, window)
          : api(`GET /api/v2/webhook/${kind}?{query}`, window),
      (webhook) => presentWebhook(webhook, agent.access === 'write'),
    ),
})

const listDeliveries = readingTool({
  name: 'list_deliveries',
  description: 'List what a webhook, data by default, accepted.',
  input: { kind: Type.Optional(Kind), webhook_id: Id, ...paging },
  run: ({ kind = 'data', webhook_id, ...page }, { api }) =>
    kind === 'data'
      ? pageOf(
          page,
          (window) => api('GET /api/v2/webhook/data/{id}/deliveries?{query}', webhook_id, window),
          (delivery) => ({
            ...pick(delivery, ['id', 'received_at', 'reactions']),
            size: delivery.body?.length ?? 0,
            runs: delivery.runs.slice(0, 5).map((run) => pick(run, ['id', 'status'])),
          }),
        )
      : pageOf(
          page,
          (window) => api('GET /api/v2/webhook/bot/{id}/deliveries?{query}', webhook_id, window),
          (delivery) => ({
            ...pick(delivery, ['id', 'received_at', 'bots']),
            size: delivery.body?.length ?? 0,
            signal: pick(delivery.signal, ['action', 'symbols', 'delivered', 'reason']),
          }),
        ),
})

const getDelivery = readingTool({
  name: 'get_delivery',
  description: 'Read a delivery of a data webhook or, with bot_webhook_id, of a bot webhook.',
  input: { id: Id, bot_webhook_id: Type.Optional(Id), offset: Offset },
  run: async ({ id, bot_webhook_id, offset = 0 }, { api }) => {
    const { body, ...beside } =
      bot_webhook_id === undefined
        ? await api('GET /api/v2/delivery/{id}', id)
        : await api('GET /api/v2/webhook/bot/{id}/deliveries/{delivery_id}', bot_webhook_id, id)
    return withText('body', body, offset, beside)
  },
})

const listRefusedPosts = readingTool({
  name: 'list_refused_posts',
  description: 'List the latest 100 posts that a webhook refused, and why.',
  input: { kind: Kind, webhook_id: Id, ...paging },
  run: ({ kind, webhook_id, ...page }, { api }) =>
    pageOf(
      page,
      (window) => api(`GET /api/v2/webhook/${kind}/{id}/refused?{query}`, webhook_id, window),
      (post) => omit(post, ['id', 'webhook_id']),
    ),
})

const createWebhook = writingTool({
  name: 'create_webhook',
  description: 'Create a webhook and return its URL, to which anyone can post.',
  input: {
    kind: Kind,
    name: Type.Optional(Type.String()),
    description: Type.Optional(Type.String()),
  },
  hints: { destructiveHint: false, openWorldHint: false },
  run: async ({ kind, name, description }, { api }) => ({
    value: presentWebhook(await api(`POST /api/v2/webhook/${kind} {body}`, { name, description }), true),
  }),
})

const replayDelivery = writingTool({
  name: 'replay_delivery',
  description: 'Run a stored payload again in each ACTIVE reaction of yours that is attached.',
  input: { id: Id },
  hints: { destructiveHint: true },
  run: async ({ id }, { api }) => ({ value: await api('POST /api/v2/delivery/{id}/replay', id) }),
})

export const webhookTools = [
  listWebhooks,
  listDeliveries,
  getDelivery,
  listRefusedPosts,
  createWebhook,
  replayDelivery,
]
