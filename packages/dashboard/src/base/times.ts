/** How moments and durations are written. Moments are Unix milliseconds or ISO texts in UTC, as the API has them. */

import { lazy } from './lazy.ts'

export type Moment = number | string

/** Made when first used: to make a form takes milliseconds, and not every page needs each. */
const formOf = (form: Intl.DateTimeFormatOptions) => lazy(() => new Intl.DateTimeFormat(undefined, form))
const clock = formOf({ hour: '2-digit', minute: '2-digit', second: '2-digit' })
const dayAndClock = formOf({ month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' })
const yearAndDay = formOf({ year: 'numeric', month: 'short', day: 'numeric' })
const full = formOf({ dateStyle: 'full', timeStyle: 'long' })

export function toMs(moment: Moment): number {
  return typeof moment === 'number' ? moment : Date.parse(moment)
}

/** Short, in the user's time zone: the time of day for today, else the day. */
export function formatMoment(moment: Moment, now: number): string {
  const ms = toMs(moment)
  if (Number.isNaN(ms)) return '–'
  const date = new Date(ms)
  const today = new Date(now)
  if (date.toDateString() === today.toDateString()) return clock().format(date)
  return (date.getFullYear() === today.getFullYear() ? dayAndClock() : yearAndDay()).format(date)
}

/** Exact, in the user's time zone and in UTC, for those who hover. */
export function describeMoment(moment: Moment): string {
  const ms = toMs(moment)
  if (Number.isNaN(ms)) return 'Nobody knows when.'
  return `${full().format(ms)}\n${new Date(ms).toISOString().replace('T', ' ').replace('Z', ' UTC')}`
}

/** @returns `0.4 ms`, `12 ms`, `3.2 s`, `4 min 5 s`, `2 h 3 min`, `5 d 2 h` */
export function formatDuration(ms: number): string {
  if (ms < 0) return `\u2212${formatDuration(-ms)}`
  if (ms < 10 && ms % 1 !== 0) return `${ms.toFixed(1)} ms`
  if (ms < 1000) return `${Math.round(ms)} ms`
  const seconds = ms / 1000
  if (seconds < 60) return `${seconds < 10 ? seconds.toFixed(1).replace(/\.0$/, '') : Math.floor(seconds)} s`
  return (
    twoUnits(seconds, 86_400, 'd', 3600, 'h') ??
    twoUnits(seconds, 3600, 'h', 60, 'min') ??
    twoUnits(seconds, 60, 'min', 1, 's')!
  )
}

function twoUnits(
  seconds: number,
  large: number,
  largeName: string,
  small: number,
  smallName: string,
): string | undefined {
  if (seconds < large) return undefined
  const rest = Math.floor((seconds % large) / small)
  const first = `${Math.floor(seconds / large)} ${largeName}`
  return rest === 0 ? first : `${first} ${rest} ${smallName}`
}

/** @returns `3 s ago`, `in 4 min`, `now` */
export function formatDistance(moment: Moment, now: number): string {
  const ms = toMs(moment) - now
  if (Math.abs(ms) < 1000) return 'now'
  // In whole units: nobody reads the rest of a distance that changes each second.
  const [distance] = formatDuration(Math.floor(Math.abs(ms) / 1000) * 1000).split(/(?<=\D) (?=\d)/)
  return ms < 0 ? `${distance} ago` : `in ${distance}`
}
