import { isDeepStrictEqual } from 'node:util'
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff'
import type { StrategyType } from '../db/schema.ts'
import { asksModel } from '../db/strategy-types.ts'
import type { ListedVersion, Version } from './versions.ts'

/** The name of the text of a strategy in the API. */
export function textName(type: StrategyType): 'code' | 'prompt' {
  return asksModel(type) ? 'prompt' : 'code'
}

/** How a version was saved; `null` if it was there before versions were. */
export function presentSavedBy({ via, apiKeyId, byStrategyId }: ListedVersion) {
  return via === null ? null : { via, api_key_id: apiKeyId, strategy_id: byStrategyId }
}

type Difference = { field: string; from: unknown; to: unknown }

/** The settings that differ, except the texts. */
export function differences(from: Pick<Version, 'settings'>, to: Pick<Version, 'settings'>): Difference[] {
  const names = new Set([...Object.keys(from.settings), ...Object.keys(to.settings)])
  return [...names]
    .sort()
    .map((field) => ({ field, from: from.settings[field] ?? null, to: to.settings[field] ?? null }))
    .filter(({ from, to }) => !isDeepStrictEqual(from, to))
}

/** Texts that differ in more lines than this, added and removed, are shown as one change. */
const mostChangedLines = 2_000
/** So are texts of more lines than this: the library takes them apart before it looks at a clock. */
const mostLines = 20_000
/** The search takes longer, the more lines repeat. Nothing else happens in this process meanwhile. */
const longestSearchMs = 100

/** The difference of two texts as a unified diff; empty if they are equal. `whole`: it replaces everything. */
export function unifiedDiff(
  from: Pick<Version, 'version' | 'text'>,
  to: Pick<Version, 'version' | 'text'>,
): { text: string; whole: boolean } {
  return diffOf(from.text, to.text, [`version ${from.version}`, `version ${to.version}`])
}

/** The same for texts with other names. */
export function diffOf(
  from: string,
  to: string,
  names: readonly [string, string],
): { text: string; whole: boolean } {
  if (from === to) return { text: '', whole: false }
  const isLong = hasManyLines(from) || hasManyLines(to)
  const text = isLong ? undefined : patchOf(from, to, names)
  if (text !== undefined) return { text, whole: false }
  const [removed, added] = [marked('-', from), marked('+', to)]
  const head = `--- ${names[0]}\n+++ ${names[1]}\n@@ -${rangeOf(removed.lines)} +${rangeOf(added.lines)} @@\n`
  return { text: head + removed.text + added.text, whole: true }
}

function patchOf(from: string, to: string, names: readonly [string, string]): string | undefined {
  return createTwoFilesPatch(...names, from, to, undefined, undefined, {
    context: 3,
    maxEditLength: mostChangedLines,
    timeout: longestSearchMs,
    headerOptions: FILE_HEADERS_ONLY,
  })
}

function hasManyLines(text: string): boolean {
  let at = 0
  for (let lines = 0; lines < mostLines; lines += 1) {
    at = text.indexOf('\n', at) + 1
    if (at === 0) return false
  }
  return true
}

function rangeOf(lines: number): string {
  return lines === 0 ? '0,0' : `1,${lines}`
}

const newline = 0x0a

/** The text with a mark of one byte before each line. Byte by byte, because a million lines take too long otherwise. */
function marked(mark: string, text: string): { text: string; lines: number } {
  const byteOfMark = mark.charCodeAt(0)
  const bytes = Buffer.from(text)
  const marked = Buffer.allocUnsafe(2 * bytes.length)
  let end = 0
  let lines = 0
  let isStart = true
  for (let at = 0; at < bytes.length; at += 1) {
    if (isStart) {
      marked[end++] = byteOfMark
      lines += 1
    }
    marked[end++] = bytes[at]!
    isStart = bytes[at] === newline
  }
  const note = isStart ? '' : '\n\\ No newline at end of file\n'
  return { text: marked.toString('utf8', 0, end) + note, lines }
}
