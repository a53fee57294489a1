import { LRUCache } from 'lru-cache'
import { presentApproval } from '../approvals/routes.ts'
import { presentBotSignal } from '../bots/bot-signal-record-routes.ts'
import { presentOrder } from '../bots/order-record.ts'
import { presentPosition } from '../bots/position-record.ts'
import { presentFill } from '../bots/record-routes.ts'
import type { BotSignal, Records } from '../bots/records.ts'
import { RecordsById } from '../bots/records-by-id.ts'
import { presentTrading } from '../connections/trading-routes.ts'
import type { Database, PreparedStatement } from '../db/database.ts'
import type { Belonging, BelongingIds, Change } from '../live/changes.ts'
import type { Found, Listeners, Source, Sources } from '../live/source.ts'
import { presentSignal } from '../signals/routes.ts'
import { Signals } from '../signals/signals.ts'
import { presentRun } from '../strategies/run-routes.ts'
import { Runs } from '../strategies/runs.ts'
import { presentDelivery } from '../webhooks/delivery-routes.ts'
import { refusedSource } from './live-refused.ts'
import { statusSource } from './live-statuses.ts'
import type { Management } from './management.ts'
import type { Parts } from './parts.ts'

/** Of how many strategies and webhooks a node remembers the owners. */
const ownersLimit = 100_000

/** How live streams read each kind of record: by the same code as the routes, so that access and content are the same. */
export function liveSources(parts: Parts, { deliveries, approvals, records }: Management): Sources {
  const { database } = parts.storage
  const { tradingSwitch } = parts.trading
  const strategies = new Owners(database, 'strategies')
  const dataWebhooks = new Owners(database, 'data_webhooks')
  const runs = new Runs(database)
  const signals = new Signals(database)
  const byId = new RecordsById(database)
  const statuses = statusSource(database)
  const ofChange = (changes: Change[]) => changes.map(({ userId }) => (userId === undefined ? [] : [userId]))
  return {
    delivery: ofUsers(
      (changes) => dataWebhooks.of(changes.map(({ webhookId }) => webhookId)),
      together((userIds, ids) => deliveries.byId(userIds, ids)),
      (delivery) => [presentDelivery(delivery), { webhookId: delivery.webhookId, webhookKind: 'data' }],
    ),
    refused_post: refusedSource(parts.webhooks),
    run: ofUsers(
      (changes) => strategies.of(changes.map(({ strategyId }) => strategyId)),
      together((userIds, ids) => runs.byId(userIds, ids)),
      (run) => [presentRun(run), { strategyId: run.strategyId, runId: run.id }],
    ),
    signal: ofUsers(
      async (changes) => {
        const viewers = await signals.viewers(changes.map(({ id }) => id))
        return changes.map(({ id }) => viewers.get(id) ?? [])
      },
      eachAlone((userId, ids) => signals.byId(userId, ids)),
      (signal) => {
        const { strategyId, runId, webhookId } = signal
        return [presentSignal(signal), { ...known({ strategyId, runId, webhookId }), webhookKind: 'bot' }]
      },
    ),
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
  }
}

type Shown = [record: object, of: Belonging]

/** The ids of the records that each user wants to see. */
type Wanted = ReadonlyMap<number, readonly number[]>
/** A record as this user sees it. */
type Seen<Item> = { userId: number; item: Item }
type Read<Item> = (wanted: Wanted) => Promise<Seen<Item>[]>

/** Reads the records of all users at once, because a statement for each of many users would cost more than the rest. */
function together<Item extends { userId: number }>(
  read: (userIds: readonly number[], ids: readonly number[]) => Promise<Item[]>,
): Read<Item> {
  return async (wanted) => {
    const items = await read([...wanted.keys()], [...wanted.values()].flat())
    return items.map((item) => ({ userId: item.userId, item }))
  }
}

/** Reads the records of one user after the other, where each sees something else in the same record. */
function eachAlone<Item>(read: (userId: number, ids: readonly number[]) => Promise<Item[]>): Read<Item> {
  return async (wanted) => {
    const seen: Seen<Item>[] = []
    for (const [userId, ids] of wanted) {
      for (const item of await read(userId, ids)) seen.push({ userId, item })
    }
    return seen
  }
}

/**
 * A source of records that their owners see.
 * @param usersOf the users who may see the record of each change
 * @param read those of the wanted records that their users may see: the last word about access
 */
function ofUsers<Item extends { id: number }>(
  usersOf: (changes: Change[], listeners: Listeners) => number[][] | Promise<number[][]>,
  read: Read<Item>,
  show: (item: Item) => Shown,
): Source {
  return async (changes, listeners) => {
    const users = await usersOf(changes, listeners)
    const wanted = new Map<number, number[]>()
    for (const [index, { id }] of changes.entries()) {
      for (const userId of users[index]!) {
        if (!listeners.has(userId)) continue
        const ids = wanted.get(userId)
        if (ids === undefined) wanted.set(userId, [id])
        else ids.push(id)
      }
    }
    const found = new Map<number, Found[]>()
    for (const { userId, item } of wanted.size === 0 ? [] : await read(wanted)) {
      const [record, of] = show(item)
      const seen = { ...of, userId, record }
      found.set(item.id, [...(found.get(item.id) ?? []), seen])
    }
    return changes.map(({ id }) => found.get(id) ?? [])
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

function known(of: { [Key in keyof BelongingIds]: number | null }): BelongingIds {
  return Object.fromEntries(Object.entries(of).filter(([, id]) => id !== null))
}

/** The owners of strategies or webhooks. They never change, so each is read once. */
class Owners {
  #read: PreparedStatement
  #known = new LRUCache<number, number>({ max: ownersLimit })

  /** @param table its rows have an `id` and a `user_id` */
  constructor(database: Database, table: 'strategies' | 'data_webhooks' | 'bot_signals') {
    const owners = `select id, user_id from ${table} where id = any($1::bigint[])`
    this.#read = database.prepare(`owners_of_${table}`, owners)
  }

  /** The owner of each, or nobody if it is gone. */
  async of(ids: (number | undefined)[]): Promise<number[][]> {
    const unknown = new Set(ids.filter((id) => id !== undefined && !this.#known.has(id)))
    if (unknown.size > 0) {
      for (const [id, userId] of await this.#read([`{${[...unknown].join()}}`])) {
        this.#known.set(Number(id), Number(userId))
      }
    }
    return ids.map((id) => {
      const owner = id === undefined ? undefined : this.#known.get(id)
      return owner === undefined ? [] : [owner]
    })
  }
}
