import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { AppError } from '../base/errors.ts'
import { checkSchedule, nextMoment, normalInterval } from './cron-interval.ts'

const lengthsMs = {
  '10S': 10_000,
  '30S': 30_000,
  '1M': 60_000,
  '3M': 180_000,
  '5M': 300_000,
  '15M': 900_000,
  '30M': 1_800_000,
  '1H': 3_600_000,
  '2H': 7_200_000,
  '4H': 14_400_000,
  '8H': 28_800_000,
  '12H': 43_200_000,
  '1D': 86_400_000,
}
const minuteMs = 60_000

/** The times of a schedule from `from` until before `to`, in ISO 8601. */
function moments(cronInterval: string, timezone: string, from: string, to: string): string[] {
  const found: string[] = []
  for (let at = Date.parse(from) - 1; ; ) {
    at = nextMoment({ cronInterval, timezone }, at)
    if (at >= Date.parse(to)) return found
    found.push(new Date(at).toISOString().slice(0, 16))
  }
}

test('a named interval fires at each multiple of its length since the epoch, in every time zone', () => {
  const zone = fc.constantFrom('UTC', 'Asia/Kolkata', 'America/New_York')
  const name = fc.constantFrom(...(Object.keys(lengthsMs) as (keyof typeof lengthsMs)[]))
  const property = fc.property(
    name,
    zone,
    fc.integer({ min: 0, max: 4e12 }),
    (cronInterval, timezone, at) => {
      const next = nextMoment({ cronInterval, timezone }, at)
      const lengthMs = lengthsMs[cronInterval]
      assert.equal(next % lengthMs, 0)
      assert.ok(next > at && next - at <= lengthMs)
    },
  )
  fc.assert(property)
})

test('a name may be in lower case, and a cron expression may have any spaces between its fields', () => {
  assert.equal(normalInterval(' 15m '), '15M')
  assert.equal(normalInterval(' tick'), 'TICK')
  assert.equal(normalInterval('*/5\t*  * jan mon-fri'), '*/5 * * JAN MON-FRI')
  checkSchedule({ cronInterval: 'tick', timezone: 'utc' })
  checkSchedule({ cronInterval: '1d' })
  assert.equal(nextMoment({ cronInterval: '1h', timezone: 'UTC' }, 0), 3_600_000)
})

const expressions = fc
  .tuple(
    fc.constantFrom('*', '0', '30', '59', '*/5', '*/7', '0,30', '10-20', '5-55/10'),
    fc.constantFrom('*', '0', '2', '3', '23', '*/2', '2,14', '1-3', '0-23/4'),
    fc.constantFrom('*', '*', '1', '25', '31', 'L', '28-31', '1,L', '*/3'),
    fc.constantFrom('*', '*', '3', 'OCT', '3,4,10,11', '*/2'),
    fc.constantFrom('*', '*', 'SUN', '7', '1-5', '0#1', 'FRI#5', 'SUNL', '6,0'),
  )
  .map((fields) => fields.join(' '))

/** Both clock changes of each time zone, and plain days. */
const places = fc.constantFrom(
  { timezone: 'Europe/Berlin', day: '2026-03-29' },
  { timezone: 'Europe/Berlin', day: '2026-10-25' },
  { timezone: 'America/New_York', day: '2026-03-08' },
  { timezone: 'America/New_York', day: '2026-11-01' },
  { timezone: 'Australia/Lord_Howe', day: '2026-10-03' },
  { timezone: 'Australia/Lord_Howe', day: '2026-04-04' },
  { timezone: 'America/Havana', day: '2026-03-08' },
  { timezone: 'America/Havana', day: '2026-11-01' },
  { timezone: 'Asia/Kolkata', day: '2026-02-28' },
  { timezone: 'Pacific/Apia', day: '2026-12-31' },
  { timezone: 'UTC', day: '2028-02-29' },
)

test('a cron expression fires at exactly the times that match it, whatever time the search starts from', () => {
  const property = fc.property(
    expressions,
    places,
    fc.nat(minuteMs),
    (cronInterval, { timezone, day }, ms) => {
      const noon = Date.parse(`${day}T12:00:00Z`)
      const [from, to] = [noon - 18 * 60 * minuteMs, noon + 18 * 60 * minuteMs]
      const expected = matchingMinutes(cronInterval, timezone, from, to)
      if (neverComes({ cronInterval, timezone })) return assert.deepEqual(expected, [])
      let at = from - 1 + (ms % 2)
      const found: number[] = []
      for (;;) {
        const next = nextMoment({ cronInterval, timezone }, at)
        assert.ok(next > at)
        if (next >= to) break
        found.push(next)
        at = next
      }
      assert.deepEqual(
        found,
        expected.filter((moment) => moment > from - 1 + (ms % 2)),
      )
      const between = from + ms * 36
      assert.equal(
        Math.min(nextMoment({ cronInterval, timezone }, between), to),
        expected.find((moment) => moment > between) ?? to,
      )
    },
  )
  fc.assert(property, { numRuns: 200 })
})

test('an expression for times that the clock of its zone skips every year is refused, and quickly', () => {
  // The last Sunday of March is the day on which Berlin has no time from 02:00 to 03:00.
  const schedule = { cronInterval: '* 2 * 3 SUNL', timezone: 'Europe/Berlin' }
  assert.throws(() => checkSchedule(schedule), {
    message: /times that do not exist in Europe\/Berlin: the clock skips all of them/,
  })
  assert.throws(() => nextMoment(schedule, Date.now()), { message: /never comes in Europe\/Berlin/ })
  checkSchedule({ ...schedule, timezone: 'Asia/Kolkata' })
  checkSchedule({ ...schedule, cronInterval: '30 2 * 3 SUNL' })
})

test('a time that a clock change skips fires once, right after the gap', () => {
  const week = ['2026-03-28T00:00Z', '2026-03-31T00:00Z'] as const
  assert.deepEqual(moments('30 2 * * *', 'Europe/Berlin', ...week), [
    '2026-03-28T01:30',
    '2026-03-29T01:00',
    '2026-03-30T00:30',
  ])
  assert.deepEqual(moments('0,15,30 2 * * *', 'Europe/Berlin', '2026-03-29T00:00Z', '2026-03-30T00:00Z'), [
    '2026-03-29T01:00',
  ])
  assert.deepEqual(moments('0 1-3 * * *', 'Europe/Berlin', '2026-03-29T00:00Z', '2026-03-29T12:00Z'), [
    '2026-03-29T00:00',
    '2026-03-29T01:00',
  ])
  // Half an hour is skipped: 02:00 to 02:30.
  assert.deepEqual(moments('15 2 * * *', 'Australia/Lord_Howe', '2026-10-02T12:00Z', '2026-10-05T12:00Z'), [
    '2026-10-02T15:45',
    '2026-10-03T15:30',
    '2026-10-04T15:15',
  ])
})

test('a time that a clock change repeats fires only the first time', () => {
  assert.deepEqual(moments('30 2 * * *', 'Europe/Berlin', '2026-10-24T00:00Z', '2026-10-27T00:00Z'), [
    '2026-10-24T00:30',
    '2026-10-25T00:30',
    '2026-10-26T01:30',
  ])
  assert.deepEqual(moments('30 1,13 * * *', 'America/New_York', '2026-11-01T00:00Z', '2026-11-02T00:00Z'), [
    '2026-11-01T05:30',
    '2026-11-01T18:30',
  ])
})

test('hourly and minute expressions have no gap and no double at a clock change', () => {
  for (const [timezone, days] of [
    ['Europe/Berlin', ['2026-03-29', '2026-10-25']],
    ['America/New_York', ['2026-03-08', '2026-11-01']],
    ['Australia/Lord_Howe', ['2026-04-04', '2026-10-03']],
    ['Asia/Kolkata', ['2026-03-29']],
  ] as const) {
    for (const [cronInterval, everyMs] of [
      ['*/10 * * * *', 10 * minuteMs],
      ['* * * * *', minuteMs],
    ] as const) {
      for (const day of days) {
        let at = Date.parse(`${day}T00:00:00Z`)
        for (const end = at + 30 * 60 * minuteMs; at < end; at += everyMs) {
          assert.equal(nextMoment({ cronInterval, timezone }, at), at + everyMs)
        }
      }
    }
  }
  const hours = moments('0 * * * *', 'Europe/Berlin', '2026-10-24T22:00Z', '2026-10-25T04:00Z')
  assert.deepEqual(
    hours.map((time) => time.slice(11)),
    ['22:00', '23:00', '00:00', '01:00', '02:00', '03:00'],
  )
})

test('with a day of the month and a day of the week, an expression fires on either, as in every cron', () => {
  assert.deepEqual(moments('0 0 13 * FRI', 'UTC', '2026-02-01T00:00Z', '2026-03-01T00:00Z'), [
    '2026-02-06T00:00',
    '2026-02-13T00:00',
    '2026-02-20T00:00',
    '2026-02-27T00:00',
  ])
})

for (const cronInterval of [
  '',
  '1S',
  '2M',
  '1W',
  'TICKS',
  'now',
  '* * * *',
  '* * * * * *',
  '0 0 1 1 * 2027',
  '@daily',
  '@daily * * * *',
  '60 * * * *',
  '* 24 * * *',
  '* * 0 * *',
  '* * 32 * *',
  '* * * 13 *',
  '* * * FOO *',
  '* * * * 8',
  '* * * * MO',
  '? * * * *',
  '0 0 ? * MON',
  '0 0 15W * *',
  '0 0 LW * *',
  '0 0 1 * +1',
  '0 0 * * L',
  '0 0 * * 1#6',
  '*/0 * * * *',
  '*/61 * * * *',
  '5/5 * * * *',
  '5-1 * * * *',
  '1,,2 * * * *',
  '-5 * * * *',
  '1.5 * * * *',
  '0x5 * * * *',
  '٣ * * * *',
  '* * * * *\0',
  '2026-01-01T00:00:00',
  '0 0 31 2 *',
  '0 0 30,31 2 *',
  '0 0 31 4,6,9,11 *',
  `${'1,'.repeat(200)}2 * * * *`,
]) {
  test(`${JSON.stringify(cronInterval.slice(0, 40))} is refused, naming the field`, () => {
    assert.throws(() => checkSchedule({ cronInterval }), namingField('body.cron_interval'))
  })
}

for (const timezone of ['', 'Mars/Phobos', '+02:00', 'UTC+2', 'Europe/Berlin ', 'Local', 'undefined', '\0']) {
  test(`${JSON.stringify(timezone)} is refused as a time zone, whatever the interval is`, () => {
    assert.throws(() => checkSchedule({ timezone }), namingField('body.timezone'))
    assert.throws(() => checkSchedule({ timezone, cronInterval: '1M' }), namingField('body.timezone'))
  })
}

test('an error about an expression names the wrong field', () => {
  const message = (cronInterval: string) => {
    try {
      return checkSchedule({ cronInterval })
    } catch (error) {
      return (error as AppError).message
    }
  }
  assert.match(String(message('0 25 * * *')), /has an invalid hour: "25"/)
  assert.match(String(message('0 0 * * MO')), /has an invalid day of the week: "MO"/)
  assert.match(String(message('0 0 31 2 *')), /dates that do not exist/)
  assert.match(String(message('3X')), /10S, 30S, 1M.*, TICK, or a cron expression with 5 fields/)
  assert.match(String(message('0 30 9 * * *')), /has 6 fields, but a cron expression needs 5: minute, hour, /)
  assert.match(String(message('30 9 * *')), /has 4 fields, but a cron expression needs 5/)
  assert.match(String(message(`${'0,'.repeat(200)}0 * * * *`)), /at most 255 characters/)
})

test('rare days are accepted and found', () => {
  for (const cronInterval of ['0 0 29 2 *', '0 0 * 2 1#5', '0 0 L 2 *', '0 0 31 2 1']) {
    checkSchedule({ cronInterval, timezone: 'Asia/Kolkata' })
  }
  const after = Date.parse('2026-11-21T00:00:00Z')
  assert.equal(
    new Date(nextMoment({ cronInterval: '0 0 29 2 *', timezone: 'UTC' }, after)).toISOString(),
    '2028-02-29T00:00:00.000Z',
  )
})

function neverComes(schedule: { cronInterval: string; timezone: string }): boolean {
  try {
    checkSchedule(schedule)
    return false
  } catch {
    return true
  }
}

function namingField(field: string) {
  return (error: unknown) => {
    assert.ok(error instanceof AppError)
    assert.equal(error.status, 400)
    assert.equal(error.details?.[0]?.field, field)
    return true
  }
}

/**
 * The minutes at which an expression comes, by looking at the clock on the wall in each of them: for a fixed time
 * of day the first minute that shows it, or the first after a jump over it; else every minute that matches.
 */
function matchingMinutes(expression: string, timezone: string, from: number, to: number): number[] {
  const [minute, hour] = expression.split(' ')
  const matches = matcher(expression)
  const isFixed = !/[*/]/.test(`${minute}${hour}`)
  const seen = new Set<string>()
  const found: number[] = []
  // Starts early, so that it has seen the first of two equal times.
  let before = wallClock(from - 180 * minuteMs, timezone)
  for (let at = from - 180 * minuteMs; at < to; at += minuteMs) {
    const wall = wallClock(at, timezone)
    const skipped: Wall[] = []
    for (let t = before.ms + minuteMs; isFixed && t < wall.ms; t += minuteMs) skipped.push(asWall(t))
    const first = !seen.has(String(wall.ms))
    seen.add(String(wall.ms))
    const comes = (matches(wall) && (first || !isFixed)) || skipped.some(matches)
    if (comes && at >= from) found.push(at)
    before = wall
  }
  return found
}

/** The local time of a clock on the wall; `ms` as if it were UTC. */
type Wall = {
  ms: number
  minute: number
  hour: number
  day: number
  month: number
  weekday: number
  lastDay: number
}

type WallClock = { format: Intl.DateTimeFormat; seen: Map<number, Wall> }

/** Each keeps what it has shown: every expression looks at the same minutes, and formatting takes most of the time. */
const wallClocks = new Map<string, WallClock>()

function wallClock(at: number, timezone: string): Wall {
  let clock = wallClocks.get(timezone)
  if (clock === undefined) {
    const format = new Intl.DateTimeFormat('sv', {
      timeZone: timezone,
      dateStyle: 'short',
      timeStyle: 'short',
    })
    clock = { format, seen: new Map() }
    wallClocks.set(timezone, clock)
  }
  let wall = clock.seen.get(at)
  if (wall === undefined) {
    wall = asWall(Date.parse(`${clock.format.format(at).replace(' ', 'T')}Z`))
    clock.seen.set(at, wall)
  }
  return wall
}

function asWall(ms: number): Wall {
  const date = new Date(ms)
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  return {
    ms,
    minute: date.getUTCMinutes(),
    hour: date.getUTCHours(),
    day: date.getUTCDate(),
    month: date.getUTCMonth() + 1,
    weekday: date.getUTCDay(),
    lastDay,
  }
}

/** Whether a time on the wall matches the expression. Reads minutes and hours once: a test asks for thousands of times. */
function matcher(expression: string): (wall: Wall) => boolean {
  const [minute, hour, ...days] = expression.split(' ') as [string, string, string, string, string]
  const minutes = Array.from({ length: 60 }, (_, value) => inList(minute, value, 0))
  const hours = Array.from({ length: 24 }, (_, value) => inList(hour, value, 0))
  return (wall) => minutes[wall.minute]! && hours[wall.hour]! && matchesDay(days, wall)
}

function matchesDay([day, month, weekday]: [string, string, string], wall: Wall): boolean {
  const byDay = inList(day, wall.day, 1, (item) => item === 'L' && wall.day === wall.lastDay)
  const byWeekday = inList(named(weekday, 'SUN MON TUE WED THU FRI SAT', 0), wall.weekday, 0, (item) => {
    const [, which, nth, last] = /^(\d)(?:#(\d)|(L))$/.exec(item) ?? []
    if (which === undefined || Number(which) % 7 !== wall.weekday) return false
    return last === undefined ? Math.ceil(wall.day / 7) === Number(nth) : wall.day > wall.lastDay - 7
  })
  const onDay = day === '*' ? byWeekday : weekday === '*' ? byDay : byDay || byWeekday
  return inList(named(month, 'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC', 1), wall.month, 1) && onDay
}

function named(field: string, names: string, first: number): string {
  return names.split(' ').reduce((text, name, index) => text.replaceAll(name, String(index + first)), field)
}

function inList(field: string, value: number, lowest: number, special = (_item: string) => false): boolean {
  return field.split(',').some((item) => {
    if (special(item)) return true
    const [range, step = '1'] = item.split('/') as [string, string?]
    if (range === '*') return (value - lowest) % Number(step) === 0
    const [low, high = low] = range.split('-').map(Number) as [number, number?]
    // Sunday is also 7.
    return [value, ...(lowest === 0 && value === 0 && high === 7 ? [7] : [])].some(
      (v) => v >= low && v <= high && (v - low) % Number(step) === 0,
    )
  })
}
