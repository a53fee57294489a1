/** The durations of candles that a chart offers. Every exchange that the service tests has them. */
export const intervals = ['1m', '5m', '15m', '1h', '4h', '1d'] as const

export type Interval = (typeof intervals)[number]

const minute = 60_000

export const intervalMs: Record<Interval, number> = {
  '1m': minute,
  '5m': 5 * minute,
  '15m': 15 * minute,
  '1h': 60 * minute,
  '4h': 240 * minute,
  '1d': 1440 * minute,
}
