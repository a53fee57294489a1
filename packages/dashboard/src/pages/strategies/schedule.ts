import cronstrue from 'cronstrue'

/** Schedules in words, and the parts of the form that edits them. */

const units: Record<string, string> = { S: 'second', M: 'minute', H: 'hour', D: 'day' }

export const intervals = [
  '10S',
  '30S',
  '1M',
  '3M',
  '5M',
  '15M',
  '30M',
  '1H',
  '2H',
  '4H',
  '8H',
  '12H',
  '1D',
] as const

export type Form = 'interval' | 'cron' | 'tick'

/** Which of the three forms of a schedule it has. */
export function formOf(cronInterval: string): Form {
  if (cronInterval === 'TICK') return 'tick'
  return /^\d+[SMHD]$/.test(cronInterval) ? 'interval' : 'cron'
}

/** @returns `every 15 minutes`, `at 09:30, Monday through Friday`; `null` for what is no schedule */
export function scheduleText(cronInterval: string): string | null {
  const form = formOf(cronInterval)
  if (form === 'tick') return 'with each price, at most once a second'
  if (form === 'interval') {
    const number = Number.parseInt(cronInterval, 10)
    const unit = units[cronInterval.at(-1)!]!
    return number === 1 ? `every ${unit}` : `every ${number} ${unit}s`
  }
  return cronText(cronInterval)
}

function cronText(expression: string): string | null {
  const fields = expression.trim().split(/\s+/)
  // The library also reads seconds, years and nicknames, which the service refuses.
  if (fields.length !== 5) return null
  let text: string
  try {
    text = cronstrue.toString(expression, { use24HourTimeFormat: true })
  } catch {
    return null
  }
  // With both a day of the month and a day of the week, either is enough.
  const either = fields[2] !== '*' && fields[4] !== '*'
  const joined = either ? text.replace(/, and (?=on |only on )/, ', or ') : text
  return joined.charAt(0).toLowerCase() + joined.slice(1)
}

/** A moment in a time zone: `Mon, Mar 9, 09:30:00`. The zone may be unknown to this browser: then in UTC. */
export function momentIn(ms: number, timeZone: string | undefined): string {
  const form = {
    weekday: 'short',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  } as const
  try {
    return new Intl.DateTimeFormat(undefined, { ...form, timeZone }).format(ms)
  } catch {
    return `${new Intl.DateTimeFormat(undefined, { ...form, timeZone: 'UTC' }).format(ms)} UTC`
  }
}

/** Whether clocks show the same in both zones at all of these moments. */
export function showSame(moments: readonly number[], one: string, other: string): boolean {
  return moments.every((ms) => momentIn(ms, one) === momentIn(ms, other))
}

const outcomes: Record<string, string> = {
  RUN: 'Ran',
  JOINED: 'Late: one run for several times',
  NONE: 'No run',
  PENDING: 'Is due',
}

/** What became of a time of a schedule. */
export function outcomeText(outcome: string): string {
  return outcomes[outcome] ?? outcome
}
