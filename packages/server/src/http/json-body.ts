import { isUtf8 } from 'node:buffer'
import { AppError, type ErrorDetail } from '../errors.ts'

const textProblem = 'must not hold NUL characters or halves of surrogate pairs'
const detailLimit = 20
const fieldLimit = 200

/**
 * Reads a body.
 * @returns `undefined` when it is empty
 * @throws {AppError} 400 when it is not JSON in UTF-8
 */
export function parseJson(body: Buffer): unknown {
  if (body.length === 0) return undefined
  if (!isUtf8(body)) throw new AppError('request_malformed', 'The request body is not valid UTF-8.')
  try {
    return JSON.parse(body.toString('utf8'))
  } catch (error) {
    throw new AppError('request_malformed', 'The request body is not valid JSON.', { cause: error })
  }
}

/**
 * Reads the body of an API request.
 * @returns `undefined` when it is empty
 * @throws {AppError} 400 when it is not JSON in UTF-8, or holds text that no database can store
 */
export function parseJsonBody(body: Buffer): unknown {
  const parsed = parseJson(body)
  const details = unstorable(parsed)
  if (details.length > 0) {
    throw new AppError('request_invalid', `Invalid request: ${details[0]!.field} ${textProblem}.`, {
      details,
    })
  }
  return parsed
}

/** Without recursion: a body of a megabyte has room for more levels than the stack does. */
function unstorable(root: unknown): ErrorDetail[] {
  const found: ErrorDetail[] = []
  const open: [path: string, value: unknown][] = [['body', root]]
  while (open.length > 0 && found.length < detailLimit) {
    const [path, value] = open.pop()!
    const members = typeof value === 'object' && value !== null ? Object.entries(value) : []
    const texts = typeof value === 'string' ? [value] : members.map(([name]) => name)
    if (!texts.every(isStorable)) {
      found.push({ field: path.slice(0, fieldLimit), message: textProblem })
    }
    for (const [name, item] of members.reverse()) open.push([`${path}.${name}`, item])
  }
  return found
}

function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}
