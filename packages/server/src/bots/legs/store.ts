import { and, desc, eq, inArray, isNull, sql } from 'drizzle-orm'
import { decimal, plain } from '../../base/decimals.ts'
import type { Database, Db, PreparedStatement } from '../../db/database.ts'
import { isDeadSql } from '../../db/node.ts'
import { type LegStatus, type Protection, positionProtections, protectionLegs } from '../../db/schema.ts'
import { storeNotification } from '../../notifications/store.ts'
import type { LiveLeg, WantedLeg } from '../../trading/protection/legs.ts'
import type { Marks, Protected } from '../../trading/protection/plan.ts'
import { defaultUnprotected, type UnprotectedRules } from '../../trading/protection/unprotected.ts'
import { namedBot } from '../demo.ts'
import { lockHeld } from '../held-bot.ts'
import type { OrderSubscribers } from '../order-notifications.ts'
import { readPosition } from '../position-rows.ts'
import { keyOf } from '../protection/rows.ts'
import { liveLegStatuses } from './rows.ts'

/** A live leg, as the books have it. Times are in Unix milliseconds. */
export type StoredLeg = LiveLeg & {
  symbol: string
  openedAt: number
  exchangeId: string | null
  sentAt: number
  restsSince: number | null
  cancelAskedAt: number | null
  /** The id of the target that is in one order with it. */
  ocoClientId: string | null
}

/** What the books know about a symbol of a live bot that has a protection, or live legs. */
export type LegsRow = {
  botId: number
  userId: number
  symbol: string
  /** Of the exchange in the catalogue. */
  exchangeId: number
  /** `null`: there is no open position with a protection that counts. */
  protection: {
    generation: number
    settings: Protection
    position: Protected & { openedAt: number }
    marks: Marks
    /** Whether a close that the protection has queued, or an order of a leg, is not over. */
    isClosing: boolean
    /** The last close that the protection has queued. */
    closeId: number | null
    /** Whether the position was opened with it: its owner has not given it later. */
    isFromOpening: boolean
    /** Whether an order that opens or adds to the position is not over. */
    isOpening: boolean
    /** What became of its newest stop; `null`: there was none. */
    lastLeg: LegStatus | null
  } | null
  /** The time without a stop at the exchange: since when it is counted now, if it is; `null`: it never was. */
  unprotected: { openedAt: number; since: number | null } | null
  unprotectedRules: UnprotectedRules
  /** How the last comparison with the account ended; `null` before the first. */
  account: { differs: boolean; hasOthers: boolean } | null
  legs: StoredLeg[]
}

type Leg = typeof protectionLegs.$inferSelect
export type LegChange = Partial<
  Pick<typeof protectionLegs.$inferInsert, 'status' | 'reason' | 'exchangeId' | 'cancelAskedAt'>
>

const ms = (moment: string) => `round(extract(epoch from ${moment}) * 1000)`
const text = (number: string) => `trim_scale(${number})::text`

const rowsSql = `
select json_build_object('botId', k.bot_id, 'userId', b.user_id, 'symbol', k.symbol, 'exchangeId', b.exchange_id,
  'protection', case when q.side is not null and p.state <> 'CALLED_OFF' then json_build_object(
    'generation', p.generation, 'settings', p.settings,
    'position', json_build_object('side', q.side, 'size', ${text('q.size')}, 'entryPrice', ${text('q.entry_price')},
      'openedSize', ${text('p.opened_size')}, 'openedAt', ${ms('q.opened_at')}),
    'marks', json_build_object('bestPrice', ${text('p.best_price')}, 'targetsPassed', p.targets_passed,
      'stop', case when p.stop_price is not null and p.stop_reason is not null
        then json_build_object('price', ${text('p.stop_price')}, 'reason', p.stop_reason) end),
    'isClosing', exists (select from bot_signals w where w.id = p.close_id
      and w.status in ('DELAYED', 'QUEUED', 'WORKING', 'CLOSING', 'WAITING'))
      or exists (select from orders o where o.bot_id = p.bot_id and o.symbol = p.symbol and o.leg_id is not null
        and o.status in ('PLANNED', 'UNKNOWN', 'OPEN')),
    'closeId', p.close_id,
    'isFromOpening', p.order_id is not null,
    'isOpening', exists (select from orders o where o.bot_id = p.bot_id and o.symbol = p.symbol and o.purpose = 'open'
      and o.status in ('PLANNED', 'UNKNOWN', 'OPEN')),
    'lastLeg', (select l.status from protection_legs l
      where l.bot_id = p.bot_id and l.symbol = p.symbol and l.opened_at = p.opened_at
        and l.target is null
      order by l.generation desc limit 1)) end,
  'unprotected', case when u.bot_id is not null then
    json_build_object('openedAt', ${ms('u.opened_at')}, 'since', ${ms('u.since')}) end,
  'unprotectedRules', json_build_object(
    'seconds', coalesce((b.settings->>'unprotectedSeconds')::integer, ${defaultUnprotected.seconds}),
    'action', coalesce(b.settings->>'onUnprotected', '${defaultUnprotected.action}')),
  'account', case when r.bot_id is not null then
    json_build_object('differs', r.differs_since is not null, 'hasOthers', r.ignored_size <> 0) end,
  'legs', (select coalesce(json_agg(json_build_object('id', l.id, 'clientId', l.client_id, 'symbol', l.symbol,
      'openedAt', ${ms('l.opened_at')}, 'exchangeId', l.exchange_id, 'side', l.side, 'size', ${text('l.size')},
      'stop', ${text('l.stop')}, 'price', ${text('l.price')}, 'target', l.target, 'reason', l.stop_reason, 'ocoClientId', l.oco_client_id,
      'oco', case when l.oco_target is not null then json_build_object('target', l.oco_target, 'price', ${text('l.oco_price')}) end,
      'status', l.status,
      'sentAt', ${ms('l.sent_at')}, 'restsSince', ${ms('l.rests_since')}, 'cancelAskedAt', ${ms('l.cancel_asked_at')}) order by l.id), '[]')
    from protection_legs l
    where l.bot_id = k.bot_id and l.symbol = k.symbol and l.status in ('PLANNED', 'UNKNOWN', 'OPEN')))
from (
  select p.bot_id, p.symbol from position_protections p
  join positions q on q.bot_id = p.bot_id and q.symbol = p.symbol and q.opened_at = p.opened_at
  where q.side is not null and ($2::bigint is null or p.bot_id = $2) and ($3::text is null or p.symbol = $3)
  union
  select l.bot_id, l.symbol from protection_legs l
  where l.status in ('PLANNED', 'UNKNOWN', 'OPEN')
    and ($2::bigint is null or l.bot_id = $2) and ($3::text is null or l.symbol = $3)
) k
join bots b on b.id = k.bot_id and b.mode = 'live'
  and (b.holder is null or b.holder = $1::uuid or ${isDeadSql('b.holder')})
left join positions q on q.bot_id = k.bot_id and q.symbol = k.symbol
left join position_protections p on p.bot_id = k.bot_id and p.symbol = k.symbol and p.opened_at = q.opened_at
left join unprotected_times u on u.bot_id = k.bot_id and u.symbol = k.symbol and u.opened_at = q.opened_at
left join reconciliations r on r.bot_id = k.bot_id and r.symbol = k.symbol`

const mostGivenUp = 5
/** Final legs that became no order are kept for this long. */
const keptDays = 7

/** The legs of all bots, in the database. Only the node that holds a bot changes its legs. */
export class LegStore {
  #database: Database
  #nodeId: string
  #rows: PreparedStatement
  #subscribers: OrderSubscribers | undefined

  /** @param subscribers get the event `stop.refused`; default: nobody */
  constructor(database: Database, nodeId: string, subscribers?: OrderSubscribers) {
    this.#subscribers = subscribers
    this.#database = database
    this.#nodeId = nodeId
    this.#rows = database.prepare('protection_legs', rowsSql)
  }

  /** Of the bots that this node holds or may claim. */
  async rows(of: { botId?: number; symbol?: string } = {}): Promise<LegsRow[]> {
    const { botId, symbol } = of
    const rows = await this.#rows([this.#nodeId, botId ?? null, symbol ?? null])
    return rows.map(([json]) => JSON.parse(json!) as LegsRow)
  }

  /**
   * Stores a leg right before it is sent, if the position and its protection are still those that it was computed for.
   * @param how `sizeStep`: that of the market. `clientIdOf` makes its id, given its generation, or that of the target in one
   * order with it
   * @returns `null` if they are not
   * @throws {BotLost} if another node holds the bot
   */
  plan(
    { botId, symbol, protection }: LegsRow,
    leg: WantedLeg,
    { sizeStep, clientIdOf }: { sizeStep: string; clientIdOf(generation: number, role?: 'target'): string },
  ): Promise<StoredLeg | null> {
    return this.#database.db.transaction(async (tx) => {
      const { userId } = await lockHeld(tx, botId, this.#nodeId)
      const [row] = await tx.select().from(positionProtections).where(keyOf(botId, symbol)).for('update')
      const held = await readPosition(tx, botId, symbol)
      const of = protection?.position
      const isSame =
        row !== undefined &&
        row.generation === protection?.generation &&
        row.state !== 'CALLED_OFF' &&
        row.closeId === protection?.closeId &&
        held.openedAt === of?.openedAt &&
        held.side === of?.side &&
        held.size === of?.size
      if (!isSame || of === undefined) return null
      const openedAt = new Date(of.openedAt)
      const ofSymbol = and(eq(protectionLegs.botId, botId), eq(protectionLegs.symbol, symbol))
      const isOver = sql`${protectionLegs.status} in ('CANCELED', 'REJECTED')`
      const isOld = sql`${protectionLegs.updatedAt} < now() - make_interval(days => ${keptDays})`
      const isEarlier = sql`${protectionLegs.openedAt} <> ${openedAt.toISOString()}::timestamptz`
      await tx.delete(protectionLegs).where(and(ofSymbol, isOver, isOld, isEarlier))
      const [last] = await tx
        .select({ generation: sql<number>`coalesce(max(${protectionLegs.generation}), 0)::int` })
        .from(protectionLegs)
        .where(and(ofSymbol, eq(protectionLegs.openedAt, openedAt)))
      const generation = (last?.generation ?? 0) + 1
      const clientId = clientIdOf(generation)
      const { target, side, size, stop, price, reason: stopReason, oco = null } = leg
      const ocoClientId = oco === null ? null : clientIdOf(generation, 'target')
      const now = new Date()
      const [stored] = await tx
        .insert(protectionLegs)
        .values({
          ...{ botId, userId, symbol, openedAt, generation, clientId },
          ...{ target, side, size, sizeStep, stop, price, stopReason },
          ...{ sentAt: now, createdAt: now, updatedAt: now },
          ...{ ocoTarget: oco?.target ?? null, ocoPrice: oco?.price ?? null, ocoClientId },
        })
        .returning({ id: protectionLegs.id })
      // A close that is over has left something to protect.
      if (row.state === 'CLOSING') {
        await tx.update(positionProtections).set({ state: 'WATCHED' }).where(keyOf(botId, symbol))
      }
      return {
        ...leg,
        ...{ id: stored!.id, clientId, symbol, status: 'PLANNED', openedAt: of.openedAt },
        ...{ exchangeId: null, sentAt: now.getTime(), restsSince: null, cancelAskedAt: null, ocoClientId },
      }
    })
  }

  /** Legs that were given up a while ago, and that the exchange may have received after all. */
  async neverArrived(botId: number, symbol: string): Promise<StoredLeg[]> {
    const rows = await this.#database.db
      .select()
      .from(protectionLegs)
      .where(
        and(
          ...[eq(protectionLegs.botId, botId), eq(protectionLegs.symbol, symbol)],
          ...[eq(protectionLegs.status, 'REJECTED'), isNull(protectionLegs.exchangeId)],
          sql`${protectionLegs.updatedAt} > now() - interval '1 day'`,
        ),
      )
      .orderBy(desc(protectionLegs.id))
      .limit(mostGivenUp)
    return rows.map((row) => ({
      ...{ ...pick(row), symbol, status: 'UNKNOWN', restsSince: null, cancelAskedAt: null },
      ...{ size: exact(row.size), stop: exact(row.stop), price: exact(row.price), reason: row.stopReason },
      ...{ openedAt: row.openedAt.getTime(), sentAt: row.sentAt.getTime() },
    }))
  }

  /**
   * Stores what the exchange says about a leg that is not final.
   * @param isNews whether its owner is told that the exchange does not keep the stop
   * @throws {BotLost}
   */
  async note(botId: number, legId: number, change: LegChange, isNews = false): Promise<void> {
    const now = new Date()
    const isTold = await this.#database.db.transaction(async (tx) => {
      await lockHeld(tx, botId, this.#nodeId)
      const [leg] = await tx
        .update(protectionLegs)
        .set({
          ...{ ...change, updatedAt: now },
          ...(change.status === 'OPEN' && {
            restsSince: sql`coalesce(${protectionLegs.restsSince}, ${now.toISOString()})`,
          }),
        })
        .where(and(eq(protectionLegs.id, legId), inArray(protectionLegs.status, [...liveLegStatuses])))
        .returning()
      if (leg === undefined || !isNews || this.#subscribers?.hears(leg.userId) !== true) return false
      await storeNotification(tx, leg.userId, 'stop.refused', await newsOf(tx, leg))
      return true
    })
    if (isTold) this.#subscribers?.onTold()
  }
}

/** The data of `stop.refused`. */
async function newsOf(
  tx: Db,
  { botId, symbol, stop, reason, updatedAt }: Leg,
): Promise<Record<string, unknown>> {
  const named = await namedBot(tx, botId)
  return { ...named, symbol, stop_price: exact(stop), reason, at: updatedAt.toISOString() }
}

function pick({ id, clientId, target, side, exchangeId, ocoTarget, ocoPrice, ocoClientId }: Leg) {
  const oco = ocoTarget === null || ocoPrice === null ? null : { target: ocoTarget, price: exact(ocoPrice) }
  return { id, clientId, target, side, exchangeId, oco, ocoClientId }
}

function exact(numeric: string): string {
  return plain(decimal(numeric))
}
