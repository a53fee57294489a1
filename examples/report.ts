import type { Backfill, Progress, Signal } from './backfill.ts'

const titles = ['candle (UTC)', 'action', 'price']

/** Writes prices in full, never as 1e-7, with more digits than any market uses. */
const inFull = new Intl.NumberFormat('en', { maximumSignificantDigits: 12, useGrouping: false })

/** The signals as a table with one line each, oldest first. */
export function signalTable(signals: readonly Signal[]): string {
  const decimals = Math.max(0, ...signals.map(({ candle }) => decimalsOf(candle.close)))
  const rows = signals.map(({ candle, action }) => [
    new Date(candle.time).toISOString().slice(0, 16).replace('T', ' '),
    action,
    candle.close.toFixed(decimals),
  ])
  const widths = titles.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]!.length)),
  )
  const line = (cells: string[]) =>
    cells
      .map((cell, column) => (column === 2 ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!)))
      .join('  ')
  const rule = widths.map((width) => '-'.repeat(width)).join('  ')
  return [line(titles), rule, ...rows.map(line)].join('\n')
}

function decimalsOf(price: number): number {
  return inFull.format(price).split('.')[1]?.length ?? 0
}

/** One line with the results and the duration. */
export function summary(candleCount: number, done: Backfill, seconds: number): string {
  const runs = `${plural(done.succeeded, 'run')} succeeded, ${done.failed} failed`
  const signals = plural(done.signals.length, 'signal')
  return `${plural(candleCount, 'candle')} posted, ${runs}, ${signals}, in ${seconds.toFixed(1)} s.`
}

/** What the last signal leaves open, and how to close it. */
export function openPosition(signals: readonly Signal[], symbol: string): string {
  const last = signals.at(-1)?.action ?? 'EXIT'
  if (last === 'EXIT') return 'The reaction has no open position.'
  const side = last.toLowerCase()
  const exit = JSON.stringify({ symbol, side: 'EXIT' })
  return `The last signal leaves the reaction ${side}. No bot follows it here, so nothing was traded. To close the position of a bot, post ${exit} to the URL of its bot webhook.`
}

/**
 * Shows the progress: a terminal gets one line, which is overwritten; a file or pipe gets a new line for each tenth.
 */
export class ProgressLine {
  #stream: NodeJS.WriteStream
  #shownTenths = 0
  #open = false

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream
  }

  show(progress: Progress): void {
    const { candles, posted, succeeded, failed, signals } = progress
    const runs = succeeded + failed
    const text = `${posted} of ${candles} candles posted, ${plural(runs, 'run')} done, ${plural(signals, 'signal')}`
    if (this.#stream.isTTY) {
      this.#stream.write(`\r\x1b[K${text}`)
      this.#open = true
      return
    }
    const tenths = Math.floor((runs / candles) * 10)
    if (tenths === this.#shownTenths) return
    this.#shownTenths = tenths
    this.#stream.write(`${text}\n`)
  }

  /** Ends the line, so that the next output starts on a new one. */
  end(): void {
    if (this.#open) this.#stream.write('\n')
    this.#open = false
  }
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
