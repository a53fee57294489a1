/** What a chart draws, brought onto the times of its candles. Numbers are for drawing only: tables show the exact texts. */

export type Candle = {
  /** When it opened, in Unix milliseconds. */
  time: number
  open: number
  high: number
  low: number
  last: number
  volume: number
}

/** What happened at a moment. */
export type Mark = {
  at: number
  kind: 'signal' | 'order' | 'fill'
  side: 'up' | 'down' | 'out'
  /** In words, such as `buy 0.1 at 65,000`. */
  text: string
}

/** A level of the price, such as the entry of a position. */
export type Level = { price: number; text: string; tone: 'profit' | 'loss' | 'soft' }

/** A figure over time. */
export type Point = { at: number; value: number }

/** @returns the index of the candle that was open at this moment; -1 before the first */
export function candleAt(candles: readonly Pick<Candle, 'time'>[], at: number): number {
  let low = 0
  let high = candles.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (candles[middle]!.time <= at) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** Marks of one kind and side in one candle, which are drawn as one. */
export type Placed = { index: number; kind: Mark['kind']; side: Mark['side']; marks: Mark[] }

/** In the order of the candles. What happened before the first candle is left out. */
export function placeMarks(candles: readonly Pick<Candle, 'time'>[], marks: readonly Mark[]): Placed[] {
  const placed = new Map<string, Placed>()
  for (const mark of marks) {
    const index = candleAt(candles, mark.at)
    if (index === -1) continue
    const key = `${index} ${mark.kind} ${mark.side}`
    const there = placed.get(key)
    if (there === undefined) placed.set(key, { index, kind: mark.kind, side: mark.side, marks: [mark] })
    else there.marks.push(mark)
  }
  return [...placed.values()].sort((one, other) => one.index - other.index)
}

/** What happened in each candle, by its index. */
export function textsByCandle(
  candles: readonly Pick<Candle, 'time'>[],
  marks: readonly Mark[],
): Map<number, string[]> {
  const texts = new Map<number, string[]>()
  for (const mark of [...marks].sort((one, other) => one.at - other.at)) {
    const index = candleAt(candles, mark.at)
    if (index !== -1) texts.set(index, [...(texts.get(index) ?? []), mark.text])
  }
  return texts
}

/**
 * A curve on the times of the candles: the last value in each candle that has one. It goes on to the last candle, because
 * a value holds until the next.
 * @param points the oldest first
 */
export function curveOn(
  candles: readonly Pick<Candle, 'time'>[],
  points: readonly Point[],
): { time: number; value: number }[] {
  const first = candles[0]
  if (first === undefined) return []
  const values = new Map<number, number>()
  for (const { at, value } of points) {
    // What was before the first candle still holds when it opens.
    const index = Math.max(0, candleAt(candles, at))
    values.set(candles[index]!.time, value)
  }
  const curve = [...values].map(([time, value]) => ({ time, value }))
  const end = candles.at(-1)!.time
  const last = curve.at(-1)
  if (last !== undefined && last.time < end) curve.push({ time: end, value: last.value })
  return curve
}

/** How far each point is below the highest one before it, in percent: 0 or less. */
export function drawdownOf(points: readonly Point[]): Point[] {
  let peak = Number.NEGATIVE_INFINITY
  return points.map(({ at, value }) => {
    peak = Math.max(peak, value)
    return { at, value: peak > 0 ? Math.min(0, ((value - peak) / peak) * 100) : 0 }
  })
}

/** One list without gaps or doubles: a candle of `newer` replaces the one of the same time. */
export function mergeCandles<Item extends Pick<Candle, 'time'>>(
  older: readonly Item[],
  newer: readonly Item[],
): Item[] {
  const start = newer[0]?.time
  if (start === undefined) return [...older]
  return [...older.slice(0, candleAt(older, start - 1) + 1), ...newer]
}

/** The decimals that the latest candles have, which is the precision of their market. */
export function digitsOf(candles: readonly Candle[]): number {
  const texts = candles.slice(-200).flatMap(({ open, high, low, last }) => [open, high, low, last])
  return Math.min(12, Math.max(2, ...texts.map(decimals)))
}

function decimals(value: number): number {
  const [, fraction = '', exponent = '0'] = /^-?\d+(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value)) ?? []
  return Math.max(0, fraction.length - Number(exponent))
}
