/** The filters of the list of runs. They are part of the address, so that every view is a link. */

import { beginningOfRange, type Range, rangeOf } from '../../base/ranges.ts'
import { isRunStatus, type RunStatus } from '../../data/run-result.ts'

const triggers = ['schedule', 'tick', 'manual', 'webhook', 'replay'] as const

export type RunFilters = {
  status?: RunStatus
  trigger?: (typeof triggers)[number]
  strategy?: number
  /** Until now. Not together with `since` and `until`. */
  range?: Range
  since?: string
  until?: string
  q?: string
}

export const triggerChoices = [
  { value: 'webhook', text: 'Webhook' },
  { value: 'schedule', text: 'Schedule' },
  { value: 'tick', text: 'Price' },
  { value: 'manual', text: 'By hand' },
  { value: 'replay', text: 'Replay' },
] as const satisfies { value: (typeof triggers)[number]; text: string }[]

/** Reads the filters of an address. What is no filter is left out: anybody can write an address. */
export function readRunFilters(search: Record<string, unknown>): RunFilters {
  const { status, trigger, strategy, since, until, q } = search
  const strategyId = Number(strategy)
  const range = rangeOf(search.range)
  return {
    ...(isRunStatus(status) ? { status } : {}),
    ...(isOneOf(triggers, trigger) ? { trigger } : {}),
    ...(Number.isSafeInteger(strategyId) && strategyId > 0 ? { strategy: strategyId } : {}),
    ...(range === undefined ? {} : { range }),
    ...(range === undefined && isTime(since) ? { since } : {}),
    ...(range === undefined && isTime(until) ? { until } : {}),
    ...(typeof q === 'string' && q !== '' ? { q: q.slice(0, 200) } : {}),
  }
}

function isOneOf<Value extends string>(values: readonly Value[], value: unknown): value is Value {
  return values.includes(value as Value)
}

function isTime(value: unknown): value is string {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value))
}

type RunLike = { status: string; trigger: string; strategy_id: number; queued_at: string }

/** Whether a run of a live event belongs into the filtered list. Of a text, only the service knows: then `null`. */
export function matches(run: RunLike, filters: RunFilters): boolean | null {
  const { status, trigger, strategy, since, until, q } = filters
  if (status !== undefined && run.status !== status) return false
  if (trigger !== undefined && run.trigger !== trigger) return false
  if (strategy !== undefined && run.strategy_id !== strategy) return false
  const queuedAt = Date.parse(run.queued_at)
  if (since !== undefined && queuedAt < Date.parse(since)) return false
  if (until !== undefined && queuedAt > Date.parse(until)) return false
  return q === undefined ? true : null
}

/** What the service is asked for. A range ends now, so it begins at a moment that the caller keeps. */
export function requestOf({ strategy, range, ...filters }: RunFilters, now: number) {
  return {
    ...filters,
    ...(strategy === undefined ? {} : { strategy_id: strategy }),
    ...(range === undefined ? {} : { since: beginningOfRange(range, now) }),
  }
}
