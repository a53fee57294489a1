import type { BacktestModel } from '../../db/schema.ts'
import { type Check, checkOf, type Question } from '../report/honesty/check.ts'
import { reasonsIn } from './missing.ts'

export const recordedQuestion: Question = {
  name: 'recorded_decisions',
  label: 'Recorded decisions',
  unit: 'count',
  doubt_if: 'a delivery has no recorded decision of the model of an AI reaction',
  source: 'definition',
}

/** How many of the decisions of a model are known. */
export function recordedCheck({ events, recorded, missing }: BacktestModel): Check {
  const lacking = Object.values(missing).reduce((sum, count) => sum + count, 0)
  const rest =
    lacking === 0 ? '' : ` ${lacking} ${lacking === 1 ? 'has' : 'have'} none: ${reasonsIn(missing)}.`
  const suspended = events - recorded - lacking
  const skipped = suspended === 0 ? '' : ` ${suspended} came while the reaction was suspended.`
  return checkOf(recordedQuestion, {
    verdict: lacking === 0 ? 'good' : 'doubt',
    value: lacking,
    says: `${recorded} of ${events} deliveries have a recorded decision.${rest}${skipped}`,
  })
}
