import { setTimeout as sleep } from 'node:timers/promises'
import type { Operations, Signal } from '@tickwright/client'
import { Type } from 'typebox'
import { given } from '../base/given.ts'
import { type Api, ToolRefusal } from './api.ts'
import { omit, pageOf } from './results.ts'
import { Id, oneOf, paging, readingTool, Since, signalActions, writingTool } from './tool.ts'

/** How long `send_signal` waits for bots. A paper bot needs a tenth of a second, a live bot about one. */
const patienceMs = 4_000
const firstPauseMs = 50
const longestPauseMs = 500

const listSignals = readingTool({
  name: 'list_signals',
  description: 'List signals with what your bots did with each.',
  input: {
    strategy_id: Type.Optional(Id),
    run_id: Type.Optional(Id),
    webhook_id: Type.Optional(Id),
    action: Type.Optional(oneOf(signalActions)),
    since: Since,
    ...paging,
  },
  run: ({ strategy_id, run_id, webhook_id, action, since, ...page }, { api }) =>
    pageOf(
      page,
      (window) =>
        api('GET /api/v2/signal?{query}', { strategy_id, run_id, webhook_id, action, since, ...window }),
      (signal: Signal) => omit(signal, ['sender']),
    ),
})

const getSignal = readingTool({
  name: 'get_signal',
  description: 'Read what your bots did with a signal.',
  input: { id: Id },
  run: async ({ id }, { api }) => ({ value: shownOutcome(await api('GET /api/v2/signal/{id}/outcome', id)) }),
})

type SentSignal = Operations['POST /api/v2/webhook/bot/{id}/signal {body}']['arguments'][1]

/** The fields of a payload that say how to enter. */
const entryFields = [
  ...(['type', 'price', 'offset', 'timeout_seconds', 'on_timeout', 'chases', 'max_slippage'] as const),
]
type SentEntry = Pick<SentSignal, (typeof entryFields)[number]>

/** @throws {ToolRefusal} if it has another field, which would be ignored */
function entryOf(entry: SentEntry = {}): SentEntry {
  const unknown = Object.keys(entry).find((name) => !entryFields.some((field) => field === name))
  if (unknown === undefined) return entry
  throw new ToolRefusal(`entry has no field ${unknown.slice(0, 64)}; it has ${entryFields.join(', ')}.`)
}

/** A field that the API checks. Its errors name what is wrong, and cost nothing while nothing is. */
const checkedLater = <Field extends keyof SentSignal>(description?: string) =>
  Type.Optional(Type.Unsafe<NonNullable<SentSignal[Field]>>(description === undefined ? {} : { description }))

const sendSignal = writingTool({
  name: 'send_signal',
  description:
    'Send a signal to the ACTIVE bots of a bot webhook: real money if live. test: only explains. A new idempotency_key per signal; the same to repeat a lost call. If not complete, ask get_signal.',
  input: {
    webhook_id: Id,
    symbol: Type.String(),
    side: oneOf(['BUY', 'SELL', 'EXIT']),
    size: Type.Optional(Type.Number({ description: 'Quote currency; base to close' })),
    dilution: Type.Optional(Type.Boolean()),
    force_size: Type.Optional(Type.Boolean()),
    entry: Type.Optional(Type.Unsafe<SentEntry>({ type: 'object', description: 'docs: signals' })),
    stop_loss: checkedLater<'stop_loss'>('docs: protection'),
    take_profit: checkedLater<'take_profit'>(),
    trailing: checkedLater<'trailing'>(),
    break_even: checkedLater<'break_even'>(),
    exit_after_seconds: checkedLater<'exit_after_seconds'>(),
    test: Type.Optional(Type.Boolean()),
    idempotency_key: Type.String(),
  },
  foreign: true,
  hints: { destructiveHint: true, idempotentHint: true },
  run: async ({ webhook_id, test = false, force_size, entry, ...signal }, { api }) => {
    const sent = await api('POST /api/v2/webhook/bot/{id}/signal {body}', webhook_id, {
      ...entryOf(entry),
      ...signal,
      ...given({ forceSize: force_size }),
      ...(test && { flag: ['TEST', 'DEBUG'] }),
    })
    const { note, debug, duplicate } = sent
    const beside = given({ note, duplicate, debug: debug && omit(debug, ['bots', 'flag']) })
    return { value: { ...shownOutcome(await outcomeSoon(api, sent.id)), ...beside } }
  },
})

/** What became of a signal, as soon as all bots have ended it, or after a while. */
async function outcomeSoon(api: Api, id: number) {
  const deadline = performance.now() + patienceMs
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    const outcome = await api('GET /api/v2/signal/{id}/outcome', id)
    if (outcome.complete || performance.now() + pauseMs > deadline) return outcome
    await sleep(pauseMs)
  }
}

function shownOutcome({ bots, ...outcome }: Awaited<ReturnType<typeof outcomeSoon>>): object {
  const shown = bots.map((bot) => ({ ...omit(bot), orders: bot.orders.map((order) => omit(order)) }))
  return { ...omit(outcome), bots: shown }
}

export const signalTools = [listSignals, getSignal, sendSignal]
