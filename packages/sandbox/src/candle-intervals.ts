/** The durations of candles. The runtime and the service both use this. Times are in Unix milliseconds. */

/** `months` is 0, unless the interval has calendar months, which differ in length; `ms` is then that of the shortest. */
export type CandleInterval = { ms: number; months: number }

const { floor } = Math
const minuteMs = 60_000
const unitMs: Record<string, number> = {
  m: minuteMs,
  h: 60 * minuteMs,
  d: 1_440 * minuteMs,
  w: 7 * 1_440 * minuteMs,
  M: 28 * 1_440 * minuteMs,
}
/** Weeks begin on Monday. The first Monday of Unix time is 5 January 1970. */
const firstMondayMs = 4 * 1_440 * minuteMs

/** Reads an interval such as `5m`, `1h`, `1d`, `1w` or `1M`: `m` are minutes, `M` are months. */
export function readInterval(text: unknown): CandleInterval | undefined {
  const match = typeof text === 'string' ? /^([1-9]\d{0,2})([mhdwM])$/.exec(text) : null
  if (match === null) return undefined
  const number = Number(match[1])
  const unit = match[2]!
  return { ms: number * unitMs[unit]!, months: unit === 'M' ? number : 0 }
}

/** When the candle opened that contains a time. Candles are aligned to UTC. */
export function openingOf({ ms, months }: CandleInterval, at: number): number {
  if (months > 0) {
    const date = new Date(at)
    const month = date.getUTCFullYear() * 12 + date.getUTCMonth()
    return monthStart(month - (month % months))
  }
  const offset = ms % unitMs.w! === 0 ? firstMondayMs : 0
  return floor((at - offset) / ms) * ms + offset
}

/** When the candle ends that opened at a time: `steps` candles after its opening, 1 by default. */
export function endingOf({ ms, months }: CandleInterval, opening: number, steps = 1): number {
  if (months === 0) return opening + steps * ms
  const date = new Date(opening)
  return monthStart(date.getUTCFullYear() * 12 + date.getUTCMonth() + steps * months)
}

/** @param month counts from the year 0 */
function monthStart(month: number): number {
  return Date.UTC(floor(month / 12), month % 12)
}
