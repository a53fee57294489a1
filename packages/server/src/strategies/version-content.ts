import { isDeepStrictEqual } from 'node:util'
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff'
import type { StrategyType } from '../db/schema.ts'
import type { ListedVersion, Version } from './versions.ts'

/** The name of the text of a strategy in the API. */
export function textName(type: StrategyType): 'code' | 'prompt' {
  return type === 'llm-reaction' ? 'prompt' : 'code'
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
/** The search takes longer, the more lines repeat. Nothing else happens in this process meanwhile. */
const longestSearchMs = 100

/** The difference of two texts as a unified diff; empty if they are equal. `whole`: it replaces everything. */
export function unifiedDiff(
  from: Pick<Version, 'version' | 'text'>,
  to: Pick<Version, 'version' | 'text'>,
): { text: string; whole: boolean } {
  if (from.text === to.text) return { text: '', whole: false }
  const names = [`version ${from.version}`, `version ${to.version}`] as const
  const text = createTwoFilesPatch(...names, from.text, to.text, undefined, undefined, {
    context: 3,
    maxEditLength: mostChangedLines,
    timeout: longestSearchMs,
    headerOptions: FILE_HEADERS_ONLY,
  })
  if (text !== undefined) return { text, whole: false }
  const [removed, added] = [linesOf(from.text), linesOf(to.text)]
  const head = `--- ${names[0]}\n+++ ${names[1]}\n@@ -${rangeOf(removed)} +${rangeOf(added)} @@\n`
  return { text: head + marked('-', removed) + marked('+', added), whole: true }
}

/** With their ends, as the library counts them. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}

function rangeOf(lines: string[]): string {
  return lines.length === 0 ? '0,0' : `1,${lines.length}`
}

function marked(mark: string, lines: string[]): string {
  const text = lines.map((line) => mark + line).join('')
  return text === '' || text.endsWith('\n') ? text : `${text}\n\\ No newline at end of file\n`
}
