import type { Routes } from '../http/types.ts'
import type { CallbackHosts } from '../notifications/callback-hosts.ts'
import type { BotPlan } from '../signals/bot-plans.ts'
import { takeOut } from './body-key.ts'
import type { BotWebhooks } from './bot-webhooks.ts'
import { keyOfText, readPayload, secretFieldOf } from './formats/read.ts'
import { type IntakeLimits, receivingRoute, urlIdOf } from './ingestion-routes.ts'
import type { OutsideSignals } from './outside-signals.ts'
import { addressOf, keptHeaders } from './sender-facts.ts'
import { answerFields, answerTo, type ExplainSignal, plansFor } from './signal-answer.ts'

type PostSignalParts = IntakeLimits & {
  webhooks: BotWebhooks
  signals: OutsideSignals
  callbacks: Pick<CallbackHosts, 'check' | 'admit'>
  explain: ExplainSignal
}

/** Not stored with the body: the one is a password, and the other may contain one. */
const secretFields = ['key', 'callback']

/** `POST /webhook/{id}`: signals for bots. */
export function postSignalRoutes(parts: PostSignalParts): Routes {
  const { webhooks, signals, callbacks, explain, ...limits } = parts
  return receivingRoute({
    ...limits,
    webhooks,
    path: '/webhook',
    words: {
      summary: 'Post a signal',
      description:
        'A JSON object as docs/signals.md describes it. 202 means that it is stored durably and queued for each active bot.',
      repeat: 'A repeat within 24 hours gets the first answer and is not traded again.',
    },
    fields: answerFields,
    read: ({ text, parsed }, request, { format = 'tickwright' }) => {
      const check = (url: URL) => callbacks.check(url)
      const read = readPayload(format, parsed, { receivedAtMs: Date.now(), check })
      const secrets = [...secretFields, secretFieldOf(format)]
      return {
        ...read,
        plans: null as BotPlan[] | null,
        post: {
          body: secrets.some((name) => name !== undefined && name in parsed) ? takeOut(text, secrets) : text,
          headers: keptHeaders(request.headers, urlIdOf(request)),
          ip: addressOf(request),
        },
      }
    },
    keyOf: ({ isDated, post }) => (isDated ? keyOfText(post.body) : null),
    take: async (payload, incoming, webhook) => {
      const { signal, post } = payload
      const { sender } = incoming
      payload.plans = await plansFor(signal, { webhook, sender }, explain)
      const told = sender?.userId ?? webhook.userId
      const callback = signal.callback && (await callbacks.admit(told, signal.callback))
      return signals.take({ ...incoming, ...post, signal, callback })
    },
    answer: (done, payload, entrance) => answerTo(done, payload, entrance, signals),
  })
}
