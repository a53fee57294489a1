/** What `$` has, without a compiler: for the time until the types are there, and where they cannot be loaded. */

import { lazy } from '../../base/lazy.ts'
import type { MemberTable, Suggestion } from './editor-types.ts'

/**
 * The build reads them from the types of `$`. A text of JSON, named in one place: the build would put an object into the
 * first script of every page.
 */
declare const RUNTIME_MEMBERS: string

const runtimeMembers = lazy(() => JSON.parse(RUNTIME_MEMBERS) as MemberTable)

/** A path such as `$.Strategy.` with the beginning of a name. */
const path = /(?:^|[^\w$.])\$((?:\s*\??\.\s*[\w$]+)*)\s*\??\.\s*([\w$]*)$/

/** The members that can follow; `null` if the text does not end in a path that begins with `$`. */
export function membersBefore(
  before: string,
  table: MemberTable = runtimeMembers(),
): readonly Suggestion[] | null {
  const match = path.exec(before)
  if (match === null) return null
  const owner = typeAt(match[1]!, table)
  return owner === undefined ? null : (table[owner] ?? null)
}

/** The member that stands at a column of a line, with the columns of its name. */
export function memberAt(
  line: string,
  column: number,
  table: MemberTable = runtimeMembers(),
): { from: number; to: number; type: string; about: string } | null {
  const to = column + /^[\w$]*/.exec(line.slice(column, column + 100))![0].length
  const [name] = /[\w$]*$/.exec(line.slice(0, to))!
  const found = membersBefore(line.slice(0, to), table)?.find((member) => member.name === name)
  if (found === undefined) return null
  return { from: to - name.length, to, type: `${name}: ${found.type ?? ''}`, about: found.about ?? '' }
}

function typeAt(names: string, table: MemberTable): string | undefined {
  let type: string | undefined = 'Runtime'
  for (const name of names.match(/[\w$]+/g) ?? []) {
    const member: Suggestion | undefined = table[type]?.find((one) => one.name === name)
    type = member?.type
    if (type === undefined) return undefined
  }
  return type
}

const keywords =
  'async await break case catch class const continue default delete do else false finally for function if in instanceof let new null of return switch this throw true try typeof undefined while yield'
const globals =
  'Array BigInt Boolean Date Error Infinity JSON Map Math NaN Number Object Promise RangeError RegExp Set String Symbol SyntaxError TypeError isFinite isNaN parseFloat parseInt'

/** The words that can begin an expression or a statement of a strategy. */
export const wordsOfLanguage: readonly Suggestion[] = [
  { name: '$', kind: 'variable', type: 'Runtime', about: "The strategy's only way to the outside." },
  ...keywords.split(' ').map((name): Suggestion => ({ name, kind: 'keyword' })),
  ...globals.split(' ').map((name): Suggestion => ({ name, kind: 'class' })),
]
