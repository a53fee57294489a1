/** What a model decides in a backtest, event by event, under the rules for actions and violations that it has live. */
import {
  type LastTrigger,
  type RunError,
  RunViolation,
  type Violation,
  violations,
} from '@tickwright/sandbox'
import { nextViolationCount, suspensionMs } from '../../runs/suspension.ts'
import { ActionRate } from '../../signals/action-rate.ts'
import { refuseExitAfterExit } from '../../signals/exit-after-exit.ts'
import { type Arrival, type Decisions, mostKept, type RunMoment } from '../decide.ts'
import type { Decided } from '../host.ts'
import type { MarketTimes } from '../market-times.ts'
import type { RecordedDecision } from './live-model.ts'

export class ModelPass {
  readonly #start: LastTrigger
  /** Of actions. */
  readonly rate: ActionRate
  #violationCount = 0
  #lastViolationMs = 0
  #suspendedUntilMs = 0
  readonly #done: Decisions

  /** @param from goes on from there */
  constructor(lastTrigger: LastTrigger, from?: Arrival) {
    this.#start = lastTrigger
    this.rate = new ActionRate(from?.accepted)
    this.#done = from?.decisions ?? {
      ...{ runs: 0, skipped: 0, failed: 0, violated: 0, withheld: 0 },
      ...{ signals: [], failures: [], violations: [], logs: [] },
      ...{ stoppedMs: null, storage: null, lastTrigger, asksPositions: false },
    }
    if (from === undefined) return
    this.#done.signals = [...from.decisions.signals, ...(from.model?.pending ?? [])]
    this.#violationCount = from.violationCount
    this.#lastViolationMs = from.lastViolationMs
    if (from.violationCount > 0) {
      this.#suspendedUntilMs = from.lastViolationMs + suspensionMs(from.violationCount)
    }
  }

  /** What it has until now: its lists grow. */
  get done(): Readonly<Decisions> {
    return this.#done
  }

  /** What is needed to go on, besides what became of the runs. */
  get place(): Pick<Arrival, 'accepted' | 'violationCount' | 'lastViolationMs'> {
    const [violationCount, lastViolationMs] = [this.#violationCount, this.#lastViolationMs]
    return { accepted: this.rate.accepted, violationCount, lastViolationMs }
  }

  /** The answers of a run needed what a bot held, or something that nothing answered. */
  note({ asksPositions, isWithheld }: { asksPositions: boolean; isWithheld: boolean }): void {
    this.#done.asksPositions ||= asksPositions
    if (isWithheld) this.#done.withheld += 1
  }

  /** Counts a run at this time; `false`: the strategy is suspended, so there is none. */
  begins(atMs: number): boolean {
    const isSuspended = atMs < this.#suspendedUntilMs
    this.#done[isSuspended ? 'skipped' : 'runs'] += 1
    return !isSuspended
  }

  /** The last one until then. An action that waited for its owner may be later than that of a later run. */
  lastSignalAt(ms: number): Decided | undefined {
    return this.#done.signals.findLast(({ atMs }) => atMs <= ms)
  }

  lastTriggerAt(ms: number): LastTrigger {
    const last = this.lastSignalAt(ms)
    return last === undefined ? this.#start : { action: last.action, price: last.price, at: last.atMs }
  }

  /**
   * Sends an action.
   * @throws {RunViolation} if it breaks a rule
   */
  act(signal: Decided): void {
    const { atMs, action } = signal
    refuseExitAfterExit(action, this.lastTriggerAt(atMs).action)
    if (!this.rate.accept(atMs)) throw violations.action_rate()
    const { signals } = this.#done
    signals.splice(signals.findLastIndex((each) => each.atMs <= atMs) + 1, 0, signal)
  }

  violate(moment: RunMoment, violation: Violation): void {
    const done = this.#done
    const { atMs } = moment
    this.#violationCount = nextViolationCount(this.#violationCount, this.#lastViolationMs, atMs)
    this.#lastViolationMs = atMs
    this.#suspendedUntilMs = atMs + suspensionMs(this.#violationCount)
    done.violated += 1
    if (done.violations.length >= mostKept) return
    const suspendedUntilMs = this.#suspendedUntilMs
    done.violations.push({ ...moment, violation, error: null, suspendedUntilMs })
  }

  fail(moment: RunMoment, { name, message }: Pick<RunError, 'name' | 'message'>): void {
    this.#done.failed += 1
    if (this.#done.failures.length >= mostKept) return
    this.#done.failures.push({ ...moment, error: { name, message, line: null, column: null } })
  }

  log(moment: RunMoment, log: string): void {
    if (this.#done.logs.length < mostKept) this.#done.logs.push({ ...moment, log })
  }

  /** @param storage what is stored at the end, as JSON text; `null`: nothing, or it is not known */
  end(storage: string | null): Decisions {
    return { ...this.#done, storage, lastTrigger: this.lastTriggerAt(Number.POSITIVE_INFINITY) }
  }
}

/** Carries out what may break a rule, and records it if it does. */
export function underRules(pass: ModelPass, moment: RunMoment, carryOut: () => void): void {
  try {
    carryOut()
  } catch (error) {
    if (!(error instanceof RunViolation)) throw error
    pass.violate(moment, error.violation)
  }
}

/** The action of a recorded decision, at the time when it was sent live. */
export function decidedOf(
  { atMs, action, price, options }: RecordedDecision['signal'] & {},
  data: MarketTimes,
): Decided {
  return { index: data.firstFrom(atMs + 1) - 1, atMs, action, price: price ?? data.priceAt(atMs), options }
}
