import { Type } from 'typebox'
import { Nullable } from '../http/schemas.ts'
import type { Routes } from '../http/types.ts'
import type { CallbackHosts } from '../notifications/callback-hosts.ts'
import { presentFlags, SignalAction, SignalOptions, shownFlags } from '../signals/schemas.ts'
import { takeOut } from './body-key.ts'
import type { BotWebhooks } from './bot-webhooks.ts'
import { type IntakeLimits, receivingRoute, urlIdOf } from './ingestion-routes.ts'
import { ignoredFields, type OutsideSignal, readOutsideSignal } from './outside-payload.ts'
import type { OutsideSignals } from './outside-signals.ts'
import { addressOf, keptHeaders } from './sender-facts.ts'

type PostSignalParts = IntakeLimits & {
  webhooks: BotWebhooks
  signals: OutsideSignals
  callbacks: Pick<CallbackHosts, 'check' | 'admit'>
}

/** Not stored with the body: the one is a password, and the other may contain one. */
const secretFields = ['key', 'callback']

const answerFields = {
  bots: Type.Integer({ description: 'How many bots took the signal.' }),
  note: Type.Optional(
    Type.String({ description: 'Why no bot took it, or that the bots trade it in spite of DEBUG.' }),
  ),
  ignored: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'Fields of the payload that nothing acts on, such as `stop_loss`: at most 20 names, each cut to 64 characters. Absent if there are none, and in the answer to a repeat.',
    }),
  ),
  debug: Type.Optional(
    Type.Object(
      {
        action: SignalAction,
        symbols: Type.Array(Type.String()),
        options: SignalOptions,
        ...shownFlags,
        bots: Nullable(
          Type.Array(Type.Integer(), {
            description:
              'Ids of your bots that get the signal, or would get it without TEST; at most a hundred. null if they could not be read.',
          }),
        ),
      },
      {
        description:
          'How the service understood the payload. Present if the payload asks for it, with `debug` or the flag DEBUG.',
      },
    ),
  ),
}

/** `POST /webhook/{id}`: signals for bots. */
export function postSignalRoutes({ webhooks, signals, callbacks, ...limits }: PostSignalParts): Routes {
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
    read: ({ text, parsed }, request) => ({
      signal: readOutsideSignal(parsed, (url) => callbacks.check(url)),
      ignored: ignoredFields(parsed),
      post: {
        body: secretFields.some((name) => name in parsed) ? takeOut(text, secretFields) : text,
        headers: keptHeaders(request.headers, urlIdOf(request)),
        ip: addressOf(request),
      },
    }),
    take: async ({ signal, post }, incoming, webhook) => {
      const { sender } = incoming
      const told = sender?.userId ?? webhook.userId
      const callback = signal.callback && (await callbacks.admit(told, signal.callback))
      return signals.take({ ...incoming, ...post, signal, callback })
    },
    answer: async ({ status, bots }, { signal, ignored }, { webhook, sender }) => {
      if (status === 'duplicate') return { bots }
      const answer = {
        bots,
        note: noteOf(signal, bots),
        ignored: ignored.length === 0 ? undefined : ignored,
      }
      if (!signal.debug) return answer
      const { action, symbols, options } = signal
      // The signal is stored already: an error here would make the sender send it again.
      const userId = sender?.userId ?? webhook.userId
      const reached =
        signal.symbols.length === 0 ? [] : await signals.followers(webhook.id, userId).catch(() => null)
      const understood = { action, symbols, options, ...presentFlags(signal) }
      return { ...answer, debug: { ...understood, bots: reached } }
    },
  })
}

/** Why no bot took a signal. Someone who tries a payload with DEBUG alone must not miss that it is traded. */
function noteOf({ flags, symbols }: OutsideSignal, bots: number): string | undefined {
  if (bots > 0) {
    return flags.includes('DEBUG')
      ? 'DEBUG only explains the signal: the bots trade it. Add the flag TEST to prevent that.'
      : undefined
  }
  if (flags.includes('TEST')) return 'A test: checked and recorded, not traded.'
  if (symbols.length === 0) return 'No bot for prediction markets can be on yet: recorded, not traded.'
  return 'No bot that is ACTIVE has this webhook: recorded, not traded.'
}
