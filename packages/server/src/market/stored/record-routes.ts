/** Stored series as the API shows them. */
import { readInterval } from '@tickwright/sandbox'
import { type Static, Type } from 'typebox'
import { invalidField } from '../../base/errors.ts'
import { Nullable, Timestamp } from '../../http/schemas.ts'
import type { Coverage, Series } from './candle-store.ts'
import type { Change, SeriesKind } from './parts.ts'

export const kinds = Type.Union([Type.Literal('candles'), Type.Literal('funding')], {
  description: 'Candles, or the funding rates of a perpetual future.',
})

export const sources = Type.Union([Type.Literal('exchange'), Type.Literal('import'), Type.Literal('seen')], {
  description:
    '`exchange`: downloaded. `seen`: made of the prices that strategies have seen. All accounts share both. `import`: your own.',
})

export const SeriesRecord = Type.Object({
  id: Type.Integer(),
  kind: kinds,
  source: sources,
  name: Type.String(),
  exchange: Nullable(Type.String({ description: 'Its identifier; null if an import names none.' })),
  service: Nullable(Type.String()),
  symbol: Type.String(),
  interval: Nullable(Type.String({ description: 'null for funding rates.' })),
  rows: Type.Integer({ description: 'How many candles or rates it has.' }),
  first_at: Nullable({ ...Timestamp, description: 'When the first candle opens.' }),
  last_at: Nullable({ ...Timestamp, description: 'When the last candle opens.' }),
  changes: Type.Integer({
    description: 'How many stored candles the exchange later sent with other values. The stored ones stay.',
  }),
  checksum: Nullable(
    Type.String({
      description: 'SHA-256 of the content. Series with the same candles and interval have the same one.',
    }),
  ),
  created_at: Timestamp,
  updated_at: Timestamp,
})

const Moments = { from: Timestamp, to: Timestamp }

export const CoverageRecord = Type.Object({
  rows: Type.Integer(),
  first_at: Nullable(Timestamp),
  last_at: Nullable(Timestamp),
  gap_count: Type.Integer(),
  missing_seconds: Type.Number({ description: 'How long all gaps are together.' }),
  gaps: Type.Array(Type.Object(Moments), {
    description: 'The first 1,000, each from the end of a candle to the next opening. Nothing fills them.',
  }),
  changes: Type.Array(
    Type.Object({
      at: Timestamp,
      stored: Type.String({ description: 'The values that are stored, in the order of the CSV columns.' }),
      found: Type.String({ description: 'The values that the exchange sent later.' }),
      found_at: Timestamp,
    }),
    { description: 'The first 1,000 stored candles that the exchange later sent with other values.' },
  ),
})

export function presentSeries(series: Series): Static<typeof SeriesRecord> {
  const { id, kind, source, name, exchange, service, symbol, interval, rows, changes, checksum } = series
  return {
    ...{ id, kind, source, name, exchange, service, symbol },
    interval: interval === '' ? null : interval,
    ...{ rows, first_at: moment(series.firstMs), last_at: moment(series.lastMs), changes, checksum },
    created_at: series.createdAt.toISOString(),
    updated_at: series.updatedAt.toISOString(),
  }
}

export function presentCoverage(
  { rows, firstMs, lastMs, gapCount, missingMs, gaps }: Coverage,
  changes: readonly (Change & { foundAt: Date })[],
): Static<typeof CoverageRecord> {
  return {
    ...{ rows, first_at: moment(firstMs), last_at: moment(lastMs) },
    ...{ gap_count: gapCount, missing_seconds: missingMs / 1_000 },
    gaps: gaps.map(({ fromMs, toMs }) => ({ from: moment(fromMs)!, to: moment(toMs)! })),
    changes: changes.map(({ timeMs, stored, found, foundAt }) => ({
      ...{ at: moment(timeMs)!, stored, found, found_at: foundAt.toISOString() },
    })),
  }
}

function moment(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}

/** @throws {AppError} 400 for candles without a valid interval, and for funding rates with any */
export function demandInterval(kind: SeriesKind, interval: string): void {
  if (kind === 'candles' && readInterval(interval) === undefined) {
    throw invalidField('interval', 'must be an interval such as 1m, 4h, 1d, 1w or 1M')
  }
  if (kind === 'funding' && interval !== '') {
    throw invalidField('interval', 'must be left out: funding rates have their own moments')
  }
}
