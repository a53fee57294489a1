/** Why an event of a backtest has no recorded decision of its model. */
import type { TranscriptBasis } from '../../db/schema.ts'
import type { MarketTimes } from '../market-times.ts'

/** In the order in which the service looks. The sentences are for people. */
export const missingReasons = {
  no_run: 'The reaction did not run on it, or the service has deleted the run.',
  no_answer: 'Its run failed or has not ended, so the model has decided nothing.',
  other_question:
    'The model was asked something else: the prompt, the model, its tools or its chart were others, a fallback answered, or the run is from before the service kept this.',
  asked_bots: 'The model asked what bots hold, or for logs: in a backtest, the answer would be another one.',
  other_storage: 'The stored value was another one.',
  other_last_trigger: 'The last action that the prompt shows, or its time, was another one.',
  other_price: 'The model got a price of the symbol that no candle of the time of its run has.',
} as const

export type MissingReason = keyof typeof missingReasons

/** Why a model that may be asked was not asked. The sentences are for people. */
export const unaskedReasons = {
  over_budget: 'The budget of the backtest is used up, so the model was not asked.',
  over_day: 'The tokens of the reaction for the day (UTC) are used up, so the model was not asked.',
  unavailable: 'The provider had no answer too often in a row, so the model was not asked any more.',
  deleted: 'The reaction was deleted meanwhile, so the model was not asked.',
} as const

export type UnaskedReason = keyof typeof unaskedReasons

const ordered = Object.keys({ ...missingReasons, ...unaskedReasons })

/** How often each reason holds, in their order and then by name, as part of a sentence. The database keeps no order. */
export function reasonsIn(missing: Readonly<Record<string, number>>): string {
  const others = Object.keys(missing).filter((reason) => !ordered.includes(reason))
  return [...ordered, ...others.sort()]
    .filter((reason) => missing[reason] !== undefined)
    .map((reason) => `${missing[reason]} ${reason}`)
    .join(', ')
}

/** Where a backtest stands. `storage` is a digest. What is `undefined` is not known, and so not compared. */
export type DecisionContext = {
  question: string
  storage: string | undefined
  lastAction: string | null | undefined
  lastActionAt: number | null | undefined
}

/** A run of the reaction, with what it kept. Times in Unix ms. */
export type RecordedRun = {
  status: string
  startedMs: number
  endedMs: number
  basis: TranscriptBasis | null
}

/** Why the decision of a run is not that of the backtest; `null`: it is the same. */
export function whyMissing(
  run: RecordedRun,
  standing: DecisionContext,
  data: MarketTimes,
): MissingReason | null {
  const { status, basis } = run
  if (status !== 'SUCCEEDED' && status !== 'VIOLATION') return 'no_answer'
  if (basis?.question !== standing.question) return 'other_question'
  if (basis.asksBots) return 'asked_bots'
  if (differ(basis.storage, standing.storage)) return 'other_storage'
  const { lastAction, lastActionAt } = standing
  if (differ(basis.lastAction, lastAction) || differ(basis.lastActionAt, lastActionAt)) {
    return 'other_last_trigger'
  }
  const isKnown = basis.prices.every(([symbol, price]) => hasPrice(data, symbol, price, run))
  return isKnown ? null : 'other_price'
}

function differ<Value>(one: Value | undefined, other: Value | undefined): boolean {
  return one !== undefined && other !== undefined && one !== other
}

/** The first of the runs whose decision is that of the backtest; or why the last one's is not. */
export function findDecision<Run extends RecordedRun>(
  runs: readonly Run[],
  standingAt: (startedMs: number) => DecisionContext,
  data: MarketTimes,
): { run: Run } | { reason: MissingReason } {
  const reasons = runs.map((run) => whyMissing(run, standingAt(run.startedMs), data))
  const run = runs[reasons.indexOf(null)]
  return run === undefined ? { reason: reasons.at(-1) ?? 'no_run' } : { run }
}

/** Whether a candle of the time of a run, or the one just before it, has this price. Other symbols have no candles here. */
function hasPrice(
  data: MarketTimes,
  symbol: string,
  price: number,
  { startedMs, endedMs }: Pick<RecordedRun, 'startedMs' | 'endedMs'>,
): boolean {
  if (!data.isSymbol(symbol)) return true
  const open = data.firstFrom(startedMs + 1) - 1
  if (open < 0 || data.endOf(open) <= startedMs) return false
  const isNext = open > 0 && data.endOf(open - 1) === data.timeOf(open)
  for (let index = isNext ? open - 1 : open; data.timeOf(index) <= endedMs; index += 1) {
    if (data.reaches(index, price)) return true
  }
  return false
}
