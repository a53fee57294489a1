/** Turns a trace into the rows of a waterfall: what happened when, and how long it took. */

import type { client } from '../data/client.ts'

export type Trace = Awaited<ReturnType<typeof client.runs.trace>>
export type Step = Trace['steps'][number]

/** Where a step lies on the time axis, in percent of the whole. `null`: nobody knows when it was. */
export type Bar = { start: number; width: number } | null

export type WaterfallRow = { step: Step; bar: Bar; lane: Lane }

/** The parts of the way from a payload to a fill. */
export type Lane = 'arrival' | 'run' | 'signal' | 'order' | 'missing'

const lanes: Record<string, Lane> = {
  received: 'arrival',
  stored: 'arrival',
  due: 'arrival',
  queued: 'arrival',
  signal: 'signal',
  bot: 'signal',
  approval: 'signal',
  decision: 'signal',
  order: 'order',
  sent: 'order',
  acknowledged: 'order',
  fill: 'order',
  booked: 'order',
  settled: 'order',
  missing: 'missing',
  cut: 'missing',
}

/** The rows, and the length of the time axis in ms. */
export function waterfallOf(steps: readonly Step[]): { rows: WaterfallRow[]; wholeMs: number } {
  const wholeMs = Math.max(1, ...steps.map((step) => endOf(step)))
  const rows = steps.map((step) => ({ step, bar: barOf(step, wholeMs), lane: lanes[step.kind] ?? 'run' }))
  return { rows, wholeMs }
}

function endOf({ offset_ms, took_ms, kind }: Step): number {
  if (offset_ms === null) return 0
  return startsAtOffset(kind) ? offset_ms + (took_ms ?? 0) : offset_ms
}

/** What waits, is called or is sent is noted when that begins; an end and an answer when it is over. */
const notedAtStart = new Set(['queued', 'started', 'call', 'asked', 'bot', 'order', 'sent'])

function startsAtOffset(kind: string): boolean {
  return notedAtStart.has(kind)
}

function barOf(step: Step, wholeMs: number): Bar {
  const { offset_ms, took_ms, kind } = step
  if (offset_ms === null) return null
  const duration = took_ms ?? 0
  const start = startsAtOffset(kind) ? offset_ms : Math.max(0, offset_ms - duration)
  return { start: (start / wholeMs) * 100, width: (Math.min(duration, wholeMs) / wholeMs) * 100 }
}

/** What took longest: the step, if it took more than a fifth of the whole. */
export function longestOf(steps: readonly Step[], wholeMs: number): Step | undefined {
  const [longest] = steps.filter(({ took_ms }) => took_ms !== null).sort((a, b) => b.took_ms! - a.took_ms!)
  return longest !== undefined && longest.took_ms! > wholeMs / 5 ? longest : undefined
}
