import { and, eq, inArray, sql } from 'drizzle-orm'
import type { Database, Db, PreparedStatement } from '../../db/database.ts'
import { isDeadSql, type Node } from '../../db/node.ts'
import {
  type BacktestModel,
  type BacktestPartKind,
  type BacktestResult,
  backtestParts,
  backtests,
} from '../../db/schema.ts'
import { storeNotification } from '../../notifications/store.ts'
import type { Checkpoint, Part } from './process/messages.ts'
import { presentResult } from './result-record.ts'

/** Its messages are ids of backtests that wait, or that no longer go on. */
export const channel = 'tickwright_backtests'

/** How a backtest ended. `error` is a sentence. */
export type Outcome = { digest: string; results: BacktestResult[]; model?: BacktestModel } | { error: string }

/** What changes when a backtest ends, however it does: nothing needs its candles and variables any more. */
export const ended = {
  finishedAt: sql`now()`,
  holder: null,
  candles: Buffer.alloc(0),
  funding: null,
  environment: Buffer.alloc(0),
}

export type HeldBacktest = typeof backtests.$inferSelect

/** Someone cancelled or deleted it, or another node holds it: what this node has of it is void. */
export class NoLongerHeld extends Error {
  override name = 'NoLongerHeld'
}

/**
 * Claims the first backtest that nobody executes: what a dead node has left, and what waits if its user has no other one
 * that runs.
 */
const claimSql = `
update backtests set status = 'RUNNING', holder = $1::uuid, started_at = coalesce(started_at, now())
where id = (
  select b.id from backtests b
  where b.status = 'RUNNING' and b.id <> all($2::bigint[])
      and (b.holder is null or b.holder = $1::uuid or ${isDeadSql('b.holder')})
    or b.status = 'QUEUED' and not exists (
      select from backtests r where r.user_id = b.user_id and r.status = 'RUNNING'
    )
  order by b.status = 'QUEUED', b.id limit 1
  for update skip locked
)
returning id`

const uniqueViolation = '23505'

/** What a node stores of the backtests that it executes. Each write checks that it still holds it. */
export class BacktestStore {
  #database: Database
  #node: Node
  #claim: PreparedStatement

  constructor(database: Database, node: Node) {
    this.#database = database
    this.#node = node
    this.#claim = database.prepare('claim_backtest', claimSql)
  }

  /**
   * Claims a backtest for this node; `undefined` if none waits.
   * @param running those that it executes
   */
  async claim(running: Iterable<number>): Promise<HeldBacktest | undefined> {
    const except = `{${[...running].join()}}`
    for (;;) {
      const id = await this.#claimOne(except)
      if (id === undefined) return undefined
      const [held] = await this.#database.db.select().from(backtests).where(this.#isHeld(id))
      // One that was cancelled in between has lost what it needs.
      if (held !== undefined) return held
    }
  }

  async #claimOne(running: string): Promise<number | undefined> {
    for (;;) {
      try {
        const [row] = await this.#claim([this.#node.id, running])
        return row === undefined ? undefined : Number(row[0])
      } catch (error) {
        // Another node has just begun another one of the same user.
        if ((error as { code?: string }).code !== uniqueViolation) throw error
      }
    }
  }

  /** The checkpoints of a backtest, or else what the code decided in another one of the user that has the same key. */
  async known({ id, userId, decisionsKey }: HeldBacktest) {
    const own = await this.#checkpointsOf(id)
    if (own.length > 0) return own
    const [other] = await this.#database.db
      .select({ id: backtests.id })
      .from(backtests)
      .where(
        and(
          eq(backtests.userId, userId),
          eq(backtests.decisionsKey, decisionsKey),
          eq(backtests.isDecided, true),
        ),
      )
      .limit(1)
    return other === undefined ? [] : await this.#checkpointsOf(other.id)
  }

  async #checkpointsOf(id: number): Promise<{ bot: number; arrival: Buffer; decided: Buffer[] }[]> {
    const kinds: BacktestPartKind[] = ['checkpoint', 'decided']
    const parts = await this.#database.db
      .select()
      .from(backtestParts)
      .where(and(eq(backtestParts.backtestId, id), inArray(backtestParts.kind, kinds)))
      .orderBy(backtestParts.bot, backtestParts.number)
    return parts
      .filter(({ kind }) => kind === 'checkpoint')
      .map(({ bot, content }) => ({
        bot,
        arrival: content,
        decided: parts
          .filter((part) => part.bot === bot && part.kind === 'decided')
          .map((part) => part.content),
      }))
  }

  /**
   * One after the other, in order: the parts of its series, the packed deliveries that its code runs on, what is known of a
   * model, or what came of the combinations of a sweep until now.
   */
  async *contents(id: number, kind: OwnKind): AsyncGenerator<Buffer> {
    for (let number = 0; ; number += 1) {
      const [part] = await this.#database.db
        .select({ content: backtestParts.content })
        .from(backtestParts)
        .where(and(isKindOf(id, kind), eq(backtestParts.number, number)))
      if (part === undefined) return
      yield part.content
    }
  }

  async isHeld(id: number): Promise<boolean> {
    return (await this.#database.db.$count(backtests, this.#isHeld(id))) > 0
  }

  async checkpoint(id: number, { runs, runsDone, parts, isDecided }: Checkpoint): Promise<void> {
    await this.#database.db.transaction(async (tx) => {
      await this.#change(tx, id, { runs, runsDone, error: null, ...(isDecided && { isDecided }) })
      for (const part of parts) await put(tx, id, part)
    })
  }

  async part(id: number, part: Part): Promise<void> {
    await this.#database.db.transaction(async (tx) => {
      await this.#hold(tx, id)
      await put(tx, id, part)
    })
  }

  /** @param isNotified whether its user may have an endpoint for the event */
  async finish(held: HeldBacktest, outcome: Outcome, isNotified: boolean): Promise<void> {
    await this.#database.db.transaction(async (tx) => {
      await this.#change(tx, held.id, {
        ...('error' in outcome ? { status: 'FAILED' as const, error: outcome.error } : finishedWith(outcome)),
        ...ended,
      })
      // The table of the sweep has what is worth keeping of the combinations.
      await tx.delete(backtestParts).where(isKindOf(held.id, 'series', 'delivery', 'model', 'combination'))
      if (isNotified) await storeNotification(tx, held.userId, 'backtest.finished', eventOf(held, outcome))
    })
  }

  /** It could not be executed to its end. @returns how often that has happened */
  async died(id: number): Promise<number> {
    return await this.#change(this.#database.db, id, { deaths: sql`${backtests.deaths} + 1` })
  }

  /** Says why it does not go on, as a sentence, until its next checkpoint. */
  async waits(id: number, reason: string): Promise<void> {
    await this.#change(this.#database.db, id, { error: reason })
  }

  /** Leaves a backtest to other nodes. */
  async release(id: number): Promise<void> {
    await this.#change(this.#database.db, id, { holder: null })
  }

  async #change(
    tx: Db,
    id: number,
    values: Parameters<ReturnType<typeof tx.update<typeof backtests>>['set']>[0],
  ) {
    const [changed] = await tx
      .update(backtests)
      .set(values)
      .where(this.#isHeld(id))
      .returning({ deaths: backtests.deaths })
    if (changed === undefined) throw new NoLongerHeld()
    return changed.deaths
  }

  async #hold(tx: Db, id: number): Promise<void> {
    const [held] = await tx.select({ id: backtests.id }).from(backtests).where(this.#isHeld(id)).for('update')
    if (held === undefined) throw new NoLongerHeld()
  }

  #isHeld(id: number) {
    const { holder, status } = backtests
    return and(eq(backtests.id, id), eq(holder, this.#node.id), eq(status, 'RUNNING'))
  }
}

/** Kinds that a backtest has once, for all of its bots. */
type OwnKind = 'series' | 'delivery' | 'model' | 'combination'

function isKindOf(id: number, ...kinds: OwnKind[]) {
  return and(eq(backtestParts.backtestId, id), eq(backtestParts.bot, 0), inArray(backtestParts.kind, kinds))
}

function finishedWith({ model, ...outcome }: Extract<Outcome, { digest: string }>) {
  return {
    ...{ status: 'FINISHED' as const, ...outcome, error: null, runsDone: sql`${backtests.runs}` },
    ...(model && {
      plan: sql`jsonb_set(${backtests.plan}, '{model}', ${JSON.stringify(model)}::jsonb)`,
    }),
  }
}

function eventOf({ id, strategyId, version, symbol, plan }: HeldBacktest, outcome: Outcome) {
  const of = { id, strategy_id: strategyId, version, symbol }
  if ('error' in outcome) return { ...of, status: 'FAILED', error: outcome.error, digest: null, bots: [] }
  const { digest, results } = outcome
  const bots = results.map((result, index) => ({ name: plan.bots[index]!.name, ...presentResult(result) }))
  return { ...of, status: 'FINISHED', error: null, digest, bots }
}

/** A part may be there already, from a node that died after it had stored it: it is the same. */
async function put(tx: Db, backtestId: number, { content, ...part }: Part): Promise<void> {
  const bytes = Buffer.from(content)
  const { bot, kind, number } = backtestParts
  await tx
    .insert(backtestParts)
    .values({ backtestId, ...part, content: bytes })
    .onConflictDoUpdate({
      target: [backtestParts.backtestId, bot, kind, number],
      set: { content: bytes, first: part.first, records: part.records },
    })
}
