import {
  checkText,
  codeByteLimit,
  forbiddenMessage,
  forbiddenWayOut,
  type SyntaxChecker,
} from '@tickwright/sandbox'
import { AppError } from '../base/errors.ts'

/**
 * Whether code of a user may be saved. Line and column count from 1.
 * @throws {AppError} 400 with each forbidden identifier and where it stands, or with the first syntax error
 */
export async function checkCode(
  code: string,
  userId: number,
  syntax: Pick<SyntaxChecker, 'check'>,
): Promise<void> {
  const oversize = oversizeOf(code)
  if (oversize !== undefined) throw new AppError('code_too_large', oversize)
  checkIdentifiers(code)
  const problem = await syntax.check(code, userId)
  if (problem === null) return
  const { message, line, column } = problem
  throw new AppError(
    'code_syntax',
    `The code does not compile: ${message} (line ${line}, column ${column}).`,
    {
      details: [{ field: 'body.code', message, line, column }],
    },
  )
}

function checkIdentifiers(code: string): void {
  const places = forbiddenPlaces(code)
  if (places.length === 0) return
  const { line, column, message } = places[0]!
  throw new AppError('code_forbidden_identifier', `Line ${line}, column ${column}: ${message}`, {
    details: places.map((place) => ({ field: 'body.code', ...place })),
  })
}

/** Every place with a forbidden identifier, in order, each with the way out of it. */
export function forbiddenPlaces(code: string) {
  return checkText(code).map(({ identifier, line, column }) => ({
    message: forbiddenMessage(identifier),
    identifier,
    line,
    column,
  }))
}

function oversizeOf(code: string): string | undefined {
  const sizeBytes = Buffer.byteLength(code)
  if (sizeBytes <= codeByteLimit) return undefined
  return `The code may have ${codeByteLimit} bytes, it has ${sizeBytes}.`
}

/** A reason why code cannot be saved. `remedy` says what its author can do. */
export type CodeProblem = {
  kind: 'too_large' | 'forbidden_identifier' | 'syntax'
  message: string
  remedy: string
  line: number
  column: number
}

/** Everything for which `checkCode` would refuse code, in the order of the text. The size comes first. */
export async function problemsOf(
  code: string,
  userId: number,
  syntax: Pick<SyntaxChecker, 'check'>,
): Promise<CodeProblem[]> {
  const problems: CodeProblem[] = forbiddenPlaces(code).map(({ identifier, message, line, column }) => ({
    kind: 'forbidden_identifier',
    message,
    remedy: forbiddenWayOut(identifier) ?? 'Use another name, or do without it.',
    ...{ line, column },
  }))
  const oversize = oversizeOf(code)
  if (oversize !== undefined) {
    const remedy = 'Remove comments and code that is not used, or divide the work between several strategies.'
    return [{ kind: 'too_large', message: oversize, remedy, line: 1, column: 1 }, ...problems]
  }
  const problem = await syntax.check(code, userId)
  if (problem === null) return problems
  const remedy = 'Correct it and check again: further syntax errors cannot be found before.'
  const place = problems.findIndex(
    ({ line, column }) => line > problem.line || (line === problem.line && column > problem.column),
  )
  return problems.toSpliced(place < 0 ? problems.length : place, 0, { kind: 'syntax', ...problem, remedy })
}
