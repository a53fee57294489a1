import { type LastTrigger, storageByteLimit } from '@tickwright/sandbox'
import { Type } from 'typebox'
import { AppError } from '../base/errors.ts'
import { orNull } from '../strategies/fields.ts'

export const Action = Type.Union([Type.Literal('LONG'), Type.Literal('SHORT'), Type.Literal('EXIT')])

/** Any JSON: a body has no room for more. */
const AnyJson = (description: string) =>
  Type.Unknown({ maxLength: 1024 * 1024, maxItems: 50_000, maxProperties: 50_000, description })

const Moment = Type.String({ format: 'date-time', maxLength: 64, description: 'ISO 8601, UTC.' })

/** No price comes near it. */
export const highestPrice = 1e15

/** What any strategy is to find in a test run; what is left out is as the saved strategy has it. */
export const circumstances = {
  payload: Type.Optional(AnyJson('The payload: any JSON value; a string is passed on unchanged.')),
  headers: Type.Optional(
    Type.Record(Type.String(), Type.String({ maxLength: 8_192 }), { maxProperties: 100 }),
  ),
  ip: Type.Optional(Type.String({ maxLength: 100 })),
  storage: Type.Optional(AnyJson('The stored value; null for none.')),
  last_trigger: Type.Optional(
    Type.Object({
      action: orNull(Action),
      price: Type.Optional(orNull(Type.Number({ minimum: 0, maximum: highestPrice }))),
      at: Type.Optional(orNull(Moment)),
    }),
  ),
}

const Circumstances = Type.Object(circumstances)

export type Circumstances = {
  payload: unknown
  headers: Record<string, string> | undefined
  ip: string | undefined
  /** JSON text. */
  storage: string | null | undefined
  lastTrigger: LastTrigger | undefined
}

/** @throws {AppError} 400 when the stored value is too large */
export function readCircumstances(body: Type.Static<typeof Circumstances>): Circumstances {
  const { payload, headers, ip, last_trigger: last } = body
  return {
    payload,
    headers,
    ip,
    storage: body.storage === undefined ? undefined : storageText(body.storage),
    lastTrigger: last && {
      action: last.action,
      price: last.price ?? null,
      at: last.at ? Date.parse(last.at) : null,
    },
  }
}

/** What is delivered in a test run of a reaction. */
export function requestOf({ payload = {}, headers = {}, ip = '127.0.0.1' }: Circumstances) {
  const data = typeof payload === 'string' ? payload : JSON.stringify(payload)
  const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
  return { data, headers: { 'content-type': 'application/json', ...Object.fromEntries(named) }, ip }
}

function storageText(value: unknown): string | null {
  if (value === null) return null
  const text = JSON.stringify(value)
  const sizeBytes = Buffer.byteLength(text)
  if (sizeBytes <= storageByteLimit) return text
  const message = `may have at most ${storageByteLimit} bytes of JSON, but has ${sizeBytes}`
  throw new AppError('request_invalid', `Invalid request: body.storage ${message}.`, {
    details: [{ field: 'body.storage', message }],
  })
}
