/** How rows become the parts of a series, and how parts merge. */
import { createHash } from 'node:crypto'
import { type CandleInterval, readInterval } from '@tickwright/sandbox'
import type { Rows } from './codec.ts'

export type SeriesKind = 'candles' | 'funding'

/** The figures of a row, in their order. */
export const figuresOf = {
  candles: ['open', 'high', 'low', 'close', 'volume'],
  funding: ['rate'],
} as const satisfies Record<SeriesKind, readonly string[]>

/** A part covers this many candles. Packing one takes about 3 ms. */
export const candlesPerPart = 1_024
const hourMs = 3_600_000

/** The length of the stretches of time that parts cover, in ms. Exchanges pay funding at most once an hour. */
export function stretchOf(kind: SeriesKind, interval: string): number {
  return candlesPerPart * (kind === 'funding' ? hourMs : durationOf(interval).ms)
}

/** @throws {Error} for a text that is no interval: every series was checked when it was made */
export function durationOf(interval: string): CandleInterval {
  const duration = readInterval(interval)
  if (duration === undefined) throw new Error(`"${interval}" is no interval.`)
  return duration
}

/** How many parts rows in order of time belong to. */
export function countParts(times: readonly number[], stretchMs: number): number {
  let [parts, last] = [0, Number.NaN]
  for (const time of times) {
    const part = Math.floor(time / stretchMs)
    if (part !== last) parts++
    last = part
  }
  return parts
}

/** Rows in order of time, by the part that they belong to. */
export function* partsOf({ times, figures }: Rows, stretchMs: number): Generator<[part: number, rows: Rows]> {
  for (let from = 0; from < times.length; ) {
    const part = Math.floor(times[from]! / stretchMs)
    let to = from + 1
    while (to < times.length && Math.floor(times[to]! / stretchMs) === part) to++
    yield [part, { times: times.slice(from, to), figures: figures.map((column) => column.slice(from, to)) }]
    from = to
  }
}

/** A row that was found again with other figures. */
export type Change = { timeMs: number; stored: string; found: string }

export type Merged = { rows: Rows; added: number; repeated: number; changes: Change[] }

/** Adds rows to those of a part, both in order of time. A stored row stays as it is, whatever is found. */
export function merge(stored: Rows, found: Rows): Merged {
  const times: number[] = []
  const figures: string[][] = found.figures.map(() => [])
  const merged: Merged = { rows: { times, figures }, added: 0, repeated: 0, changes: [] }
  const take = ({ times: from, figures: columns }: Rows, row: number) => {
    times.push(from[row]!)
    for (const [index, column] of columns.entries()) figures[index]!.push(column[row]!)
  }
  let at = 0
  for (const [row, time] of found.times.entries()) {
    while (at < stored.times.length && stored.times[at]! < time) take(stored, at++)
    if (stored.times[at] !== time) {
      take(found, row)
      merged.added++
      continue
    }
    const [was, is] = [textOfRow(stored, at), textOfRow(found, row)]
    if (was === is) merged.repeated++
    else merged.changes.push({ timeMs: time, stored: was, found: is })
  }
  while (at < stored.times.length) take(stored, at++)
  return merged
}

function textOfRow({ figures }: Rows, row: number): string {
  return figures.map((column) => column[row]).join(',')
}

/** The SHA-256 of the lines of a part: each row with its time and figures, with commas between and a line feed behind. */
export function checksumOf(rows: Rows): string {
  const hash = createHash('sha256')
  for (const [row, time] of rows.times.entries()) hash.update(`${time},${textOfRow(rows, row)}\n`)
  return hash.digest('hex')
}

/** The checksum of a series: the SHA-256 of the checksums of its parts in order of time, without anything between them. */
export function checksumOfParts(checksums: readonly string[]): string {
  return createHash('sha256').update(checksums.join('')).digest('hex')
}
