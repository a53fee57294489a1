/**
 * The first pass of a backtest: the code of a strategy, in the real sandbox, decides in each of its runs. What it decides
 * depends only on its code, the candles and deliveries, its variables and the seed, unless it asks what its bot holds.
 */
import {
  type BotPosition,
  type LastTrigger,
  type RunError,
  type RunOutcome,
  type Sandbox,
  type SeriesStep,
  seedAfter,
  type Violation,
} from '@tickwright/sandbox'
import { given } from '../base/given.ts'
import { nextViolationCount, suspensionMs } from '../runs/suspension.ts'
import { ActionRate } from '../signals/action-rate.ts'
import { BacktestHost, type Decided, type GivenAnswer, readAnswers, type Send } from './host.ts'
import type { MarketData } from './market-data.ts'
import type { ModelArrival, ModelCounts } from './model/live-model.ts'
import type { Runs } from './runs.ts'

/** Failures, violations and logs: a backtest keeps the first of each. */
export const mostKept = 1_000

/** A run by its number and its time: several runs may have the same time. */
export type RunMoment = { run: number; atMs: number }

export type Decisions = {
  /** How many runs were executed, and how many were skipped because the strategy was suspended or had stopped itself. */
  runs: number
  skipped: number
  failed: number
  signals: Decided[]
  failures: (RunMoment & { error: RunError })[]
  violations: (RunMoment & { violation: Violation; error: RunError | null; suspendedUntilMs: number })[]
  violated: number
  logs: (RunMoment & { log: string })[]
  /** When the strategy stopped itself; `null` if it did not. */
  stoppedMs: number | null
  /** What it stored last, as JSON text; `null`: nothing. */
  storage: string | null
  lastTrigger: LastTrigger
  /** Whether it asked what its bot holds. Then its decisions depend on the settings of the bot. */
  asksPositions: boolean
  /** Runs with a request of `$.Http` that nothing answered. */
  withheld: number
  /** Of a model that was asked. */
  model?: ModelCounts
}

/** Where a pass has arrived: what is needed to go on with run `next`. */
export type Arrival = {
  next: number
  /** When the latest actions were accepted, as `ActionRate` has it. */
  accepted: readonly number[]
  violationCount: number
  lastViolationMs: number
  /** Until then. Its lists grow with later runs. */
  decisions: Decisions
  /** Of a model that is asked. */
  model?: ModelArrival
}

/** What code has in a backtest, whatever its bot holds. */
export type CodeInput = {
  code: string
  data: MarketData
  /** The variables of `$.Env`. */
  env: Record<string, string>
  seed: number
  /** JSON text, or `null`. */
  storage: string | null
  lastTrigger: LastTrigger
  answers: readonly GivenAnswer[]
}

export type DecideOptions = CodeInput & {
  sandbox: Pick<Sandbox, 'series'>
  /** An id that no other series of the sandbox has. */
  seriesId: number
  /** See `HostOptions`. */
  send?: Send
  runs: Runs
  /** These of the runs: from `first`, before `end`. */
  first: number
  end: number
  /** What the bot holds at the moment of a run. All signals before have been passed to `decided`. */
  positions(run: number): Promise<BotPosition[]>
  /** Called in order of time: the runs before `next` are over, and sent these signals. */
  decided(next: number, signals: readonly Decided[]): void
  /** Goes on from there, instead of from `first`. */
  from?: Arrival
  /** Called after `decided`, unless the runs are over. */
  arrived?(at: Arrival): void
  /** Ends it early, with what it has by then. */
  stop?: AbortSignal
  /** Events that an executor gets at once. */
  eventsAtOnce?: number
}

export const noTrigger: LastTrigger = { action: null, price: null, at: null }

/** Rejects only if the sandbox is closed. */
export async function decide(options: DecideOptions): Promise<Decisions> {
  const { sandbox, seriesId, code, data, runs, first, end, env, seed } = options
  const pass = new DecidePass(options)
  const begin = options.from?.next ?? first
  if (end > begin) {
    await sandbox.series({
      strategyId: seriesId,
      code,
      seed: seedAfter(seed, begin - first),
      ...given({ eventsAtOnce: options.eventsAtOnce }),
      input: {
        strategy: {
          ...{ id: 0, type: 'code-reaction' },
          signal: { symbols: [data.symbol], lastTrigger: pass.lastTrigger },
        },
        storage: pass.storage,
        request: { data: '', headers: { 'content-type': 'application/json' }, ip: '127.0.0.1' },
        price: { symbol: data.symbol, price: 0, exchange: 'backtest', service: serviceOf(data.symbol) },
        env,
      },
      events: {
        length: end - begin,
        at: (offset) => runs.eventOf(begin + offset),
      },
      hostOf: (offset) => pass.hostOf(begin + offset),
      ended: (step) => pass.ended(step),
    })
  }
  return pass.result()
}

/** Whether a symbol is one of a spot market or of futures: `BTC/USDT` or `BTC/USDT:USDT`. */
export function serviceOf(symbol: string): 'spot' | 'futures' {
  return symbol.includes(':') ? 'futures' : 'spot'
}

class DecidePass {
  #options: DecideOptions
  #answers: readonly GivenAnswer[]
  /** The first run of the series. */
  #begin: number
  #rate: ActionRate
  #host: BacktestHost | null = null
  #lastTrigger: LastTrigger
  #violationCount: number
  #lastViolationMs: number
  #done: Decisions

  constructor(options: DecideOptions) {
    const { from } = options
    this.#options = options
    this.#answers = readAnswers(options.answers)
    this.#begin = from?.next ?? options.first
    this.#rate = new ActionRate(from?.accepted)
    this.#violationCount = from?.violationCount ?? 0
    this.#lastViolationMs = from?.lastViolationMs ?? 0
    this.#lastTrigger = from?.decisions.lastTrigger ?? options.lastTrigger
    this.#done = from?.decisions ?? {
      ...{ runs: 0, skipped: options.end - options.first, failed: 0, violated: 0, withheld: 0 },
      ...{ signals: [], failures: [], violations: [], logs: [] },
      ...{ stoppedMs: null, storage: options.storage, lastTrigger: options.lastTrigger },
      asksPositions: false,
    }
  }

  get lastTrigger(): LastTrigger {
    return this.#lastTrigger
  }

  get storage(): string | null {
    return this.#done.storage
  }

  /** The host of a run. If the run is executed again, it gets another one. */
  hostOf(run: number): BacktestHost {
    const { data, runs, env, positions, send } = this.#options
    this.#host = new BacktestHost({
      ...{ data, view: runs.viewOf(run), env, answers: this.#answers, positions: () => positions(run) },
      ...given({ send }),
      ...{ lastTrigger: this.#lastTrigger, rate: this.#rate, signalId: this.#done.signals.length + 1 },
    })
    return this.#host
  }

  ended(step: SeriesStep): { next: number; lastTrigger: LastTrigger } | null {
    const { runs, decided, arrived, stop } = this.#options
    const begin = this.#begin
    const done = this.#done
    const { from, to, outcome, failures, logs, storage } = step
    done.runs += to - from
    done.skipped -= to - from
    done.storage = storage
    const momentOf = (offset: number) => ({ run: begin + offset, atMs: runs.atMs(begin + offset) })
    for (const [offset, error] of failures) this.#fail(momentOf(offset), error)
    for (const [offset, log] of logs) this.#log(momentOf(offset), log)
    let next = to
    if (outcome !== null) {
      const moment = momentOf(to - 1)
      const signal = this.#take(this.#host, moment.atMs)
      next = this.#count(outcome, to, moment)
      decided(begin + next, signal === null ? [] : [signal])
    } else {
      decided(begin + next, [])
    }
    if (done.stoppedMs !== null || stop?.aborted === true) return null
    arrived?.(this.#arrivalAt(begin + next))
    return { next, lastTrigger: this.#lastTrigger }
  }

  result(): Decisions {
    return { ...this.#done, lastTrigger: this.#lastTrigger }
  }

  #arrivalAt(next: number): Arrival {
    return {
      ...{ next, accepted: this.#rate.accepted },
      ...{ violationCount: this.#violationCount, lastViolationMs: this.#lastViolationMs },
      decisions: this.result(),
    }
  }

  /** What the last run asked of its host. */
  #take(host: BacktestHost | null, atMs: number): Decided | null {
    if (host === null) return null
    const done = this.#done
    done.asksPositions ||= host.asksPositions
    if (host.isWithheld) done.withheld += 1
    if (host.stopped) done.stoppedMs = atMs
    if (host.signal === null) return null
    this.#rate.accept(atMs)
    const { action, price } = host.signal
    this.#lastTrigger = { action, price, at: atMs }
    done.signals.push(host.signal)
    return host.signal
  }

  /** Counts how a run ended. @returns the offset of the next run, which a violation puts off */
  #count({ log, error, violation }: RunOutcome, to: number, moment: RunMoment): number {
    if (log !== '') this.#log(moment, log)
    if (violation === null) {
      if (error !== null) this.#fail(moment, error)
      return to
    }
    const { atMs } = moment
    const done = this.#done
    this.#violationCount = nextViolationCount(this.#violationCount, this.#lastViolationMs, atMs)
    this.#lastViolationMs = atMs
    const suspendedUntilMs = atMs + suspensionMs(this.#violationCount)
    done.violated += 1
    if (done.violations.length < mostKept) {
      done.violations.push({ ...moment, violation: repeatable(violation), error, suspendedUntilMs })
    }
    const { end, runs } = this.#options
    const begin = this.#begin
    let next = to
    while (begin + next < end && runs.atMs(begin + next) < suspendedUntilMs) next += 1
    return next
  }

  #fail(moment: RunMoment, error: RunError): void {
    this.#done.failed += 1
    if (this.#done.failures.length < mostKept) this.#done.failures.push({ ...moment, error })
  }

  #log(moment: RunMoment, log: string): void {
    if (this.#done.logs.length < mostKept) this.#done.logs.push({ ...moment, log })
  }
}

/** How long a run took that was ended differs each time, and no two results of a backtest may differ. */
function repeatable({ rule, limit, actual }: Violation): Violation {
  return { rule, limit, actual: rule === 'execution_time' ? limit : actual }
}
