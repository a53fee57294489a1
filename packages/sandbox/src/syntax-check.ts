/**
 * Finds syntax errors in the text of a strategy before it runs.
 *
 * The text is parsed as the body of a strict async function. A text that closes this function and continues after it is
 * refused too. V8 also refuses it at run time, since it compiles the body as a separate function.
 */

import { errorMessageLimit, shorten } from './limits.ts'
import { parseScript } from './syntax-parser.ts'

export type SyntaxProblem = {
  message: string
  /** The place in the user's text. Both count from 1; columns count UTF-16 units. */
  line: number
  column: number
}

const head = 'async function ($) {"use strict";\n'
const foot = '\n}'

/** The first syntax error of a text, or `null`. Takes about a millisecond for 5 KB. */
export function checkSyntax(code: string): SyntaxProblem | null {
  const whole = `(${head}${code}${foot})`
  let program: ReturnType<typeof parseScript>
  try {
    program = parseScript(whole)
  } catch (error) {
    return problemOf(error, code)
  }
  const [statement, ...others] = program.body
  const expression = statement?.type === 'ExpressionStatement' ? statement.expression : undefined
  const isOneFunction =
    others.length === 0 &&
    expression?.type === 'FunctionExpression' &&
    expression.end === whole.length - 1 &&
    expression.body.end === whole.length - 1
  return isOneFunction ? null : { message: closesTooEarly, ...endOf(code) }
}

const closesTooEarly = 'The code closes a brace that it has not opened.'

function problemOf(error: unknown, code: string): SyntaxProblem {
  if (!(error instanceof SyntaxError)) {
    // The parser is recursive, so code with deep nesting exhausts its stack.
    return { message: 'The code is nested too deeply.', line: 1, column: 1 }
  }
  const { loc } = error as SyntaxError & { loc: { line: number; column: number } }
  // The message may quote the whole text.
  const message = shorten(error.message.replace(/ \(\d+:\d+\)$/, ''), errorMessageLimit)
  const line = loc.line - 1
  const lines = code.split(/\r\n|[\n\r\u2028\u2029]/)
  // If the code ends too early, the parser notices it after the code, in the last line.
  if (line > lines.length) return { message: `${message}: the code ends too early`, ...endOf(code) }
  return { message, line: Math.max(line, 1), column: loc.column + 1 }
}

function endOf(code: string): { line: number; column: number } {
  const lines = code.split(/\r\n|[\n\r\u2028\u2029]/)
  return { line: lines.length, column: lines.at(-1)!.length + 1 }
}
