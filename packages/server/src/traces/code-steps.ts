import type { CalledStep, LoggedStep } from '@tickwright/sandbox'
import type { RunRow } from './rows.ts'
import type { Step, Timeline } from './timeline.ts'

/** What code writes to make each call. */
const namesOfCalls: Record<CalledStep['name'], string> = {
  action: '$.Strategy.action',
  positions: '$.Strategy.positions',
  stop: '$.Strategy.stop',
  http: '$.Http',
  rate: '$.getExchangeRate',
  candles: '$.candles',
  sign: '$.Http.generateSignature',
}

/** Adds the signal of a run, after its cause and before `latest` in Unix ms. */
export type AddSignal = (cause: Step, latest?: number) => Step | undefined

/** `latest` is the last step of the run itself. `signal` is missing if the steps do not tell when it was sent. */
export type Work = { latest: Step; signal: Step | undefined }

/** Adds what the code of a run logged and called. */
export function addCodeSteps(
  timeline: Timeline,
  run: RunRow['run'],
  started: Step,
  addSignal: AddSignal,
): Work {
  if (run.steps === null)
    return { latest: addUntimedLog(timeline, run.log ?? '', started), signal: undefined }
  const { waitedMs, steps, leftOut } = run.steps
  const firstLineAt = run.startedAt!.getTime() + waitedMs
  let [previous, latest] = [started, started]
  let signal: Step | undefined
  let logged = 0
  for (const step of steps) {
    const [at, runMs] = [firstLineAt + timeOf(step), waitedMs + timeOf(step)]
    if (Array.isArray(step)) {
      const text = lineOf(run.log, logged, step[1])
      logged += step[1]
      previous = timeline.add({ kind: 'log', text, at, runMs, ids: started.ids }, previous)
      latest = later(latest, previous)
      continue
    }
    const { name, asked, tookMs, failed } = step
    const text = `${namesOfCalls[name]} ${asked}`.trim()
    previous = timeline.add({ kind: 'call', text, at, runMs, tookMs, ids: started.ids }, previous)
    // The answer says that the signal is stored, so the signal comes before it.
    if (name === 'action' && !failed) signal = addSignal(previous, at + (tookMs ?? Number.POSITIVE_INFINITY))
    latest = later(latest, addAnswer(timeline, step, previous, runMs))
  }
  const rest = run.log?.slice(logged) ?? ''
  if (rest !== '') latest = later(latest, addUntimedLog(timeline, rest, latest))
  if (leftOut > 0) {
    const text = `${leftOut} further steps are not shown: the record of a run has room for only so many.`
    timeline.add({ kind: 'cut', text, at: null, ids: started.ids }, latest)
  }
  return { latest, signal }
}

function timeOf(step: LoggedStep | CalledStep): number {
  return Array.isArray(step) ? step[0] : step.ms
}

/** A call without an answer counts as its own last step. */
function addAnswer(timeline: Timeline, step: CalledStep, call: Step, runMs: number): Step {
  const { tookMs, answered, failed } = step
  if (tookMs === null) {
    call.reason = 'The run ended before the answer.'
    return call
  }
  return timeline.add(
    {
      kind: 'answer',
      text: answered,
      at: call.at === null ? null : call.at + tookMs,
      runMs: runMs + tookMs,
      reason: failed ? `${call.text} failed: ${answered}` : null,
      ids: call.ids,
    },
    call,
  )
}

/** The part of a log without times: that of a run from before there were times, or of one whose executor died. */
function addUntimedLog(timeline: Timeline, log: string, cause: Step): Step {
  if (log === '') return cause
  return timeline.add({ kind: 'log', text: withoutBreak(log), at: null, ids: cause.ids }, cause)
}

function lineOf(log: string | null, from: number, length: number): string {
  return withoutBreak((log ?? '').slice(from, from + length))
}

function withoutBreak(text: string): string {
  return text.endsWith('\n') ? text.slice(0, -1) : text
}

function later(one: Step, other: Step): Step {
  return other.place >= one.place ? other : one
}
