/** How what a backtest keeps is packed into bytes. */
import { promisify } from 'node:util'
import { zstdCompress, zstdCompressSync, zstdDecompress, zstdDecompressSync } from 'node:zlib'
import type { Candles } from '../../market/simulated/candle-file.ts'
import type { Known } from '../backtest.ts'
import type { Arrival, Decisions } from '../decide.ts'

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

/** No part is larger, whatever is stored. */
const mostBytes = 512 * 1024 * 1024

export function packJson(value: unknown): Buffer {
  return zstdCompressSync(JSON.stringify(value))
}

export function unpackJson(packed: Uint8Array): unknown {
  return JSON.parse(unpackText(packed))
}

export function packText(text: string): Buffer {
  return zstdCompressSync(text)
}

export function unpackText(packed: Uint8Array): string {
  return zstdDecompressSync(packed, { maxOutputLength: mostBytes }).toString()
}

/** As `packText`, on another thread. */
export function packLater(text: string): Promise<Buffer> {
  return compress(text)
}

/** As `unpackText`, on another thread. @param most the bytes that the text may have */
export async function unpackLater(packed: Uint8Array, most = mostBytes): Promise<string> {
  return (await decompress(packed, { maxOutputLength: most })).toString()
}

const columnNames = ['times', 'opens', 'highs', 'lows', 'closes', 'volumes'] as const

/** `periodMs` and `decimals`, and then one column after the other. Those of a million candles take other threads a while. */
export function packCandles(candles: Candles): Promise<Buffer> {
  const columns = columnNames.map((name) => candles[name])
  const all = new Float64Array(2 + columnNames.length * candles.times.length)
  all.set([candles.periodMs, candles.decimals])
  for (const [index, column] of columns.entries()) all.set(column, 2 + index * column.length)
  return compress(new Uint8Array(all.buffer))
}

export function unpackCandles(packed: Uint8Array): Candles {
  return candlesOf(zstdDecompressSync(packed, { maxOutputLength: mostBytes }))
}

/** The same without holding up what else the process does. */
export async function unpackCandlesMeanwhile(packed: Uint8Array): Promise<Candles> {
  return candlesOf(await decompress(packed, { maxOutputLength: mostBytes }))
}

function candlesOf(bytes: Uint8Array): Candles {
  const all = new Float64Array(bytes.byteLength / Float64Array.BYTES_PER_ELEMENT)
  new Uint8Array(all.buffer).set(bytes)
  const length = (all.length - 2) / columnNames.length
  const columns = columnNames.map((name, index) => [
    name,
    all.subarray(2 + index * length, 2 + (index + 1) * length),
  ])
  return {
    ...(Object.fromEntries(columns) as Omit<Candles, 'periodMs' | 'decimals'>),
    periodMs: all[0]!,
    decimals: all[1]!,
  }
}

/** The lists of decisions, which only grow. */
const lists = ['signals', 'failures', 'violations', 'logs'] as const

/** How long each of the lists was. */
export type Lengths = Record<(typeof lists)[number], number>

export const nothingYet: Lengths = { signals: 0, failures: 0, violations: 0, logs: 0 }

export function lengthsOf(decisions: Decisions): Lengths {
  const { signals, failures, violations, logs } = decisions
  return {
    signals: signals.length,
    failures: failures.length,
    violations: violations.length,
    logs: logs.length,
  }
}

/** Where the decisions of a bot have arrived, without their lists. */
export function packArrival({ decisions, at }: Known): Buffer {
  const {
    signals: _signals,
    failures: _failures,
    violations: _violations,
    logs: _logs,
    ...counted
  } = decisions
  const { decisions: _decisions, ...place } = at ?? {}
  return packJson({ counted, place: at === null ? null : place })
}

/** What was decided since the lists had these lengths; `null`: nothing. */
export function packDecided(decisions: Decisions, since: Lengths): Buffer | null {
  const added = lists.map((name) => [name, decisions[name].slice(since[name])] as const)
  return added.some(([, list]) => list.length > 0) ? packJson(Object.fromEntries(added)) : null
}

/** Puts together what was packed. */
export function unpackKnown(arrival: Uint8Array, decided: readonly Uint8Array[]): Known {
  const { counted, place } = unpackJson(arrival) as {
    counted: Omit<Decisions, keyof Lengths>
    place: Omit<Arrival, 'decisions'> | null
  }
  const decisions: Decisions = { ...counted, signals: [], failures: [], violations: [], logs: [] }
  for (const part of decided) {
    const added = unpackJson(part) as Pick<Decisions, keyof Lengths>
    for (const name of lists) for (const one of added[name]) (decisions[name] as unknown[]).push(one)
  }
  return { decisions, at: place && { ...place, decisions } }
}
