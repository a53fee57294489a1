/**
 * Some members of `$` exist only with an option of the strategy. Code that uses one without its option fails with an
 * error of V8 such as `Cannot read properties of undefined`. Here that error gets the name of the option.
 */

import { errorMessageLimit, shorten } from './limits.ts'
import type { RunError, RunInput } from './types.ts'

type Member = {
  /** How code can write it: with `$`, or as a part that it has taken out of `$`. */
  written: RegExp
  isAbsent(input: RunInput): boolean
  explanation: string
}

const signalMembers = ['action', 'lastTrigger', 'positions', 'signalSymbols'].map((name): Member => {
  const written = new RegExp(`^(?:\\$\\s*\\.\\s*)?Strategy\\s*\\.\\s*${name}$|^${name}$`)
  return {
    written,
    isAbsent: ({ strategy }) => strategy.signal === null,
    explanation: needs(`$.Strategy.${name}`, 'send_signal'),
  }
})

const members: readonly Member[] = [
  ...signalMembers,
  {
    written: /^(?:\$\s*\.\s*)?Price$/,
    isAbsent: ({ price }) => price === null,
    explanation: needs('$.Price', 'use_price'),
  },
  {
    written: /^(?:\$\s*\.\s*)?Request$/,
    isAbsent: ({ request }) => request === null,
    explanation: '$.Request exists only in code reactions.',
  },
]

function needs(member: string, option: string): string {
  return `${member} exists only if the strategy has ${option} on. Switch ${option} on.`
}

/** V8's errors about an expression that is undefined; the first group is the expression, where V8 names it. */
const undefinedExpression =
  /^(?:(.{1,100}) is not (?:a function|iterable)|Cannot destructure property .{1,100} of '(.{1,100})' as it is undefined|Cannot read properties of undefined )/

/** Most characters before an error's place that are searched for the expression. */
const expressionLimit = 200

/** Adds to an error why the member of `$` that it is about does not exist; any other error stays as it is. */
export function explainAbsence(error: RunError, code: string, input: RunInput): RunError {
  if (error.name !== 'TypeError') return error
  const match = undefinedExpression.exec(error.message)
  if (match === null) return error
  const expression = match[1] ?? match[2] ?? expressionBefore(code, error)
  const absent = members.find((member) => member.written.test(expression) && member.isAbsent(input))
  if (absent === undefined) return error
  const message = `${error.message.replace(/\.$/, '')}: ${absent.explanation}`
  return { ...error, message: shorten(message, errorMessageLimit) }
}

/** The names and dots that end at the place of an error: `$.Price` for the error of `$.Price.symbol`, at `symbol`. */
function expressionBefore(code: string, { line, column }: RunError): string {
  if (line === null || column === null) return ''
  const end = startOfLine(code, line) + column - 1
  const before = code.slice(Math.max(0, end - expressionLimit), end).replace(/[\s.?[]+$/, '')
  return /[\w$](?:[\w$]|\s{0,20}\.\s{0,20}(?=[\w$]))*$/.exec(before)?.[0] ?? ''
}

/** The offset of a line, which counts from 1; the length of the code if it has no such line. */
function startOfLine(code: string, line: number): number {
  if (line === 1) return 0
  let number = 1
  for (const end of code.matchAll(/\r\n|[\n\r\u2028\u2029]/g)) {
    number += 1
    if (number === line) return end.index + end[0].length
  }
  return code.length
}
