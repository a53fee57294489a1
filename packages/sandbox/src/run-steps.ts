/**
 * What the code of a run did, in its order. The parent notes each host call and how it was answered. The executor tells
 * only when the lines of the log and the calls were made, and in which order. It is not trusted, so this is only shown.
 */

import type { PackedCandles } from './candles.ts'
import { errorMessageLimit, shorten } from './limits.ts'
import { type CallMessage, callMark } from './messages.ts'
import type { ActionResult, BotPosition, CalledStep, HttpAnswer, LoggedStep, RunSteps } from './types.ts'

/** A host call, as the parent sees it. Times are those of `performance.now()`. */
export type NotedCall = Omit<CalledStep, 'ms'> & { calledAt: number }

/** Notes a call when it arrives, without what it signs or sends. */
export function noteCall(message: CallMessage): NotedCall {
  const { name } = message
  return {
    ...{ name, asked: askedIn(message), answered: '', failed: false },
    ...{ calledAt: performance.now(), tookMs: null },
  }
}

/** The host adds the address of a request, because only the host can tell what in it is secret. */
function askedIn(message: CallMessage): string {
  switch (message.name) {
    case 'action':
      return message.action
    case 'rate':
      return `${message.exchange} ${message.symbol}`
    case 'candles': {
      const { count, interval, symbol, exchange, service } = message.request
      return [`${count} of ${interval} ${symbol}`, exchange, service]
        .filter((part) => part !== null)
        .join(' ')
    }
    case 'sign':
      return message.algorithm
    case 'http':
      return message.request.method
    case 'stop':
    case 'positions':
      return ''
  }
}

/** Notes how a call was answered. */
export function noteAnswer(call: NotedCall, answer: unknown): void {
  call.tookMs = performance.now() - call.calledAt
  call.answered = answeredIn(call.name, answer)
}

function answeredIn(name: CalledStep['name'], answer: unknown): string {
  switch (name) {
    case 'action': {
      const { id, delivered } = answer as ActionResult
      return `Signal ${id}${delivered ? '' : ', which no bot took'}.`
    }
    case 'positions':
      return `${(answer as BotPosition[]).length} positions.`
    case 'http': {
      const { status, text, cache } = answer as HttpAnswer
      return `Status ${status}, ${text.length} characters${cache ? ', from the cache' : ''}.`
    }
    case 'rate':
      return answer === null ? 'There is no recent rate.' : `${answer}`
    case 'candles':
      return `${(answer as PackedCandles).count} candles.`
    case 'sign':
      return 'Signed.'
    case 'stop':
      return 'The strategy is INACTIVE.'
  }
}

/** Notes why a call failed, with the message that the code got. */
export function noteFailure(call: NotedCall, message: string): void {
  call.tookMs = performance.now() - call.calledAt
  call.answered = shorten(message, errorMessageLimit)
  call.failed = true
}

/**
 * `marks` are those that the executor sent: `undefined` if it made none, or died. `firstLineAt` and `requestedAt` are
 * times of `performance.now()`.
 */
type Noted = {
  calls: readonly NotedCall[] | undefined
  marks: readonly number[] | undefined
  requestedAt: number
  firstLineAt: number
  durationMs: number
}

/** The steps of a run; `null` for a run that logged and called nothing, as most do. */
export function stepsOf({ calls, marks, requestedAt, firstLineAt, durationMs }: Noted): RunSteps | null {
  if (calls === undefined && marks === undefined) return null
  const noted = calls ?? []
  const steps: (LoggedStep | CalledStep)[] =
    marks === undefined ? noted.map((call) => stepOf(call, call.calledAt - firstLineAt)) : []
  let called = 0
  for (let index = 0; index < (marks?.length ?? 0); index += 2) {
    const ms = Math.min(marks![index]!, durationMs)
    const length = marks![index + 1]!
    if (length !== callMark) steps.push([rounded(ms), length])
    else steps.push(stepOf(noted[called++]!, ms))
  }
  return { waitedMs: rounded(firstLineAt - requestedAt), steps }
}

function stepOf({ calledAt: _, tookMs, ...call }: NotedCall, ms: number): CalledStep {
  return { ...call, ms: rounded(ms), tookMs: tookMs === null ? null : rounded(tookMs) }
}

/** How many host calls marks are about. */
export function callsIn(marks: readonly number[]): number {
  let calls = 0
  for (let index = 1; index < marks.length; index += 2) if (marks[index] === callMark) calls += 1
  return calls
}

function rounded(ms: number): number {
  return Math.max(0, Math.round(ms * 100) / 100)
}
