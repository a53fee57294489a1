import { and, eq, inArray, sql } from 'drizzle-orm'
import { decimal } from '../../base/decimals.ts'
import { isDue } from '../../base/due.ts'
import type { Database, Db } from '../../db/database.ts'
import {
  type BotSignalStatus,
  bareSymbol,
  botSignals,
  bots,
  positionProtections,
  signals,
} from '../../db/schema.ts'
import type { MarketRules } from '../../market/rules.ts'
import { flatPosition } from '../../trading/ledger.ts'
import { planClose } from '../../trading/plan.ts'
import { covers } from '../../trading/protection/legs.ts'
import type { MissedCourse } from '../../trading/protection/missed.ts'
import {
  betterMarks,
  isStopReason,
  judge,
  type Marks,
  type NextStep,
  type Protected,
} from '../../trading/protection/plan.ts'
import { readPosition } from '../position-rows.ts'
import { openStatuses } from '../queued-closes.ts'
import { type CloseRows, nextCloseAt, pausesMs, type StoredClose, storeClose } from './close-rows.ts'
import {
  type ExitRow,
  type LiveLeg,
  type LockedExit,
  lockSql,
  readOneSql,
  readSeveralSql,
  writeSql,
} from './exits-sql.ts'
import { columnsOf, keyOf, marksOf, type ProtectionRow, protectedOf } from './rows.ts'
import type { WatchedPosition } from './store.ts'

/**
 * `kept`: the exchange has an order for it, which comes first. `none`: nothing needs to be closed now. `dust`: what it
 * would close is too small for an order.
 */
export type ExitOutcome = StoredClose | 'none' | 'dust' | 'kept'

type Close = Extract<NextStep, { step: 'close' }>

/** A position that may have to be closed. */
export type ToExit = Omit<WatchedPosition, 'userId' | 'missedSince' | 'kept' | 'rules'> &
  Partial<Pick<WatchedPosition, 'kept'>>

export type ExitOptions = {
  /** Leaves a stop to the order that rests for it at the exchange, if there is one. */
  isExchangeFirst?: boolean
  /** Closes the position because the exchange keeps refusing its stop, if nothing else closes all of it. */
  isUnprotected?: boolean
}

/** The statuses of an opening that a close can cancel, or that comes before it. */
const openingStatuses: readonly BotSignalStatus[] = ['QUEUED', 'WORKING']
/** The statuses of a close that may still close something. */
const pendingStatuses = [...openStatuses, 'DELAYED' as const, 'WAITING' as const]

/** A position to be judged again. `rules`: of the market; `null` if they are not known now. */
export type ExitRequest = {
  position: ToExit
  at: { price: string | null; now: number }
  rules: MarketRules | null
  options?: ExitOptions
}

/** Does what {@link queueExits} does, for a single position. */
export async function queueExit(database: Database, request: ExitRequest): Promise<ExitOutcome> {
  const [outcome] = await queueUnlocked(database, [request])
  return outcome ?? 'none'
}

/**
 * Judges positions of one bot again, with what the database has now, and queues the closes that they need for the one path
 * by which the bot follows signals. Only one call queues them, on whatever node, because each of them locks the bot. The
 * closes, the marks and the states are one transaction, so no crash comes in between.
 * @param requests of different symbols
 * @returns what became of each of them
 */
export async function queueExits(
  database: Database,
  requests: readonly ExitRequest[],
): Promise<ExitOutcome[]> {
  const outcomes = await queueUnlocked(database, requests)
  const all: ExitOutcome[] = []
  // Those that were locked are judged one by one, so that this waits for no two locks at the same time.
  for (const [index, request] of requests.entries()) {
    all.push(outcomes[index] ?? (requests.length === 1 ? 'none' : await queueExit(database, request)))
  }
  return all
}

/** @returns `undefined` for those that it has not found, or, of several, those that were locked */
function queueUnlocked(
  database: Database,
  requests: readonly ExitRequest[],
): Promise<(ExitOutcome | undefined)[]> {
  const { botId } = requests[0]!.position
  const wanted = requests.map(({ position: { symbol, generation } }) => ({ symbol, generation }))
  const [name, readSql] =
    requests.length === 1 ? ['exit_position', readOneSql] : ['exit_positions', readSeveralSql]
  return database.db.transaction(async (tx) => {
    const [bot] = await database.prepare('lock_bot', lockSql)([botId], tx)
    if (bot === undefined) return requests.map(() => 'none' as const)
    const rows = await database.prepare(name, readSql)([botId, JSON.stringify(wanted)], tx)
    const found = new Map(
      rows.map(([json]) => JSON.parse(json!) as LockedExit).map((row) => [row.symbol, row]),
    )
    const closes = new Map<string, ExitRow>()
    const outcomes: (ExitOutcome | undefined)[] = []
    for (const request of requests) {
      const row = found.get(request.position.symbol)
      const judged = row && (await judgeLocked(tx, row, request))
      if (typeof judged === 'object') closes.set(judged.symbol, judged)
      outcomes.push(typeof judged === 'object' ? undefined : judged)
    }
    if (closes.size === 0) return outcomes
    const at = new Date(requests[0]!.at.now).toISOString()
    const values = [botId, Number(bot[0]), at, JSON.stringify([...closes.values()])]
    const stored = await database.prepare('queue_exits', writeSql)(values, tx)
    const queued = new Map(
      stored.map(([symbol, signalId, id]) => [
        symbol!,
        { signalId: Number(signalId), botSignalId: Number(id) },
      ]),
    )
    return requests.map(({ position: { symbol } }, index) => queued.get(symbol) ?? outcomes[index])
  })
}

/** @returns the close that the position needs, or why it needs none */
async function judgeLocked(
  tx: Db,
  row: LockedExit,
  { position: { botId, symbol, position, marks, kept = [] }, at, rules, options = {} }: ExitRequest,
): Promise<ExitRow | 'none' | 'dust' | 'kept'> {
  const { isExchangeFirst = false, isUnprotected = false } = options
  const held = row.held ?? flatPosition()
  const now = protectedOf(held, { ...row, openedAt: new Date(row.openedAt) })
  if (row.state === 'CALLED_OFF' || now === undefined || now.openedAt !== position.openedAt) return 'none'
  const judged = judge(now, row.settings, betterMarks(now.side, marksOf(row), marks), { ...at, kept })
  const next = isUnprotected ? unprotected(judged.next) : judged.next
  if (next.step !== 'close') return 'none'
  if (isTarget(next) && hasLiveTarget(row.legs, judged.marks)) return 'kept'
  if (isExchangeFirst && isStop(next) && isKept(row.legs, now, next, rules)) return 'kept'
  const last = row.last ?? undefined
  const queue = { botId, symbol, retryAt: row.retryAt }
  if (!(await isNeeded(tx, queue, last, next, at.now))) return 'none'
  const size = next.size === null ? undefined : decimal(next.size)
  if (rules !== null && planClose(held, rules, at.price, size) === null) return 'dust'
  const attempts = last === undefined || last.status === 'DONE' ? 1 : row.attempts + 1
  const { bestPrice, stopPrice, stopReason, targetsPassed } = columnsOf(judged.marks)
  return {
    ...{ symbol, origin: next.reason, options: partOf(next).options ?? {} },
    ...{ price: at.price === null ? null : Number(at.price), attempts },
    ...{ best: bestPrice, stop: stopPrice, reason: stopReason, passed: targetsPassed },
    state: next.size === null ? 'CLOSING' : 'WATCHED',
    retry_at: nextCloseAt(at.now, attempts).toISOString(),
  }
}

/** What the database has of a watched position, until the transaction ends. */
async function lockPosition(
  tx: Db,
  { botId, symbol, generation }: Pick<WatchedPosition, 'botId' | 'symbol' | 'generation'>,
) {
  // The lock that every order and every fill takes.
  const [bot] = await tx.select({ userId: bots.userId }).from(bots).where(eq(bots.id, botId)).for('update')
  const [row] = await tx
    .select()
    .from(positionProtections)
    .where(and(keyOf(botId, symbol), eq(positionProtections.generation, generation)))
    .for('update')
  return { bot, row, held: await readPosition(tx, botId, symbol) }
}

/** The size of a close of a part counts also for bots that ignore the sizes of signals. */
function partOf({ size }: { size: string | null }): Pick<CloseRows, 'options'> {
  return size === null ? {} : { options: { size: Number(size), forceSize: true } }
}

function unprotected(next: NextStep): Close {
  if (next.step === 'close' && next.size === null) return next
  return { step: 'close', size: null, reason: 'unprotected', at: null }
}

function isStop({ size, reason }: Close): boolean {
  return size === null && isStopReason(reason)
}

function isTarget({ reason }: Close): boolean {
  return reason === 'take_profit'
}

/** Whether an order that rests, or may rest, at the exchange closes what a target that was reached should close. */
function hasLiveTarget(legs: readonly LiveLeg[], { targetsPassed }: Marks): boolean {
  const isReached = (target: number | null) => target !== null && target <= targetsPassed
  return legs.some(({ target, ocoTarget }) => isReached(target) || isReached(ocoTarget))
}

/** Whether an order at the exchange closes the position at this stop. */
function isKept(
  legs: readonly LiveLeg[],
  { side, size }: Protected,
  { at }: Close,
  rules: MarketRules | null,
): boolean {
  if (at === null) return false
  const of = { side, size, ...(rules && { sizeStep: rules.sizeStep }) }
  return legs.some((leg) => leg.target === null && covers(leg, of, { price: at }))
}

/**
 * Stores what came of prices that nobody watched, and queues the close that they would have caused: one transaction, so
 * that nothing of it happens twice, whatever dies meanwhile.
 */
export function settleMissed(
  database: Database,
  { botId, symbol, generation, position }: WatchedPosition,
  { marks, close }: MissedCourse,
  now: number,
  rules: MarketRules | null,
): Promise<ExitOutcome> {
  return database.db.transaction(async (tx) => {
    const { bot, row, held } = await lockPosition(tx, { botId, symbol, generation })
    // Another node may have settled it, or a signal has changed the position: then the next look reads it again.
    if (bot === undefined || row?.missedSince == null) return 'none'
    const isSame = held.openedAt === position.openedAt && held.size === position.size
    if (!isSame && held.side !== null) return 'none'
    const settled = { ...columnsOf(marks), missedSince: null, updatedAt: new Date() }
    const size = close === null || close.size === null ? undefined : decimal(close.size)
    const isPossible =
      isSame && (rules === null || planClose(held, rules, close?.price ?? null, size) !== null)
    const wanted = close !== null && isPossible && !(await isPending(tx, row)) ? close : null
    if (wanted === null) {
      await tx.update(positionProtections).set(settled).where(keyOf(botId, symbol))
      return 'none'
    }
    const queued = await storeClose(tx, {
      ...{ botId, userId: bot.userId, symbol, origin: wanted.reason, at: new Date(now) },
      price: Number(wanted.price),
      ...partOf(wanted),
    })
    await tx
      .update(positionProtections)
      .set({
        ...settled,
        ...{ closeId: queued.botSignalId, missedPrice: wanted.price, attempts: 1 },
        state: wanted.size === null ? 'CLOSING' : 'WATCHED',
        retryAt: nextCloseAt(now, 1),
      })
      .where(keyOf(botId, symbol))
    return queued
  })
}

/** Whether a close of the symbol is on its way. */
async function isPending(tx: Db, row: ProtectionRow): Promise<boolean> {
  const last = await lastClose(tx, row)
  return pendingStatuses.some((status) => status === last?.status) || (await isBusy(tx, row))
}

type LastClose = NonNullable<LockedExit['last']>

/** The last close that this protection queued. */
async function lastClose(tx: Db, { closeId }: ProtectionRow): Promise<LastClose | undefined> {
  if (closeId === null) return undefined
  const [last] = await tx
    .select({ status: botSignals.status, origin: signals.origin })
    .from(botSignals)
    .innerJoin(signals, eq(signals.id, botSignals.signalId))
    .where(eq(botSignals.id, closeId))
  return last
}

/**
 * A close of the whole position does not wait for one of a part: it replaces it. A close of a part waits until nothing but
 * an opening happens in the symbol, because it must replace no larger close.
 */
async function isNeeded(
  tx: Db,
  row: { botId: number; symbol: string; retryAt: number | null },
  last: LastClose | undefined,
  { size }: Close,
  now: number,
): Promise<boolean> {
  const isPending = pendingStatuses.some((status) => status === last?.status)
  const wasPart = last?.origin === 'take_profit'
  if (size === null && wasPart) return true
  if (isPending) return false
  const waits = row.retryAt !== null && !isDue(row.retryAt, now, pausesMs)
  if (last !== undefined && last.status !== 'DONE' && waits) return false
  return size === null || (await isAtMostOpening(tx, row))
}

/**
 * Whether nothing but openings of the position is in progress in the symbol. A close cancels what of them rests or is still
 * open, and then closes a part of what they have executed.
 */
async function isAtMostOpening(
  tx: Db,
  { botId, symbol }: Pick<ProtectionRow, 'botId' | 'symbol'>,
): Promise<boolean> {
  const { side } = await readPosition(tx, botId, symbol)
  const pending = await tx
    .select({ status: botSignals.status, action: signals.action })
    .from(botSignals)
    .innerJoin(signals, eq(signals.id, botSignals.signalId))
    .where(pendingOf(botId, symbol))
  const opens = side === 'long' ? 'LONG' : 'SHORT'
  return pending.every(({ status, action }) => action === opens && openingStatuses.includes(status))
}

async function isBusy(tx: Db, { botId, symbol }: ProtectionRow): Promise<boolean> {
  return (await tx.$count(botSignals, pendingOf(botId, symbol))) > 0
}

function pendingOf(botId: number, symbol: string) {
  const isOpen = and(eq(botSignals.botId, botId), inArray(botSignals.status, pendingStatuses))
  return and(isOpen, eq(bareSymbol(botSignals.symbol), bareSymbol(sql`${symbol}::text`)))
}
