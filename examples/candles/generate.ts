import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Candle, csvHeader } from './csv.ts'

/** The candles that come with the project. They are not from a real market: see {@link generateCandles}. */
export const sampleFile = join(import.meta.dirname, 'sample.csv')

const firstOpen = Date.UTC(2024, 0, 1)
const hourMs = 3_600_000
/** Any seed works; another one generates another market. */
const sample = { count: 600, seed: 6 }
/** A year of a market that rises, falls and rises again, between 91 and 183. */
export const sampleYear = { count: 365 * 24, seed: 28 }

/**
 * A random walk, the same on every machine: hourly candles of a market that starts at 100. Its trend changes now and
 * then, so that a strategy finds something. Prices are whole cents, calculated with the four basic operations only,
 * which give the same result on every machine.
 */
export function generateCandles({ count, seed } = sample): Candle[] {
  const random = randomNumbers(seed)
  const candles: Candle[] = []
  let cents = 10_000
  let drift = 0
  for (let index = 0; index < count; index++) {
    // The trend changes about once in two days.
    if (random() < 1 / 48) drift = Math.round((random() - 0.5) * 40)
    const open = cents
    let high = open
    let low = open
    // Each candle is six steps; the sum of uniform steps is close enough to a bell curve.
    for (let step = 0; step < 6; step++) {
      cents = Math.max(100, cents + Math.round((random() - 0.5) * 60) + Math.round(drift / 6))
      high = Math.max(high, cents)
      low = Math.min(low, cents)
    }
    candles.push({
      time: firstOpen + index * hourMs,
      open: open / 100,
      high: high / 100,
      low: low / 100,
      close: cents / 100,
      volume: 50 + Math.round(random() * 950),
    })
  }
  return candles
}

/** The candles as the text of a CSV file. */
export function toCsv(candles: readonly Candle[]): string {
  const rows = candles.map(({ time, open, high, low, close, volume }) =>
    [time, ...[open, high, low, close].map((price) => price.toFixed(2)), volume].join(','),
  )
  return `${[csvHeader, ...rows].join('\n')}\n`
}

/** Numbers from 0 to below 1, the same for the same seed: Marsaglia's xorshift with 32 bits of state. */
function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
}

if (import.meta.main) {
  await writeFile(sampleFile, toCsv(generateCandles()))
  console.log(`Wrote ${sample.count} candles to ${sampleFile}`)
}
