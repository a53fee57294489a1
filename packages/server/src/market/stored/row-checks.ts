/** Checks what users import, row by row. */
import type { CandleInterval } from '@tickwright/sandbox'
import { AppError } from '../../base/errors.ts'
import { excerpt } from '../simulated/candle-file.ts'
import type { Rows } from './codec.ts'
import { exactly } from './exact.ts'
import { endOf } from './gaps.ts'
import { durationOf, figuresOf, type SeriesKind } from './parts.ts'

/** What is wrong with a line of a file. */
export type LineProblem = { line: number; message: string }

/** An error names so many lines. The work ends there: a file with more of them is something else. */
const mostProblems = 50
/** No figure of a row is longer, whatever follows of it. */
const longestFigure = 90

type Options = {
  kind: SeriesKind
  /** Empty for funding rates. */
  interval: string
  /** Unix ms: no row is from later. */
  nowMs: number
}

/** Collects rows in order of time, and what is wrong with them. */
export class CheckedRows {
  readonly rows: Rows
  /** The line of each row. */
  readonly lines: number[] = []
  readonly problems: LineProblem[] = []
  /** Candles at the end that have not ended: they would still change, so they are left out. */
  dropped = 0
  #kind: SeriesKind
  #names: readonly string[]
  #duration: CandleInterval | undefined
  #interval: string
  #nowMs: number
  #last: { time: number; line: number } | undefined

  constructor({ kind, interval, nowMs }: Options) {
    this.#kind = kind
    this.#names = figuresOf[kind]
    this.#interval = interval
    this.#duration = kind === 'candles' ? durationOf(interval) : undefined
    this.#nowMs = nowMs
    this.rows = { times: [], figures: this.#names.map(() => []) }
  }

  /** Whether so many lines are wrong that no more are read. */
  get isHopeless(): boolean {
    return this.problems.length >= mostProblems
  }

  refuse(line: number, message: string): void {
    this.problems.push({ line, message })
  }

  /** Adds a row. @param figures texts in the order of the columns; candles without volume have none */
  add(line: number, time: number, figures: readonly string[]): void {
    const problem = this.#timeProblem(time, figures) ?? this.#take(time, figures)
    if (problem === undefined) {
      this.lines.push(line)
      this.#last = { time, line }
    } else this.refuse(line, problem)
  }

  /** @throws {AppError} 400 with every line that is wrong. @param field the field of the body with the file */
  demandValid(field: string): void {
    if (this.problems.length > 0) throw refused(field, this.problems)
    this.#dropUnfinished()
  }

  #timeProblem(time: number, figures: readonly string[]): string | undefined {
    if (time > this.#nowMs) return `time must not be in the future, got ${shown(time)}.`
    const last = this.#last
    if (last === undefined) return undefined
    const before = `that of line ${last.line} (${shown(last.time)})`
    if (time === last.time) {
      const same = this.rows.figures.every(
        (column, index) => column.at(-1) === exactly(figures[index] ?? '0'),
      )
      return `time is the same as ${before}, ${same ? 'with the same values' : 'with other values'}.`
    }
    if (time < last.time)
      return `time must be later than ${before}, got ${shown(time)}: the oldest comes first.`
    if (this.#duration !== undefined && time < endOf(this.#duration, last.time)) {
      return `time must not be within the candle of line ${last.line}, which lasts ${this.#interval} from ${shown(last.time)}.`
    }
    return undefined
  }

  /** Stores the figures of a row, or returns what is wrong with them. */
  #take(time: number, figures: readonly string[]): string | undefined {
    const exact: string[] = []
    for (const [index, name] of this.#names.entries()) {
      const text = figures[index] ?? '0'
      const value = text.length > longestFigure ? undefined : exactly(text)
      if (value === undefined) {
        return `${name} must be a decimal number with at most 40 digits before and after its point, got "${excerpt(text)}".`
      }
      if (this.#kind === 'candles' && name !== 'volume' && !(Number(value) > 0)) {
        return `${name} must be above zero, got "${excerpt(text)}".`
      }
      if (name === 'rate' && Math.abs(Number(value)) > 1) {
        return `rate must be a fraction from -1 to 1, such as 0.0001, got "${excerpt(text)}".`
      }
      if (name === 'volume' && Number(value) < 0)
        return `volume must not be negative, got "${excerpt(text)}".`
      exact.push(value)
    }
    const impossible = this.#kind === 'candles' ? whyImpossible(exact) : undefined
    if (impossible !== undefined) return impossible
    this.rows.times.push(time)
    for (const [index, value] of exact.entries()) this.rows.figures[index]!.push(value)
    return undefined
  }

  #dropUnfinished(): void {
    const last = this.rows.times.at(-1)
    if (this.#duration === undefined || last === undefined || endOf(this.#duration, last) <= this.#nowMs)
      return
    this.rows.times.pop()
    for (const column of this.rows.figures) column.pop()
    this.lines.pop()
    this.dropped = 1
  }
}

/** @param field the field of the body with the file */
export function refused(field: string, problems: readonly LineProblem[]): AppError {
  const [first] = problems
  const more =
    problems.length > 1
      ? ` In all, ${problems.length}${problems.length >= mostProblems ? ' or more' : ''} lines are wrong.`
      : ''
  return new AppError('request_invalid', `Invalid request: line ${first!.line}: ${first!.message}${more}`, {
    details: problems.map(({ line, message }) => ({ field, line, message })),
  })
}

function whyImpossible([open, high, low, close]: readonly string[]): string | undefined {
  if (Number(high) < Number(low)) return `high must not be below low, got ${high} and ${low}.`
  for (const [name, price] of [
    ['open', open],
    ['close', close],
  ] as const) {
    if (Number(price) < Number(low) || Number(price) > Number(high)) {
      return `${name} must lie between low and high, got ${price}, ${low} and ${high}.`
    }
  }
  return undefined
}

function shown(ms: number): string {
  const date = new Date(ms)
  return Number.isNaN(date.getTime()) ? String(ms) : date.toISOString()
}
