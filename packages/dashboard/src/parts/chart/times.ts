/** The texts of the time axis. Moments are in Unix milliseconds. */

/** What a place on the axis begins, as the chart library numbers it: year, month, day, minute, second. */
export type TickKind = 0 | 1 | 2 | 3 | 4

/** Candles of a day and longer belong to a day of UTC, so they are named in UTC; others in the user's time zone. */
export function axisTimes(locale: string, isDaily: boolean) {
  const zone = isDaily ? { timeZone: 'UTC' } : {}
  const form = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { ...zone, ...options })
  const forms = [
    form({ year: 'numeric' }),
    form({ month: 'short' }),
    form({ day: 'numeric', month: 'short' }),
    form({ hour: '2-digit', minute: '2-digit' }),
    form({ hour: '2-digit', minute: '2-digit', second: '2-digit' }),
  ]
  const whole = form({
    dateStyle: 'medium',
    ...(isDaily ? {} : { timeStyle: 'short' as const }),
  })
  return {
    tick: (ms: number, kind: TickKind) => forms[kind]!.format(ms),
    whole: (ms: number) => whole.format(ms),
  }
}
