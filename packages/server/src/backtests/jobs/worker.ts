import { setTimeout as sleep } from 'node:timers/promises'
import type { HttpRequest, HttpResponse } from '@tickwright/sandbox'
import { isDatabaseAway } from '../../base/failures.ts'
import { Sweeper } from '../../base/sweeper.ts'
import type { Config } from '../../config.ts'
import type { Database } from '../../db/database.ts'
import type { Node } from '../../db/node.ts'
import type { Announce } from '../../live/changes.ts'
import type { Vault } from '../../secrets/vault.ts'
import { openEnvironment } from './environment.ts'
import { type LiveAccess, type LiveParts, openLive } from './live-access.ts'
import { Outages } from './outages.ts'
import { type BeforeStart, executeJob, ProcessDied } from './process/process.ts'
import { BacktestStore, channel, type HeldBacktest, NoLongerHeld, type Outcome } from './store.ts'

/** Announcements start backtests at once; this finds those that a dead node has left. */
const sweepMs = 5_000
/** No live run gets an answer of a backtest from the cache, nor one of another backtest. Test runs have larger numbers. */
const firstOwnerId = 2 ** 51
/** So many processes of a backtest may die. */
const mostDeaths = 3

/** The users with notification endpoints, as far as this node knows. */
type BacktestSubscribers = {
  hears(userId: number): boolean
  /** Called when a notification is committed. */
  onTold(): void
}

export type BacktestWorkerParts = {
  config: Pick<
    Config,
    'backtestExecutors' | 'backtestPriority' | 'sandboxJit' | 'sandboxRunsPerIsolate' | 'publicUrl'
  >
  database: Database
  node: Node
  vault: Vault
  onError(error: unknown, backtestId: number): void
  /** Sends a request of code, as `$.Http` does live. `ownerId` is one that no strategy has. */
  send(ownerId: number, request: HttpRequest, signal: AbortSignal): Promise<HttpResponse>
  ai: LiveParts
  /** Get the event `backtest.finished`. */
  subscribers: BacktestSubscribers
  /** Tells live streams. */
  announce: Announce
  /** The first pause after the database was away, in ms; default: a second. */
  firstPauseMs?: number
}

/** Executes backtests on this node, each in a process of its own. Without a backtest, there is no process. */
export class BacktestWorker {
  #parts: BacktestWorkerParts
  #store: BacktestStore
  #sweeper: Sweeper
  #outages: Outages
  #running = new Map<number, { stop: AbortController; ended: Promise<void> }>()

  constructor(parts: BacktestWorkerParts) {
    this.#parts = parts
    this.#store = new BacktestStore(parts.database, parts.node)
    this.#outages = new Outages(parts.firstPauseMs)
    this.#sweeper = new Sweeper({
      work: () => this.#look(),
      everyMs: sweepMs,
      onError: (error) => parts.onError(error, 0),
    })
  }

  async start(): Promise<void> {
    await this.#parts.database.listen(
      channel,
      (id) => {
        void this.#recheck(Number(id))
        this.#sweeper.wake()
      },
      () => this.#sweeper.wake(),
    )
    this.#sweeper.start()
  }

  /** Leaves what it executes to other nodes, which go on from the last checkpoint. */
  async stop(): Promise<void> {
    await this.#sweeper.stop()
    for (const { stop } of this.#running.values()) stop.abort(new Draining())
    await Promise.all([...this.#running.values()].map(({ ended }) => ended))
  }

  async #look(): Promise<void> {
    const { node, config } = this.#parts
    while (this.#running.size < config.backtestExecutors && node.mayWork() && !this.#sweeper.isStopped) {
      const held = await this.#store.claim(this.#running.keys())
      if (held === undefined) return
      const stop = new AbortController()
      const ended = this.#execute(held, stop.signal).finally(() => {
        this.#running.delete(held.id)
        this.#sweeper.wake()
      })
      this.#running.set(held.id, { stop, ended })
      // It may have been cancelled before this node knew that it runs here.
      void this.#recheck(held.id)
    }
  }

  /** Stops a backtest if it was cancelled or deleted. */
  async #recheck(id: number): Promise<void> {
    const running = this.#running.get(id)
    if (running === undefined) return
    try {
      if (!(await this.#store.isHeld(id))) running.stop.abort(new NoLongerHeld())
    } catch (error) {
      // Its next checkpoint finds out.
      this.#parts.onError(error, id)
    }
  }

  /** Never rejects. */
  async #execute(held: HeldBacktest, stop: AbortSignal): Promise<void> {
    const { onError } = this.#parts
    const { id } = held
    try {
      this.#changed(held)
      await this.#carryOut(held, stop)
    } catch (error) {
      await this.#giveUp(held, error, stop).catch((failure: unknown) => {
        // It stays claimed by this node, which claims it again with its next sweep.
        if (!(failure instanceof NoLongerHeld)) onError(failure, id)
      })
    }
  }

  async #giveUp(held: HeldBacktest, error: unknown, stop: AbortSignal): Promise<void> {
    const { onError, database } = this.#parts
    const { id } = held
    if (error instanceof NoLongerHeld) return this.#outages.end(id)
    if (isDatabaseAway(error)) {
      // Nothing is wrong with the backtest, however often this happens.
      onError(error, id)
      const { pauseMs, reason } = this.#outages.add(id)
      if (reason !== null) await this.#tellWhy(held, reason)
      // It keeps its place meanwhile: most likely, the database would take nothing of another one either.
      await sleep(pauseMs, undefined, { signal: stop, ref: false }).catch(() => undefined)
    } else if (!(error instanceof Draining)) {
      onError(error, id)
      if ((await this.#store.died(id)) >= mostDeaths) {
        await this.#finish(held, { error: error instanceof ProcessDied ? diedTooOften : failedTooOften })
        return
      }
    }
    await this.#store.release(id)
    await database.notify(channel, String(id))
  }

  /** Stores why a backtest waits, if the database takes at least that. */
  async #tellWhy(held: HeldBacktest, reason: string): Promise<void> {
    try {
      await this.#store.waits(held.id, reason)
      this.#changed(held)
    } catch (error) {
      if (error instanceof NoLongerHeld || !isDatabaseAway(error)) throw error
    }
  }

  async #carryOut(held: HeldBacktest, stop: AbortSignal): Promise<void> {
    const { vault, config } = this.#parts
    const { id, userId, code, symbol, plan, candles, funding } = held
    const live = await this.#liveOf(held)
    if (typeof live === 'string') return await this.#finish(held, { error: live })
    const results = await executeJob({
      job: {
        ...{ code, symbol, plan, candles, funding },
        env: { ...openEnvironment(vault, userId, held.environment), ...plan.parameters },
        known: await this.#store.known(held),
        ...(live && { model: live.model }),
        sandbox: {
          jit: config.sandboxJit,
          runsPerIsolate: config.sandboxRunsPerIsolate,
          publicUrl: config.publicUrl,
        },
      },
      before: this.#beforeStart(held),
      store: async (message) => {
        if (message.type === 'part') return this.#store.part(id, message.part)
        await this.#store.checkpoint(id, message.checkpoint)
        this.#outages.end(id)
        this.#changed(held)
      },
      ...(plan.http === 'read' && {
        http: (request, signal) => this.#parts.send(firstOwnerId + id, request, signal),
      }),
      ...(live && { askModel: (question, signal) => live.desk.ask(question, signal) }),
      priority: config.backtestPriority,
      stop,
    })
    await this.#finish(held, results.type === 'failed' ? { error: results.message } : results)
  }

  /** The model that it may ask; `null`: none; a sentence: why it cannot be asked. */
  async #liveOf(held: HeldBacktest): Promise<LiveAccess | string | null> {
    if (held.plan.model?.mode !== 'live') return null
    const { database, node, ai } = this.#parts
    const settings = await this.#store.contents(held.id, 'model').next()
    return await openLive({ ...ai, database, nodeId: node.id }, held, settings.value!)
  }

  async *#beforeStart({ id, plan: { series }, periodMs }: HeldBacktest): AsyncGenerator<BeforeStart> {
    if (series !== undefined) {
      for await (const part of this.#store.contents(id, 'series')) {
        yield { type: 'series', part, of: series, periodMs }
      }
    }
    for await (const page of this.#store.contents(id, 'delivery')) yield { type: 'deliveries', page }
    let isSettings = true
    for await (const page of this.#store.contents(id, 'model')) {
      if (!isSettings) yield { type: 'records', page }
      isSettings = false
    }
    for await (const result of this.#store.contents(id, 'combination')) yield { type: 'tried', result }
  }

  async #finish(held: HeldBacktest, outcome: Outcome): Promise<void> {
    const { subscribers } = this.#parts
    const isHeard = subscribers.hears(held.userId)
    await this.#store.finish(held, outcome, isHeard)
    this.#outages.end(held.id)
    if (isHeard) subscribers.onTold()
    this.#changed(held)
  }

  #changed({ id, userId }: HeldBacktest): void {
    this.#parts.announce({ kind: 'backtest', id, userId })
  }
}

/** This node stops. */
class Draining extends Error {
  override name = 'Draining'
}

const failedTooOften = `The backtest could not be executed, ${mostDeaths} times. The log of the service says why.`
const diedTooOften = `The process of the backtest ended ${mostDeaths} times without a result. It may need more memory than there is: give a shorter time, or fewer bots.`
