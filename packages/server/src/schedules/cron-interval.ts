import assert from 'node:assert/strict'
import { Cron } from 'croner'
import { LRUCache } from 'lru-cache'
import { invalidField } from '../base/errors.ts'

/** When a strategy runs: a named interval, `TICK` or a cron expression, and the IANA time zone of the expression. */
export type Schedule = { cronInterval: string; timezone: string }

const tick = 'TICK'

/** Intervals have a fixed length and count from the Unix epoch, like the candles of exchanges. */
const intervalsMs = new Map(
  Object.entries({
    '10S': 10,
    '30S': 30,
    '1M': 60,
    '3M': 180,
    '5M': 300,
    '15M': 900,
    '30M': 1800,
    '1H': 3600,
    '2H': 7200,
    '4H': 14_400,
    '8H': 28_800,
    '12H': 43_200,
    '1D': 86_400,
  }).map(([name, seconds]) => [name, seconds * 1000]),
)

/** The syntax that every cron knows, and `L` and `#` in the days. Croner accepts more, but other crons read that differently. */
const cronFields = [
  { name: 'minute', characters: /^[\d*,/-]+$/ },
  { name: 'hour', characters: /^[\d*,/-]+$/ },
  { name: 'day of the month', characters: /^[\d*,/L-]+$/ },
  { name: 'month', characters: /^[\dA-Z*,/-]+$/ },
  { name: 'day of the week', characters: /^[\dA-Z*,/#-]+$/ },
]

const lengthLimit = 255

/**
 * Checks the given fields of a schedule. An expression without a time zone is checked in UTC.
 * @param part the part of the request that has the fields
 * @throws {AppError} 400 naming the field (`body.cron_interval`, `body.timezone`)
 */
export function checkSchedule(
  { cronInterval, timezone }: Partial<Schedule>,
  part: 'body' | 'querystring' = 'body',
): void {
  if (timezone !== undefined && !isZone(timezone)) {
    throw invalidField('timezone', 'must be the name of an IANA time zone, such as Europe/Berlin', part)
  }
  if (cronInterval === undefined) return
  const interval = normalInterval(cronInterval)
  if (interval === tick || intervalsMs.has(interval)) return
  const mistake = mistakeIn(interval, timezone ?? 'UTC')
  if (mistake !== undefined) throw invalidField('cron_interval', mistake, part)
}

/** The form in which an interval is stored: `1h` as `1H`, and a cron expression with one space between its fields. */
export function normalInterval(cronInterval: string): string {
  return cronInterval.trim().replaceAll(/\s+/g, ' ').toUpperCase()
}

/** Whether prices trigger the strategy, not the clock. */
export function ticks({ cronInterval }: Schedule): boolean {
  return normalInterval(cronInterval) === tick
}

/**
 * The first time of a checked schedule after `afterMs`, both in Unix ms. Not for `TICK`.
 * @throws if there is none (any more: zones change their rules), or this system does not know the time zone (any more)
 */
export function nextMoment({ cronInterval, timezone }: Schedule, afterMs: number): number {
  const interval = normalInterval(cronInterval)
  const everyMs = intervalsMs.get(interval)
  if (everyMs !== undefined) return (Math.floor(afterMs / everyMs) + 1) * everyMs
  return nextOfExpression(interval, timezone, afterMs)
}

/**
 * The first times of a checked schedule after `fromMs`, in Unix ms. There are fewer than `count` if the cron expression
 * has no more until the year 3000, and none for `TICK`.
 */
export function nextMoments({ cronInterval, timezone }: Schedule, fromMs: number, count: number): number[] {
  const interval = normalInterval(cronInterval)
  if (interval === tick) return []
  const everyMs = intervalsMs.get(interval)
  if (everyMs !== undefined) {
    const firstMs = (Math.floor(fromMs / everyMs) + 1) * everyMs
    return Array.from({ length: count }, (_, index) => firstMs + index * everyMs)
  }
  // Not one of the kept expressions: those of schedules that fire must stay.
  const moments = compile(interval, timezone).nextRuns(count, new Date(fromMs))
  return moments.map((moment) => moment.getTime())
}

/**
 * The latest times of a schedule until `untilMs`, which may be one of them, in Unix ms and newest first. There are none
 * for `TICK`.
 * @throws if this system does not know the time zone (any more)
 */
export function latestMoments(
  { cronInterval, timezone }: Schedule,
  untilMs: number,
  count: number,
): number[] {
  const interval = normalInterval(cronInterval)
  if (interval === tick) return []
  const everyMs = intervalsMs.get(interval)
  if (everyMs !== undefined) {
    const lastMs = Math.floor(untilMs / everyMs) * everyMs
    return Array.from({ length: count }, (_, index) => lastMs - index * everyMs)
  }
  const moments = compile(interval, timezone).previousRuns(count, new Date(untilMs + 1))
  return moments.map((moment) => moment.getTime())
}

/** Whether a stored schedule has a next time. Its time zone may be one that this system does not know (any more). */
export function canFire({ cronInterval, timezone }: Schedule): boolean {
  return intervalsMs.has(normalInterval(cronInterval)) || isZone(timezone)
}

/** What is wrong with a cron expression: the rest of a sentence that begins with the name of its field. */
function mistakeIn(expression: string, timezone: string): string | undefined {
  if (expression.length > lengthLimit) return `must have at most ${lengthLimit} characters`
  const fields = expression.split(' ')
  if (fields.length === 1) {
    return `must be one of ${[...intervalsMs.keys()].join(', ')}, ${tick}, or a cron expression with 5 fields`
  }
  if (fields.length !== cronFields.length) {
    const names = cronFields.map(({ name }) => name).join(', ')
    return `has ${fields.length} fields, but a cron expression needs ${cronFields.length}: ${names}`
  }
  const wrong = cronFields.findIndex(
    ({ characters }, at) =>
      !characters.test(fields[at]!) ||
      !parses(cronFields.map((_, i) => (i === at ? fields[i] : '*')).join(' ')),
  )
  if (wrong >= 0) return `has an invalid ${cronFields[wrong]!.name}: "${fields[wrong]}"`
  if (!comes(expression, 'UTC')) return 'is a cron expression for dates that do not exist'
  if (comes(expression, timezone)) return undefined
  return `is a cron expression for times that do not exist in ${timezone}: the clock skips all of them`
}

/** More than the longest time between two days of a calendar: 29 February on a given day of the week, around 2100. */
const searchedYears = 41

/**
 * Whether an expression ever comes in a time zone. Some never do, since the clock skips their times on each of their
 * days. A search until the year 3000 would then hold up the process for seconds, so this one has an end.
 */
function comes(expression: string, timezone: string): boolean {
  const year = new Date().getUTCFullYear()
  const bounded = new Cron(`0 ${expression} ${year}-${year + searchedYears}`, { mode: '7-part', timezone })
  return bounded.nextRun() !== null
}

function parses(expression: string): boolean {
  try {
    compile(expression, 'UTC')
    return true
  } catch {
    return false
  }
}

/**
 * When clocks change for daylight saving, a skipped or repeated time counts once, also in lists and ranges. An
 * expression with `*` or a step in minute or hour fires at each real time that matches.
 */
function compile(expression: string, timezone: string): Cron {
  return new Cron(expression, { mode: '5-part', timezone, fixedTimeRule: 'no-wildcard' })
}

/** The answers for zones that users named. To ask costs as much as everything else about a strategy in a list. */
const zones = new LRUCache<string, boolean>({ max: 1000 })

function isZone(name: string): boolean {
  const known = zones.get(name) ?? findZone(name)
  zones.set(name, known)
  return known
}

function findZone(name: string): boolean {
  // Intl also accepts offsets such as +02:00, which are not names.
  if (!/^[A-Z][\w+/-]*$/i.test(name)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/** A compiled expression with its last result: `nextMs` is the next time for every moment from `fromMs` until then. */
type Compiled = { cron: Cron; fromMs: number; nextMs: number }

/** Compiling costs as much as finding the next time, but a compiled expression takes 80 KB. */
const compiled = new LRUCache<string, Compiled>({ max: 100 })

function nextOfExpression(expression: string, timezone: string, afterMs: number): number {
  const key = `${expression} ${timezone}`
  let known = compiled.get(key)
  if (known === undefined) {
    assert(comes(expression, timezone), `${expression} never comes in ${timezone}.`)
    known = { cron: compile(expression, timezone), fromMs: 0, nextMs: 0 }
    compiled.set(key, known)
  }
  if (afterMs < known.fromMs || afterMs >= known.nextMs) {
    const next = known.cron.nextRun(new Date(afterMs))
    assert(next !== null, `${expression} in ${timezone} has no time after ${afterMs}.`)
    known.fromMs = afterMs
    known.nextMs = next.getTime()
  }
  return known.nextMs
}
