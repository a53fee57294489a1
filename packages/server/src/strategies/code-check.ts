import { checkText, codeByteLimit, forbiddenMessage, type SyntaxChecker } from '@tickwright/sandbox'
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
  const sizeBytes = Buffer.byteLength(code)
  if (sizeBytes > codeByteLimit) {
    throw new AppError('code_too_large', `The code may have ${codeByteLimit} bytes, it has ${sizeBytes}.`)
  }
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
