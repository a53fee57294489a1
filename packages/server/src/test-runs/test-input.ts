import { type LastTrigger, storageByteLimit } from '@tickwright/sandbox'
import { Type } from 'typebox'
import { AppError } from '../base/errors.ts'
import { orNull } from '../strategies/fields.ts'

export const Action = Type.Union([Type.Literal('LONG'), Type.Literal('SHORT'), Type.Literal('EXIT')])

/** Any JSON value. The limits exceed what fits into a body. */
const AnyJson = (description: string) =>
  Type.Unknown({ maxLength: 1024 * 1024, maxItems: 50_000, maxProperties: 50_000, description })

export const Moment = Type.String({ format: 'date-time', maxLength: 64, description: 'ISO 8601, UTC.' })

/** Far above any real price. */
export const highestPrice = 1e15

/** The payload of a test run of a reaction. */
export const payloadFields = {
  payload: Type.Optional(AnyJson('The payload: any JSON value; a string is passed on unchanged.')),
  headers: Type.Optional(
    Type.Record(Type.String(), Type.String({ maxLength: 8_192 }), { maxProperties: 100 }),
  ),
  ip: Type.Optional(Type.String({ maxLength: 100 })),
}

/** What a strategy finds in a test run without a payload. The saved strategy supplies the fields that are left out. */
export const stateFields = {
  storage: Type.Optional(AnyJson('The stored value; null for none.')),
  last_trigger: Type.Optional(
    Type.Object({
      action: orNull(Action),
      price: Type.Optional(orNull(Type.Number({ minimum: 0, maximum: highestPrice }))),
      at: Type.Optional(orNull(Moment)),
    }),
  ),
}

/** The same, with a payload. */
export const inputFields = { ...payloadFields, ...stateFields }

const TestInputBody = Type.Object(inputFields)

/** What the strategy finds in a test run. */
export type TestInput = {
  payload: unknown
  headers: Record<string, string> | undefined
  ip: string | undefined
  /** JSON text. */
  storage: string | null | undefined
  lastTrigger: LastTrigger | undefined
}

/**
 * @param mostBytes of the stored value
 * @throws {AppError} 400 if the stored value is too large
 */
export function readTestInput(
  body: Type.Static<typeof TestInputBody>,
  mostBytes: number = storageByteLimit,
): TestInput {
  const { payload, headers, ip, last_trigger: last } = body
  return {
    payload,
    headers,
    ip,
    storage: body.storage === undefined ? undefined : storageText(body.storage, mostBytes),
    lastTrigger: last && {
      action: last.action,
      price: last.price ?? null,
      at: last.at ? Date.parse(last.at) : null,
    },
  }
}

/**
 * The time at the start of a test run, in Unix ms.
 * @throws {AppError} 400 if it is before 1970
 */
export function readNow(now: string | undefined): number | undefined {
  if (now === undefined) return undefined
  const ms = Date.parse(now)
  if (ms >= 0) return ms
  const message = 'must be a moment since 1970'
  throw new AppError('request_invalid', `Invalid request: body.now ${message}.`, {
    details: [{ field: 'body.now', message }],
  })
}

/** The payload that a reaction receives in a test run. */
export function requestOf({ payload = {}, headers = {}, ip = '127.0.0.1' }: TestInput) {
  const data = typeof payload === 'string' ? payload : JSON.stringify(payload)
  const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
  return { data, headers: { 'content-type': 'application/json', ...Object.fromEntries(named) }, ip }
}

function storageText(value: unknown, mostBytes: number): string | null {
  if (value === null) return null
  const text = JSON.stringify(value)
  const sizeBytes = Buffer.byteLength(text)
  if (sizeBytes <= mostBytes) return text
  const message = `may have at most ${mostBytes} bytes of JSON; it has ${sizeBytes}`
  throw new AppError('request_invalid', `Invalid request: body.storage ${message}.`, {
    details: [{ field: 'body.storage', message }],
  })
}
