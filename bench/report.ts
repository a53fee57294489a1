import type { Machine } from './machine.ts'
import type { Spread } from './statistics.ts'

/** One figure. Fields that do not apply are absent. */
export type Row = {
  name: string
  perSecond?: Spread
  perCpuSecond?: number | null
  /** CPU time per run: of the calling process, and of its children. */
  ownCpuMs?: number
  othersCpuMs?: number
  /** CPU time of all processes involved. */
  cpuMs?: number
  p50Ms?: number
  p99Ms?: number
  /** The slowest value. */
  mostMs?: number
  /** Our rate over the floor's, medians of the same rounds. */
  ratio?: number
  /** The same for the work per second of CPU time, which other load on the machine affects less. */
  cpuRatio?: number | null
  /** Our percentiles over those of the floor. */
  p50Times?: number
  p99Times?: number
  /** How many times the value of something else, which the name says. */
  times?: number
  memoryMb?: number
  target?: Target
}

export type Target = { text: string; met: boolean }

/** The figures of one benchmark. */
export type Section = { bench: string; title: string; rows: Row[] }

/** `database`: where the measured servers keep their data. */
export type Report = { machine: Machine; database: string; quick: boolean; sections: Section[] }

export type Rate = { name: string; perSecond: Spread; perCpuSecond: number | null }

/** The least shares of the floor's rate, and of its work per second of CPU time. */
export type LeastRatios = { ratio: number; cpuRatio?: number }

/** Our rate beside its floor. A ratio by CPU time is part of the target only where CPU time is known. */
export function againstFloor(ours: Rate, floor: Rate, least?: LeastRatios): Row {
  const ratio = ours.perSecond.median / floor.perSecond.median
  const cpuRatio = ratioOf(ours.perCpuSecond, floor.perCpuSecond)
  const row = { ...ours, ratio, cpuRatio }
  if (least === undefined) return row
  const text = `at least ${least.ratio} of the floor`
  if (least.cpuRatio === undefined || cpuRatio === null) {
    return { ...row, target: { text, met: ratio >= least.ratio } }
  }
  const met = ratio >= least.ratio && cpuRatio >= least.cpuRatio
  return { ...row, target: { text: `${text}, ${least.cpuRatio} by CPU`, met } }
}

/** Percentiles of latencies in ms. */
export type Latencies = { name: string; p50Ms: number; p99Ms: number }

/** How many times the floor's percentiles ours may be. */
export type MostTimes = { p50: number; p99: number }

/** Our latencies beside those of the floor. */
export function latenciesAgainstFloor(ours: Latencies, floor: Latencies, most?: MostTimes): Row {
  const row = { ...ours, p50Times: ours.p50Ms / floor.p50Ms, p99Times: ours.p99Ms / floor.p99Ms }
  if (most === undefined) return row
  const text = `p50 at most ${most.p50} times that of the floor, p99 ${most.p99} times`
  return { ...row, target: { text, met: row.p50Times <= most.p50 && row.p99Times <= most.p99 } }
}

const columns = [
  '',
  'rate',
  'per CPU second',
  'own CPU',
  'executor CPU',
  'CPU',
  'p50',
  'p99',
  'slowest',
  'p50 of the floor',
  'p99 of the floor',
  'of the floor',
  'by CPU',
  'times',
  'memory',
  'target',
] as const

/** `null` if one of the two was not measured. */
export function ratioOf(ours: number | null, floor: number | null): number | null {
  return ours === null || floor === null ? null : ours / floor
}

/** A section as text: a line for each figure, without empty columns. */
export function formatSection({ bench, title, rows }: Section): string {
  const cells = rows.map(formatRow)
  const used = columns.map((_, column) => cells.some((row) => row[column] !== ''))
  const lines = [[...columns], ...cells].map((row) => row.filter((_, column) => used[column]))
  const widths = lines[0]!.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)))
  // Names and targets are aligned left, figures right.
  const isText = (column: number) => column === 0 || lines[0]![column] === 'target'
  const padded = lines.map((line) =>
    line.map((cell, column) =>
      isText(column) ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!),
    ),
  )
  return [`${bench}: ${title}`, ...padded.map((line) => `  ${line.join('  ').trimEnd()}`)].join('\n')
}

export function formatMachine(machine: Machine): string {
  const { cpu, cores, memoryGb, system, node, load, at } = machine
  return `${cpu}, ${cores} cores, ${memoryGb} GB, ${system}, Node ${node}, load ${load} at the start, ${at}`
}

function formatRow(row: Row): string[] {
  const { name, target } = row
  return [
    name,
    show(row.perSecond, formatSpread),
    show(row.perCpuSecond, count),
    show(row.ownCpuMs, milliseconds),
    show(row.othersCpuMs, milliseconds),
    show(row.cpuMs, milliseconds),
    show(row.p50Ms, milliseconds),
    show(row.p99Ms, milliseconds),
    show(row.mostMs, milliseconds),
    show(row.p50Times, (value) => value.toFixed(2)),
    show(row.p99Times, (value) => value.toFixed(2)),
    show(row.ratio, (value) => value.toFixed(2)),
    show(row.cpuRatio, (value) => value.toFixed(2)),
    show(row.times, (value) => value.toFixed(2)),
    show(row.memoryMb, (value) => `${value.toFixed(1)} MB`),
    target === undefined ? '' : `${target.met ? 'met' : 'MISSED'}: ${target.text}`,
  ]
}

function show<T>(value: T | null | undefined, format: (value: T) => string): string {
  return value === undefined || value === null ? '' : format(value)
}

function formatSpread({ median, least, most }: Spread): string {
  return `${count(median)}/s [${count(least)}-${count(most)}]`
}

function count(value: number): string {
  return Math.round(value).toLocaleString('en')
}

function milliseconds(value: number): string {
  return `${value.toFixed(value < 1 ? 2 : value < 10 ? 1 : 0)} ms`
}
