import type { BacktestModel } from '../../db/schema.ts'
import { type Check, checkOf, type Question } from '../report/honesty/check.ts'
import { reasonsIn } from './missing.ts'

export const recordedQuestion: Question = {
  name: 'recorded_decisions',
  label: 'Recorded decisions',
  unit: 'count',
  doubt_if: 'a delivery has no decision of the model of an AI reaction',
  source: 'definition',
}

export const askedQuestion: Question = {
  name: 'asked_model',
  label: 'Asked model',
  unit: 'count',
  doubt_if: 'a model has decided only now about a delivery of the past: it may know what came after',
  source: 'definition',
}

/** How many of the decisions of a model are known, and how many it made only now. */
export function modelChecks(model: BacktestModel): Check[] {
  const { asked, tokens = 0 } = model
  if (asked === undefined) return [recordedCheck(model)]
  const many = `${asked} ${asked === 1 ? 'delivery' : 'deliveries'}`
  const words = `The model decided about ${many} now, for ${tokens.toLocaleString('en')} tokens. It might decide otherwise another time, and may know what came after.`
  const verdict = asked === 0 ? 'good' : 'doubt'
  const says = asked === 0 ? 'The model has decided nothing now.' : words
  return [recordedCheck(model), checkOf(askedQuestion, { verdict, value: asked, says })]
}

function recordedCheck({ events, recorded, asked = 0, missing }: BacktestModel): Check {
  const lacking = Object.values(missing).reduce((sum, count) => sum + count, 0)
  const now = asked === 0 ? '' : ` The model decided ${asked} now.`
  const rest =
    lacking === 0 ? '' : ` ${lacking} ${lacking === 1 ? 'has' : 'have'} none: ${reasonsIn(missing)}.`
  const suspended = events - recorded - asked - lacking
  const skipped = suspended === 0 ? '' : ` ${suspended} came while the reaction was suspended.`
  return checkOf(recordedQuestion, {
    verdict: lacking === 0 ? 'good' : 'doubt',
    value: lacking,
    says: `${recorded} of ${events} deliveries have a recorded decision.${now}${rest}${skipped}`,
  })
}
