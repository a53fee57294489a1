import { and, asc, eq, getTableColumns, gt, isNull, sql } from 'drizzle-orm'
import { notFound } from '../base/errors.ts'
import type { Database } from '../db/database.ts'
import type { Slot } from '../db/reads.ts'
import {
  approvals,
  botSignals,
  bots,
  botWebhookDeliveries,
  botWebhooks,
  dataWebhooks,
  deliveries,
  fills,
  orders,
  runs,
  runTranscripts,
  signals,
  strategies,
  strategyState,
} from '../db/schema.ts'
import { asksModel } from '../db/strategy-types.ts'
import { addBots } from './bot-steps.ts'
import { addMissingReactions } from './missing-reactions.ts'
import type { BotRow, ChangeRow, ReactionRow, RunRow, SignalDeliveryRow } from './rows.ts'
import { addDelivery, addRun, addSignalDelivery } from './run-steps.ts'
import { type Step, Timeline } from './timeline.ts'

export type RunTrace = { row: RunRow; bots: BotRow[]; timeline: Timeline }

type TracedDelivery = Pick<
  typeof deliveries.$inferSelect,
  'id' | 'webhookId' | 'receivedAt' | 'storedAt' | 'reactions'
>

/** `runs` are the user's own, at most {@link mostRuns}, the first ones. */
export type DeliveryTrace = {
  delivery: TracedDelivery
  runs: RunRow[]
  bots: BotRow[]
  timeline: Timeline
}

/** `bots` are the user's own. */
export type SignalDeliveryTrace = { delivery: SignalDeliveryRow; bots: BotRow[]; timeline: Timeline }

/** A webhook may trigger hundreds of reactions, and each replay triggers all of them again. */
export const mostRuns = 20
/** Reactions whose absence the trace of a delivery explains. */
const mostReactions = 20
/** More than the models of so many runs may make. */
const mostChanges = 100
/** Rows of bots, orders and fills: a signal may go to a thousand bots. */
const mostBotRows = 1_000

const { seen: _, clock: __, ...columnsOfRun } = getTableColumns(runs)

const columnsOf = {
  run: columnsOfRun,
  delivery: { id: deliveries.id, receivedAt: deliveries.receivedAt, storedAt: deliveries.storedAt },
  signal: {
    ...{ id: signals.id, action: signals.action, symbols: signals.symbols, price: signals.price },
    ...{ reason: signals.reason, createdAt: signals.createdAt },
  },
  approval: {
    ...{ id: approvals.id, action: approvals.action, symbols: approvals.symbols, status: approvals.status },
    createdAt: approvals.createdAt,
    expiresAt: approvals.expiresAt,
    decidedAt: approvals.decidedAt,
  },
  botSignal: {
    ...{ id: botSignals.id, botId: botSignals.botId, signalId: botSignals.signalId },
    ...{ symbol: botSignals.symbol, status: botSignals.status, reason: botSignals.reason },
    ...{ refusals: botSignals.refusals, queuedAt: botSignals.queuedAt, dueAt: botSignals.dueAt },
    finishedAt: botSignals.finishedAt,
  },
  order: {
    ...{ id: orders.id, symbol: orders.symbol, side: orders.side, purpose: orders.purpose },
    ...{ size: orders.size, filledSize: orders.filledSize, averagePrice: orders.averagePrice },
    ...{ status: orders.status, reason: orders.reason, createdAt: orders.createdAt },
    ...{ sentAt: orders.sentAt, acknowledgedAt: orders.acknowledgedAt, updatedAt: orders.updatedAt },
  },
  fill: {
    ...{ id: fills.id, size: fills.size, price: fills.price, fee: fills.fee, feeAsset: fills.feeAsset },
    ...{ filledAt: fills.filledAt, bookedAt: fills.bookedAt },
  },
}

/** Reads everything that happened because of a payload or in a run. What belongs to other users is not in it. */
export class Traces {
  #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** @throws {AppError} 404 if the user has no such run */
  async ofRun(userId: number, id: number): Promise<RunTrace> {
    const { read } = this.#database
    const [row] = await read('traced_run', { userId, id }, ({ userId, id }) =>
      this.#selectRuns(userId, eq(runs.id, id)),
    )
    if (row === undefined) throw notFound('run', id)
    const timeline = new Timeline()
    const isReplay = row.run.trigger === 'replay'
    const cause = row.delivery === null || isReplay ? undefined : addDelivery(timeline, row.delivery)
    const bots = await this.#addRuns(timeline, userId, [row], cause)
    return { row, bots, timeline }
  }

  /** @throws {AppError} 404 unless the user owns the webhook that received it */
  async ofDelivery(userId: number, id: number): Promise<DeliveryTrace> {
    const { db, read } = this.#database
    const [delivery] = await read('traced_delivery', { userId, id }, ({ userId, id }) =>
      db
        .select({ ...columnsOf.delivery, webhookId: deliveries.webhookId, reactions: deliveries.reactions })
        .from(deliveries)
        .innerJoin(dataWebhooks, eq(dataWebhooks.id, deliveries.webhookId))
        .where(and(eq(deliveries.id, id), eq(dataWebhooks.userId, userId))),
    )
    if (delivery === undefined) throw notFound('delivery', id)
    const most = mostRuns + 1
    const [found, reactions] = await Promise.all([
      read('traced_runs', { userId, id, most }, ({ userId, id, most }) =>
        this.#selectRuns(userId, eq(runs.deliveryId, id)).orderBy(asc(runs.id)).limit(most),
      ),
      this.#reactionsWithout(userId, delivery),
    ])
    const timeline = new Timeline()
    const stored = addDelivery(timeline, delivery)
    addMissingReactions(timeline, delivery, reactions, stored)
    const shown = found.slice(0, mostRuns)
    if (found.length > mostRuns) timeline.endWith(`Only the first ${mostRuns} runs are shown.`)
    const bots = await this.#addRuns(timeline, userId, shown, stored)
    return { delivery, runs: shown, bots, timeline }
  }

  /** @throws {AppError} 404 unless the user owns the bot webhook, and it received this */
  async ofSignalDelivery(userId: number, webhookId: number, id: number): Promise<SignalDeliveryTrace> {
    const { db, read } = this.#database
    const { receivedAt, storedAt, bots: taken } = botWebhookDeliveries
    const of = { userId, webhookId, id }
    const [delivery] = await read('traced_signal_delivery', of, ({ userId, webhookId, id }) =>
      db
        .select({
          ...{ id: botWebhookDeliveries.id, webhookId: botWebhookDeliveries.webhookId },
          ...{ receivedAt, storedAt, bots: taken, signal: columnsOf.signal },
        })
        .from(botWebhookDeliveries)
        .innerJoin(botWebhooks, eq(botWebhooks.id, botWebhookDeliveries.webhookId))
        .innerJoin(signals, eq(signals.id, botWebhookDeliveries.id))
        .where(
          and(
            eq(botWebhookDeliveries.id, id),
            eq(botWebhookDeliveries.webhookId, webhookId),
            eq(botWebhooks.userId, userId),
          ),
        ),
    )
    if (delivery === undefined) throw notFound('delivery', id)
    const timeline = new Timeline()
    const signal = addSignalDelivery(timeline, delivery)
    const bots = await this.#addBots(timeline, userId, new Map([[delivery.signal.id, signal]]))
    return { delivery, bots, timeline }
  }

  #selectRuns(userId: Slot<number>, which: ReturnType<typeof eq>) {
    const isSuspension = sql`(${strategyState.suspension} ->> 'run_id')::bigint = ${runs.id}`
    return this.#database.db
      .select({
        run: columnsOf.run,
        strategy: { name: strategies.name, type: strategies.type },
        delivery: columnsOf.delivery,
        signal: columnsOf.signal,
        approval: columnsOf.approval,
        transcript: runTranscripts.text,
        suspendedUntil: strategyState.suspendedUntil,
      })
      .from(runs)
      .innerJoin(strategies, eq(strategies.id, runs.strategyId))
      .leftJoin(deliveries, eq(deliveries.id, runs.deliveryId))
      .leftJoin(signals, eq(signals.runId, runs.id))
      .leftJoin(approvals, and(eq(approvals.runId, runs.id), eq(approvals.kind, 'action')))
      .leftJoin(runTranscripts, eq(runTranscripts.runId, runs.id))
      .leftJoin(strategyState, and(eq(strategyState.strategyId, runs.strategyId), isSuspension))
      .where(and(which, eq(strategies.userId, userId)))
      .$dynamic()
  }

  /** The owner's reactions that are attached to the webhook of a delivery, and that it did not trigger. */
  #reactionsWithout(userId: number, { id, webhookId }: TracedDelivery): Promise<ReactionRow[]> {
    const { db, read } = this.#database
    const given = { userId, webhookId, id, most: mostReactions }
    return read('traced_reactions', given, ({ userId, webhookId, id, most }) => {
      const ofIt = and(
        eq(runs.deliveryId, id),
        eq(runs.strategyId, strategies.id),
        eq(runs.trigger, 'webhook'),
      )
      return db
        .select({
          id: strategies.id,
          status: strategies.status,
          createdAt: strategies.createdAt,
          updatedAt: strategies.updatedAt,
          suspendedUntil: strategyState.suspendedUntil,
          lastViolationAt: strategyState.lastViolationAt,
        })
        .from(strategies)
        .innerJoin(strategyState, eq(strategyState.strategyId, strategies.id))
        .leftJoin(runs, ofIt)
        .where(and(eq(strategies.dataWebhookId, webhookId), eq(strategies.userId, userId), isNull(runs.id)))
        .orderBy(asc(strategies.id))
        .limit(most)
    })
  }

  async #addRuns(
    timeline: Timeline,
    userId: number,
    rows: readonly RunRow[],
    cause: Step | undefined,
  ): Promise<BotRow[]> {
    const causes = new Map<number, Step>()
    const changes = await this.#changesOf(userId, rows)
    for (const row of rows) {
      const own = changes.filter(({ runId }) => runId === row.run.id)
      const signal = addRun(timeline, { ...row, changes: own }, Date.now(), cause)
      if (signal !== undefined) causes.set(row.signal!.id, signal)
    }
    return this.#addBots(timeline, userId, causes)
  }

  /** The changes of strategies that the models of these runs made or asked for. */
  async #changesOf(userId: number, rows: readonly RunRow[]): Promise<ChangeRow[]> {
    const { db, read } = this.#database
    const runIds = rows.filter(({ strategy }) => asksModel(strategy.type)).map(({ run }) => run.id)
    if (runIds.length === 0) return []
    return read('traced_changes', { userId, runIds, most: mostChanges }, ({ userId, runIds, most }) =>
      db
        .select({
          ...{ id: approvals.id, runId: approvals.runId, status: approvals.status },
          ...{
            createdAt: approvals.createdAt,
            expiresAt: approvals.expiresAt,
            decidedAt: approvals.decidedAt,
          },
          ...{ targetId: strategies.id, targetName: strategies.name },
          turned: sql<'ACTIVE' | 'INACTIVE' | null>`${approvals.change} ->> 'status'`,
        })
        .from(approvals)
        .innerJoin(strategies, eq(strategies.id, approvals.targetId))
        .where(
          and(
            sql`${approvals.runId} = any(${runIds})`,
            eq(approvals.userId, userId),
            gt(approvals.number, 0),
          ),
        )
        .orderBy(asc(approvals.id))
        .limit(most),
    )
  }

  /** @param causes the step of each signal */
  async #addBots(timeline: Timeline, userId: number, causes: ReadonlyMap<number, Step>): Promise<BotRow[]> {
    const found = causes.size === 0 ? [] : await this.#botsOf(userId, [...causes.keys()])
    addBots(timeline, found, causes)
    if (found.length === mostBotRows)
      timeline.endWith(`Only the first ${mostBotRows} bots, orders and fills are shown.`)
    return found
  }

  #botsOf(userId: number, signalIds: readonly number[]): Promise<BotRow[]> {
    const { db, read } = this.#database
    return read('traced_bots', { userId, signalIds, most: mostBotRows }, ({ userId, signalIds, most }) =>
      db
        .select({
          botSignal: columnsOf.botSignal,
          bot: { name: bots.name, mode: bots.mode },
          order: columnsOf.order,
          fill: columnsOf.fill,
        })
        .from(bots)
        // By bot and signal, because the index begins with these columns.
        .innerJoin(
          botSignals,
          and(eq(botSignals.botId, bots.id), sql`${botSignals.signalId} = any(${signalIds})`),
        )
        .leftJoin(orders, eq(orders.botSignalId, botSignals.id))
        .leftJoin(fills, eq(fills.orderId, orders.id))
        .where(eq(bots.userId, userId))
        .orderBy(asc(botSignals.id), asc(orders.id), asc(fills.id))
        .limit(most),
    )
  }
}
