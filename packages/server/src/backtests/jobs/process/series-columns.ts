import type { BacktestSeries } from '../../../db/schema.ts'
import type { Candles } from '../../../market/simulated/candle-file.ts'
import { unpackNumbers, unpackTimes } from '../../../market/stored/codec.ts'
import { figuresOf } from '../../../market/stored/parts.ts'

/** Collects the candles of a backtest, part by part, in columns of a known length. */
export class SeriesColumns {
  readonly #skip: number
  readonly #candles: Candles
  /** How many rows have come, with those that do not count. */
  #rows = 0

  /** @param periodMs the duration of a candle */
  constructor({ skip, count }: BacktestSeries, periodMs: number) {
    const column = () => new Float64Array(count)
    this.#skip = skip
    this.#candles = {
      ...{ times: column(), opens: column(), highs: column(), lows: column(), closes: column() },
      ...{ volumes: column(), periodMs, decimals: 0 },
    }
  }

  /** @param content of the next part that `copySeries` has written */
  add(content: Uint8Array): void {
    const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength)
    let at = 0
    const number = () => {
      at += 4
      return bytes.readInt32BE(at - 4)
    }
    const packed = () => {
      const size = number()
      at += size
      return bytes.subarray(at - size, at)
    }
    while (at < bytes.length) {
      const rows = number()
      this.#addRows(unpackTimes(packed(), rows), unpackNumbers(packed(), rows, figuresOf.candles.length))
    }
  }

  #addRows(times: Float64Array, { figures, decimals }: ReturnType<typeof unpackNumbers>): void {
    const candles = this.#candles
    const place = this.#rows - this.#skip
    this.#rows += times.length
    const from = Math.max(0, -place)
    const to = Math.min(times.length, candles.times.length - place)
    if (from >= to) return
    const [opens, highs, lows, closes, volumes] = figures
    const columns = { times, opens, highs, lows, closes, volumes }
    for (const [name, column] of Object.entries(columns)) {
      candles[name as keyof typeof columns].set(column!.subarray(from, to), place + from)
    }
    candles.decimals = Math.max(candles.decimals, ...decimals.slice(0, 4))
  }

  /** @throws {Error} if some of them did not arrive */
  get candles(): Candles {
    const { length } = this.#candles.times
    if (this.#rows < this.#skip + length) throw new Error(`${this.#rows} of ${length} candles arrived.`)
    return this.#candles
  }
}
