import type { CalledStep, LoggedStep, RunSteps } from '@tickwright/sandbox'
import type { StoredSteps } from '../db/schema.ts'
import { storable } from './journal-statement.ts'

/** The most characters of the steps of a run, as JSON. 200 calls with short texts fit. */
const lengthLimit = 32 * 1024

/** The steps of a run as its record keeps them: those that fit, and how many do not. */
export function fittingSteps({ waitedMs, steps }: RunSteps): StoredSteps {
  const fitting: StoredSteps['steps'] = []
  let length = 0
  for (const step of steps) {
    const kept = storableStep(step)
    length += JSON.stringify(kept).length
    if (length > lengthLimit) break
    fitting.push(kept)
  }
  return { waitedMs, steps: fitting, leftOut: steps.length - fitting.length }
}

function storableStep(step: LoggedStep | CalledStep): LoggedStep | CalledStep {
  if (Array.isArray(step)) return step
  return { ...step, asked: storable(step.asked), answered: storable(step.answered) }
}
