import { presentApproval } from '../approvals/routes.ts'
import { presentBacktest } from '../backtests/jobs/record.ts'
import { given } from '../base/given.ts'
import { presentBotSignal } from '../bots/bot-signal-record-routes.ts'
import { presentOrder } from '../bots/order-record.ts'
import { presentPosition } from '../bots/position-record.ts'
import { presentFill } from '../bots/record-routes.ts'
import type { BotSignal, Records } from '../bots/records.ts'
import { RecordsById } from '../bots/records-by-id.ts'
import { presentTrading } from '../connections/trading-routes.ts'
import type { Change } from '../live/changes.ts'
import type { Found, Source, Sources } from '../live/source.ts'
import { Signals } from '../signals/signals.ts'
import { Runs } from '../strategies/runs.ts'
import { deliverySource } from './live-deliveries.ts'
import { Owners, ofUsers, together } from './live-reading.ts'
import { refusedSource } from './live-refused.ts'
import { runSource } from './live-runs.ts'
import { signalSource } from './live-signals.ts'
import { statusSource } from './live-statuses.ts'
import type { Management } from './management.ts'
import type { Parts } from './parts.ts'

/** How live streams read each kind of record: by the same code as the routes, so that access and content are the same. */
export function liveSources(
  parts: Parts,
  { deliveries, approvals, records, backtests }: Management,
): Sources {
  const { database } = parts.storage
  const { tradingSwitch } = parts.trading
  const strategies = new Owners(database, 'strategies')
  const dataWebhooks = new Owners(database, 'data_webhooks')
  const runs = new Runs(database)
  const byId = new RecordsById(database)
  const statuses = statusSource(database)
  const ofChange = (changes: Change[]) => changes.map(({ userId }) => (userId === undefined ? [] : [userId]))
  return {
    delivery: deliverySource(deliveries, { webhooks: dataWebhooks, strategies }),
    refused_post: refusedSource(parts.webhooks),
    run: runSource(runs, strategies),
    signal: signalSource(new Signals(database), new Owners(database, 'bot_webhooks')),
    bot_signal: botSignalSource(byId, new Owners(database, 'bot_signals')),
    order: ofUsers(
      ofChange,
      together((userIds, ids) => byId.orders(userIds, ids)),
      (order) => [presentOrder(order), { botId: order.botId }],
    ),
    fill: ofUsers(
      ofChange,
      together((userIds, ids) => byId.fills(userIds, ids)),
      (fill) => [presentFill(fill), { botId: fill.botId }],
    ),
    position: positionSource(records),
    status: statuses,
    suspension: statuses,
    trading_switch: async (changes) => {
      const record = presentTrading(await tradingSwitch.read())
      return changes.map(() => [{ userId: null, record }])
    },
    approval: ofUsers(
      (changes) => strategies.of(changes.map(({ strategyId }) => strategyId)),
      together((userIds, ids) => approvals.byId(userIds, ids)),
      (approval) => [presentApproval(approval), { strategyId: approval.strategyId, runId: approval.runId }],
    ),
    backtest: ofUsers(
      ofChange,
      together((userIds, ids) => backtests.byId(userIds, ids)),
      (backtest) => [presentBacktest(backtest), given({ strategyId: backtest.strategyId ?? undefined })],
    ),
  }
}

/** A new signal is announced once for all bots that got it. */
function botSignalSource(records: RecordsById, owners: Owners): Source {
  const read = ofUsers<BotSignal>(
    (changes) => owners.of(changes.map(({ id }) => id)),
    together((userIds, ids) => records.botSignals(userIds, ids)),
    (signal) => [presentBotSignal(signal), { botId: signal.botId }],
  )
  return async (changes, listeners) => {
    const signalIds = changes.filter(({ part }) => part === 'signal').map(({ id }) => id)
    const rows = signalIds.length === 0 ? [] : await records.ofSignals([...listeners], signalIds)
    const ofSignal = Map.groupBy(rows, ({ signalId }) => signalId)
    const single = changes.flatMap((change, index) =>
      change.part === 'signal'
        ? (ofSignal.get(change.id) ?? []).map(({ id }) => ({
            index,
            change: { ...change, id },
          }))
        : [{ index, change }],
    )
    const found = await read(
      single.map(({ change }) => change),
      listeners,
    )
    const all: Found[][] = changes.map(() => [])
    for (const [at, { index }] of single.entries()) all[index]!.push(...found[at]!)
    return all
  }
}

/** A position has no id of its own: the change names its bot and its symbol. */
function positionSource(records: Records): Source {
  return (changes, listeners) =>
    Promise.all(
      changes.map(async ({ id: botId, userId, part: symbol }) => {
        if (userId === undefined || symbol === undefined || !listeners.has(userId)) return []
        const window = { limit: 10, offset: 0 }
        const shown = await records.positions(userId, { botId, symbol, all: true }, window)
        return shown
          .filter((position) => position.symbol === symbol)
          .map((position) => ({ userId, botId, record: presentPosition(position) }))
      }),
    )
}
