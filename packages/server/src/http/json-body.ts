import { isUtf8 } from 'node:buffer'
import { AppError, type ErrorDetail } from '../base/errors.ts'
import { type JsonScan, scanJson } from '../base/json-scan.ts'

/** Ten times as many as the largest sensible payload of a test run, or the largest list of candles. */
export const mostValues = 50_000
/** Exchanges have a few thousand symbols. At the same length, no JSON is slower to parse than an object of many fields. */
export const mostFields = 10_000
/** No field of the API needs this depth. Deeper values could exhaust the stack of code that walks them. */
export const deepestNesting = 64

const textProblem = 'must not hold NUL characters or halves of surrogate pairs'
const detailLimit = 20
const fieldLimit = 200

/**
 * Reads a body of at most `most` values, nested at most `deepestNesting` deep, whose objects have at most `mostFields`
 * fields. A scan refuses a body that exceeds a limit before it is parsed.
 * @returns `undefined` if it is empty
 * @throws {AppError} 400 if it is not JSON in UTF-8, or exceeds a limit
 */
export function parseJson(body: Buffer, most = mostValues): unknown {
  return body.length === 0 ? undefined : parse(body, scan(body), most)
}

/**
 * Reads the body of an API request, as `parseJson` does.
 * @throws {AppError} 400 also if it contains text that no database can store
 */
export function parseJsonBody(body: Buffer): unknown {
  if (body.length === 0) return undefined
  const scanned = scan(body)
  const parsed = parse(body, scanned, mostValues)
  // Walking a large value takes many times as long as scanning its text, and almost none has anything to find.
  const details = scanned.hasUnstorable ? unstorable(parsed) : []
  if (details.length > 0) {
    throw new AppError('request_invalid', `Invalid request: ${details[0]!.field} ${textProblem}.`, {
      details,
    })
  }
  return parsed
}

function scan(body: Buffer): JsonScan {
  if (!isUtf8(body)) throw new AppError('request_malformed', 'The request body is not valid UTF-8.')
  return scanJson(body)
}

function parse(body: Buffer, { depth, values, fields }: JsonScan, most: number): unknown {
  if (depth > deepestNesting) {
    throw new AppError(
      'request_malformed',
      `The request body is nested more than ${deepestNesting} levels deep.`,
    )
  }
  if (values > most) {
    throw new AppError('request_malformed', `The request body has more than ${most} values.`)
  }
  if (fields > mostFields) {
    throw new AppError('request_malformed', `An object in the request has more than ${mostFields} fields.`)
  }
  try {
    return JSON.parse(body.toString('utf8'))
  } catch (error) {
    throw new AppError('request_malformed', 'The request body is not valid JSON.', { cause: error })
  }
}

/** Lists the first texts that no database can store. */
function unstorable(root: unknown): ErrorDetail[] {
  const found: ErrorDetail[] = []
  const open: [path: string, value: unknown][] = [['body', root]]
  while (open.length > 0 && found.length < detailLimit) {
    const [path, value] = open.pop()!
    const members = typeof value === 'object' && value !== null ? Object.entries(value) : []
    const texts = typeof value === 'string' ? [value] : members.map(([name]) => name)
    if (!texts.every(isStorable)) {
      found.push({ field: path.slice(0, fieldLimit).toWellFormed(), message: textProblem })
    }
    for (const [name, item] of members.reverse()) {
      open.push([`${path.slice(0, fieldLimit)}.${name.slice(0, fieldLimit)}`, item])
    }
  }
  return found
}

function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}
