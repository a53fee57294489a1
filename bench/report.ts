import type { Machine } from './machine.ts'
import type { Measured } from './measure.ts'
import type { Spread } from './statistics.ts'

/** One figure. Fields that do not apply are absent. */
export type Row = {
  name: string
  perSecond?: Spread
  perCpuSecond?: number | null
  /** CPU time per run: of the calling process, and of its children. */
  ownCpuMs?: number
  othersCpuMs?: number
  p50Ms?: number
  p99Ms?: number
  /** The slowest value. */
  mostMs?: number
  /** Our rate over the floor's, medians of the same rounds. */
  ratio?: number
  /** The same for the work per second of CPU time, which other load on the machine affects less. */
  cpuRatio?: number | null
  /** How many times the value of something else, which the name says. */
  times?: number
  memoryMb?: number
  target?: Target
}

export type Target = { text: string; met: boolean }

/** The figures of one benchmark on one database. */
export type Section = { bench: string; title: string; rows: Row[] }

export type Report = { machine: Machine; quick: boolean; sections: Section[] }

/** Our figure beside its floor. */
export function againstFloor(ours: Measured, floor: Measured, leastRatio?: number): Row {
  const ratio = ours.perSecond.median / floor.perSecond.median
  const row = { ...ours, ratio, cpuRatio: ratioOf(ours.perCpuSecond, floor.perCpuSecond) }
  if (leastRatio === undefined) return row
  return { ...row, target: { text: `at least ${leastRatio} of the floor`, met: ratio >= leastRatio } }
}

const columns = [
  '',
  'rate',
  'per CPU second',
  'own CPU',
  'executor CPU',
  'p50',
  'p99',
  'slowest',
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
    show(row.p50Ms, milliseconds),
    show(row.p99Ms, milliseconds),
    show(row.mostMs, milliseconds),
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
