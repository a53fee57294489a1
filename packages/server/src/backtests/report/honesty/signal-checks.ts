import { numberText } from '../numbers.ts'
import { type Check, checkOf, type Question, unknown } from './check.ts'

/** What decides about a signal; all of it counts when two are compared. */
type Signal = { atMs: number; action: string }

export const lookAheadQuestion: Question = {
  name: 'look_ahead',
  label: 'Look-ahead',
  unit: 'count',
  doubt_if: 'run again on data that ends earlier, the code sends other signals until then',
  source: 'definition',
}

export const warmUpQuestion: Question = {
  name: 'warm_up',
  label: 'Warm-up',
  unit: 'count',
  doubt_if: 'run again on data that begins earlier, the code sends other signals',
  source: 'definition',
}

/**
 * Whether code saw the future: run again on data that ends earlier, it must send the same signals until then.
 * @param cuts the signals of runs on shorter data, and where that data ends
 */
export function lookAhead(
  signals: readonly Signal[],
  cuts: readonly { cutMs: number; signals: readonly Signal[] }[],
): Check {
  const found = cuts
    .map(({ cutMs, signals: again }) => firstDifference(until(signals, cutMs), until(again, cutMs)))
    .filter((atMs) => atMs !== null)
  if (cuts.length === 0) {
    return checkOf(lookAheadQuestion, {
      verdict: 'unknown',
      value: null,
      says: 'The code was not run again on shorter data.',
    })
  }
  const ends = cuts.map(({ cutMs }) => timeOf(cutMs)).join(', ')
  return checkOf(lookAheadQuestion, {
    verdict: found.length === 0 ? 'good' : 'doubt',
    value: found.length,
    says:
      found.length === 0
        ? `On data that ends at ${ends}, the signals before are the same.`
        : `On data that ends earlier, other signals come: the first at ${timeOf(Math.min(...found))}. The code sees the future, or depends on chance.`,
  })
}

/**
 * Whether signals depend on where the data begins.
 * @param earlier the signals of a run that began earlier
 * @param fromMs the start of the backtest
 */
export function warmUp(
  signals: readonly Signal[],
  earlier: { fromMs: number; signals: readonly Signal[] } | null,
  fromMs: number,
): Check {
  if (earlier === null) {
    return checkOf(warmUpQuestion, {
      verdict: 'unknown',
      value: null,
      says: 'The code was not run from an earlier start, so nothing says whether it needs a longer warm-up.',
    })
  }
  const [here, there] = [signals, earlier.signals].map(
    (all) => new Set(all.filter(({ atMs }) => atMs >= fromMs).map(nameOf)),
  )
  const changed = here!.symmetricDifference(there!).size
  return checkOf(warmUpQuestion, {
    verdict: changed === 0 ? 'good' : 'doubt',
    value: changed,
    says:
      changed === 0
        ? `Begun at ${timeOf(earlier.fromMs)}, the code sends the same signals.`
        : `Begun at ${timeOf(earlier.fromMs)}, ${numberText(changed, 0)} signals differ. Give the code a longer warm-up.`,
  })
}

/** The checks of code that was not run again. */
export const unexamined: readonly Check[] = [lookAheadQuestion, warmUpQuestion].map((question) =>
  checkOf(question, unknown('The code was not run again.')),
)

const nameOf = (signal: Signal) => JSON.stringify(signal)
const until = (signals: readonly Signal[], endMs: number) => signals.filter(({ atMs }) => atMs <= endMs)
const timeOf = (timeMs: number) => new Date(timeMs).toISOString().slice(0, 16).replace('T', ' ')

/** When two lists of signals first differ; `null` if they do not. */
function firstDifference(signals: readonly Signal[], again: readonly Signal[]): number | null {
  for (let index = 0; index < Math.max(signals.length, again.length); index++) {
    const [one, other] = [signals[index], again[index]]
    if (one === undefined || other === undefined) return (one ?? other)!.atMs
    if (nameOf(one) !== nameOf(other)) return Math.min(one.atMs, other.atMs)
  }
  return null
}
