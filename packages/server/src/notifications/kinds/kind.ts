import { invalidField } from '../../base/errors.ts'
import type { Message } from './message.ts'
import { cut, words } from './words.ts'

/** Where an endpoint of a chat service sends to, as its user has given it. Some of the texts are secrets. */
export type ChatFields = Partial<Record<FieldName, string>>

export const fieldNames = ['url', 'token', 'chat_id', 'thread_id', 'user_key', 'device'] as const
export type FieldName = (typeof fieldNames)[number]

/** A request to a chat service, always a POST of JSON. */
export type ChatRequest = { url: URL; headers?: Record<string, string>; body: Record<string, unknown> }

/** An answer other than 2xx. `body` is what `start` holds if that is an object in JSON, otherwise empty. */
export type ChatAnswer = {
  status: number
  headers: Record<string, string | string[] | undefined>
  start: string
  body: Record<string, unknown>
  nowMs: number
}

/**
 * What an answer other than 2xx means.
 *
 * - `gone`: nothing more will arrive there before the user changes something
 * - `busy`: the service asks for a pause, of `waitMs` if it says so; the message is not at fault
 * - `refused`: anything else, so the message is tried again later
 *
 * `detail` is what the service says, for a person; it may be empty.
 */
export type Verdict =
  | { is: 'gone' | 'refused'; detail: string }
  | { is: 'busy'; detail: string; waitMs: number | null }

/** How often an endpoint of the kind may be sent to: so many at once after a pause, and then so many a second. */
export type Pace = { atOnce: number; aSecond: number }

/** A chat service: a few pure functions that know its format and its limits. */
export type ChatKind = {
  required: readonly FieldName[]
  optional: readonly FieldName[]
  /** What each field has to look like, and the words for an error: "must be …". */
  formats: Partial<Record<FieldName, { is: (text: string) => boolean; otherwise: string }>>
  /** Names where it sends to, without a secret. */
  receiver(fields: ChatFields): string
  /** Whether it has messages without a sound. */
  canBeSilent: boolean
  request(fields: ChatFields, message: Message, isSilent: boolean): ChatRequest
  verdict(answer: ChatAnswer): Verdict
  pace(fields: ChatFields): Pace
}

/**
 * Checks the fields of a new or changed endpoint.
 * @throws {AppError} 400 for a field that is missing, wrong, or of another kind
 */
export function checkFields(
  name: string,
  kind: Pick<ChatKind, 'required' | 'optional' | 'formats'>,
  given: ChatFields,
): void {
  const known = [...kind.required, ...kind.optional]
  for (const field of fieldNames) {
    const text = given[field]
    if (text === undefined) {
      if (kind.required.includes(field)) throw invalidField(field, `is required for the kind ${name}`)
      continue
    }
    if (!known.includes(field)) {
      throw invalidField(field, `is not a field of the kind ${name}, which has ${known.join(', ') || 'none'}`)
    }
    const format = kind.formats[field]
    if (format !== undefined && !format.is(text)) throw invalidField(field, format.otherwise)
  }
}

/** All of a message as one text with a limit: the title, then the lines. */
export function asText({ title, lines }: Message, limit: number): string {
  return cut([title, ...lines].join('\n'), limit)
}

/** What a chat service says about a failure: one line, short, and only if it is a text. */
export function detailOf(value: unknown): string {
  return typeof value === 'string' ? words(value, 150) : ''
}

/** A wait that a body names in seconds, as ms; `null` for anything that is not a positive number. */
export function secondsOf(value: unknown): number | null {
  return typeof value === 'number' && value > 0 && Number.isFinite(value) ? Math.ceil(value * 1000) : null
}
