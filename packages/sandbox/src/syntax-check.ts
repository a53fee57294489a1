/**
 * Finds what would keep a strategy's text from compiling, before anything runs it.
 *
 * The text is parsed as what it will be: the body of a strict async function. A text that closes that function and
 * goes on is refused too; at run time V8 itself refuses it, since it compiles the body as a function of its own.
 */

import { errorMessageLimit, shorten } from './limits.ts'
import { parseScript } from './syntax-parser.ts'

export type SyntaxProblem = {
  message: string
  /** Where, in the user's text; both count from 1, columns in UTF-16 units. */
  line: number
  column: number
}

const head = 'async function ($) {"use strict";\n'
const foot = '\n}'

/** The first syntax error of a text, or `null`. Takes a millisecond for some 5 KB. */
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
    // The parser descends as deep as the code does.
    return { message: 'The code is nested too deeply.', line: 1, column: 1 }
  }
  const { loc } = error as SyntaxError & { loc: { line: number; column: number } }
  // It may quote the text, and all of it.
  const message = shorten(error.message.replace(/ \(\d+:\d+\)$/, ''), errorMessageLimit)
  const line = loc.line - 1
  const lines = code.split(/\r\n|[\n\r\u2028\u2029]/)
  // What breaks off is noticed after its end, in the last line of the whole.
  if (line > lines.length) return { message: `${message}: the code ends too early`, ...endOf(code) }
  return { message, line: Math.max(line, 1), column: loc.column + 1 }
}

function endOf(code: string): { line: number; column: number } {
  const lines = code.split(/\r\n|[\n\r\u2028\u2029]/)
  return { line: lines.length, column: lines.at(-1)!.length + 1 }
}
