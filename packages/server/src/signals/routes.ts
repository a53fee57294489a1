import { type Static, Type } from 'typebox'
import { presentSender, SenderRecord } from '../accounts/sender.ts'
import { signalOrigins } from '../db/schema.ts'
import { eventsRoute, getRoute } from '../http/crud.ts'
import { readMoment } from '../http/moments.ts'
import { EventQuery, Id, Moment, Nullable, Timestamp } from '../http/schemas.ts'
import type { App, Routes } from '../http/types.ts'
import { readOutcome } from './outcome-routes.ts'
import { BotSignalStatus, presentFlags, SignalAction, SignalOptions, shownFlags } from './schemas.ts'
import type { SignalBot } from './signal-bots.ts'
import type { Signal, SignalFilter, Signals } from './signals.ts'

const SignalBotRecord = Type.Object({
  bot_id: Type.Integer(),
  bot_name: Type.String(),
  symbol: Type.String(),
  status: BotSignalStatus,
  reason: Nullable(Type.String({ description: 'Why it ended so, or why it waits, as a sentence.' })),
  due_at: Nullable({
    ...Timestamp,
    description: 'When the delay of the bot is over; null for a signal that it did not delay.',
  }),
  finished_at: Nullable(Timestamp),
})

const SignalRecord = Type.Object({
  id: Type.Integer(),
  strategy_id: Nullable(
    Type.Integer({ description: "null for a signal from outside, or from another user's strategy." }),
  ),
  run_id: Nullable(Type.Integer()),
  webhook_id: Nullable(Type.Integer({ description: 'The bot webhook that it came from or went to.' })),
  delivery_id: Nullable(
    Type.Integer({
      description:
        'The delivery of your bot webhook that it came by, until the service deletes it. null: no post brought it.',
    }),
  ),
  action: SignalAction,
  symbols: Type.Array(Type.String()),
  price: Nullable(
    Type.Number({ description: 'The price of the symbol at that time; null if none was known.' }),
  ),
  options: SignalOptions,
  ...shownFlags,
  sender: SenderRecord,
  origin: Nullable(
    Type.Enum([...signalOrigins], {
      description:
        'Who closed positions with it: the owner of the bot, its limits (`on_limit`, `max_drawdown`), or the protection of a position, with the reason; null for signals of strategies and webhooks.',
    }),
  ),
  delivered: Type.Boolean({ description: 'Whether a bot took it.' }),
  reason: Nullable(Type.String({ description: 'Why no bot took it; null if one did.' })),
  bots: Type.Array(SignalBotRecord, {
    description: 'What became of it: the first 20 of your own bots and their symbols.',
  }),
  bots_total: Type.Integer({ description: 'How many entries `bots` would have without its limit of 20.' }),
  created_at: Timestamp,
})

const SignalQuery = Type.Object({
  ...EventQuery.properties,
  strategy_id: Type.Optional(Id),
  run_id: Type.Optional(Id),
  webhook_id: Type.Optional(Id),
  action: Type.Optional(SignalAction),
  since: Type.Optional(Moment('Lists only signals from this moment on.')),
})

export function signalRoutes(signals: Signals): Routes {
  return (scope) => {
    listSignals(scope, signals)
    readSignal(scope, signals)
    readOutcome(scope, signals)
  }
}

function listSignals(scope: App, signals: Signals): void {
  eventsRoute(scope, '/signal', {
    tags: ['Signals'],
    summary: 'List your signals, newest first',
    description:
      'Lists the signals that your strategies sent and your bot webhooks received. With the webhook_id of your own bot webhook, the list includes signals from the strategies of users with whom you share it.',
    item: SignalRecord,
    query: SignalQuery,
    list: async (userId, window, query) =>
      (await signals.list(userId, filterOf(query), window)).map(presentSignal),
    count: (userId, query) => signals.count(userId, filterOf(query)),
  })
}

function readSignal(scope: App, signals: Signals): void {
  getRoute(scope, '/signal', {
    tags: ['Signals'],
    summary: 'Read a signal',
    description: 'Includes what your own bots did with it.',
    item: SignalRecord,
    get: async (userId, id) => presentSignal(await signals.get(userId, id)),
  })
}

function filterOf(query: Static<typeof SignalQuery>): SignalFilter {
  const filter: SignalFilter = {}
  if (query.strategy_id !== undefined) filter.strategyId = query.strategy_id
  if (query.run_id !== undefined) filter.runId = query.run_id
  if (query.webhook_id !== undefined) filter.webhookId = query.webhook_id
  if (query.action !== undefined) filter.action = query.action
  if (query.since !== undefined) filter.since = readMoment('since', query.since)
  return filter
}

/** A signal as the API and live streams show it. */
export function presentSignal(signal: Signal) {
  return {
    id: signal.id,
    strategy_id: signal.strategyId,
    run_id: signal.runId,
    webhook_id: signal.webhookId,
    delivery_id: signal.deliveryId,
    action: signal.action,
    symbols: signal.symbols,
    price: signal.price,
    options: signal.options,
    ...presentFlags(signal),
    sender: presentSender(signal.sender),
    origin: signal.origin,
    delivered: signal.delivered,
    reason: signal.reason,
    bots: signal.bots.map(presentSignalBot),
    bots_total: signal.total,
    created_at: signal.createdAt.toISOString(),
  }
}

function presentSignalBot({ botId, botName, symbol, status, reason, dueAt, finishedAt }: SignalBot) {
  const due_at = dueAt?.toISOString() ?? null
  const finished_at = finishedAt?.toISOString() ?? null
  return { bot_id: botId, bot_name: botName, symbol, status, reason, due_at, finished_at }
}
