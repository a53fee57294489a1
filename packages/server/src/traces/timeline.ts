import { roundMs } from '../base/durations.ts'

/** What a step can be, and what each kind means. */
export const stepKinds = {
  received: 'a payload arrived',
  stored: 'the service stored it',
  due: 'the time of a schedule came',
  queued: 'a run began to wait for its turn',
  started: 'a run started',
  log: 'the code wrote a line to its log',
  call: 'the code or the model made a call',
  answer: 'a call was answered',
  prompt: 'the service wrote a prompt',
  chart: 'the service drew a chart for the model',
  asked: 'the service asked a model',
  reply: 'the model replied',
  failure: 'a model could not be asked',
  change: 'a model changed a strategy',
  approval: 'an action or a change began to wait for its owner',
  decision: 'the wait for the owner ended',
  ended: 'a run ended',
  suspended: 'a strategy was suspended',
  signal: 'the service stored a signal',
  bot: 'a bot got a signal',
  order: 'a bot planned an order and wrote it down',
  sent: 'a bot began to send an order',
  acknowledged: 'the exchange answered',
  fill: 'the exchange executed a part of an order',
  booked: 'the books of a bot got a fill',
  settled: 'an order or a signal ended',
  missing: 'something did not happen; `reason` says why',
  cut: 'further steps are not shown',
} as const

export type StepKind = keyof typeof stepKinds

/** The records that a step is about. */
export type StepIds = {
  delivery_id?: number
  run_id?: number
  strategy_id?: number
  approval_id?: number
  signal_id?: number
  bot_id?: number
  bot_signal_id?: number
  order_id?: number
  fill_id?: number
}

/** A step as the tables know it. */
type Known = {
  kind: StepKind
  /** Text of other people is in it as it is: it is data. */
  text: string
  /** Unix ms; `null` if nobody noted the time. */
  at: number | null
  /** The time from the start of its run, by the clock of that run's node. */
  runMs?: number | null
  tookMs?: number | null
  /** Why something did not happen, or not as wanted. */
  reason?: string | null
  /** Whether the reason is a usual outcome, such as a strategy that does nothing. Default: it is none. */
  isUsual?: boolean
  ids: StepIds
}

/** A step on a timeline. `place` is its time, but never before its cause. */
export type Step = Known & { place: number }

export type ShownStep = {
  at: string | null
  offset_ms: number | null
  run_ms: number | null
  took_ms: number | null
  kind: StepKind
  text: string
  reason: string | null
  is_usual: boolean
} & StepIds

/** More steps than this are not shown. */
export const mostSteps = 2_000

/**
 * The steps of a trace, in the order in which they happened. The clocks of nodes, the database and exchanges differ. So a
 * step comes after its cause, even if a clock says otherwise, and otherwise the times decide.
 */
export class Timeline {
  readonly #steps: Step[] = []
  #lacks: string[] = []

  /**
   * Adds a step. A step without a time stands right after its cause.
   * @param latest the time of a consequence that is added later, by the clock of the cause
   */
  add(known: Known, cause?: Step, latest = Number.POSITIVE_INFINITY): Step {
    const earliest = cause?.place ?? Number.NEGATIVE_INFINITY
    const step = { ...known, place: Math.max(Math.min(known.at ?? earliest, latest), earliest) }
    this.#steps.push(step)
    return step
  }

  /** Says at the end what the trace lacks. */
  endWith(lack: string): void {
    this.#lacks.push(lack)
  }

  /** The reasons why something did not happen, in order. */
  reasons(): string[] {
    return this.#inOrder().flatMap(({ reason }) => reason ?? [])
  }

  /** Whether everything went as usual: nobody has to look at any of the reasons. */
  isUsual(): boolean {
    return this.#steps.every(isUsual)
  }

  shown(): ShownStep[] {
    const steps = this.#inOrder()
    const [first] = steps
    if (first === undefined) return []
    const shown = steps.slice(0, steps.length > mostSteps ? mostSteps - 1 : mostSteps)
    const left = steps.length - shown.length
    const all = shown.map((step) => showStep(step, first.place))
    const cut = left > 0 ? [`${left} further steps are not shown: a trace has at most ${mostSteps}.`] : []
    return [...all, ...[...cut, ...this.#lacks].map(cutStep)]
  }

  /** A sort keeps the order of equal steps, and a cause is added before its consequence. */
  #inOrder(): Step[] {
    return this.#steps.toSorted((one, other) => one.place - other.place)
  }
}

function isUsual({ reason, isUsual }: Step): boolean {
  return isUsual ?? (reason ?? null) === null
}

function showStep(step: Step, first: number): ShownStep {
  const { kind, text, at, place, runMs = null, tookMs = null, reason = null, ids } = step
  return {
    at: at === null ? null : new Date(at).toISOString(),
    offset_ms: at === null ? null : roundMs(place - first),
    run_ms: durationOf(runMs),
    took_ms: durationOf(tookMs),
    kind,
    text,
    reason,
    is_usual: isUsual(step),
    ...ids,
  }
}

function durationOf(ms: number | null): number | null {
  return ms === null ? null : roundMs(Math.max(0, ms))
}

function cutStep(text: string): ShownStep {
  const unknown = { at: null, offset_ms: null, run_ms: null, took_ms: null, reason: null }
  return { ...unknown, is_usual: true, kind: 'cut', text }
}

/** The time from one moment to another in ms; `null` if one is unknown. Clocks differ, so it may come out below 0. */
export function between(from: Date | null, to: Date | null): number | null {
  return from === null || to === null ? null : to.getTime() - from.getTime()
}
