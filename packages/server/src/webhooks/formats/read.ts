import { hash } from 'node:crypto'
import {
  ignoredFields,
  namesOf,
  type OutsideSignal,
  readOutsideSignal,
  signalOf,
} from '../outside-payload.ts'
import { PayloadReader } from '../payload-reader.ts'
import { definedFields, readExtras } from '../payload-values.ts'
import type { AlertFormat, Format } from './format.ts'
import { freqtrade } from './freqtrade.ts'
import { openalgo } from './openalgo.ts'
import { threeCommas } from './three-commas.ts'
import { tradersPost } from './traderspost.ts'
import { tradingview } from './tradingview.ts'

const formats: Record<Exclude<AlertFormat, 'tickwright'>, Format> = {
  tradingview,
  '3commas': threeCommas,
  traderspost: tradersPost,
  openalgo,
  freqtrade,
}

/** A payload as the service understood it. */
export type ReadPayload = {
  signal: OutsideSignal
  /** The fields that nothing acts on: at most 20 names, each cut to 64 characters. */
  ignored: string[]
  /** Whether it says when it was made: the same payload again is then the same alert. */
  isDated: boolean
}

/**
 * Reads the payload of a bot webhook in the words of its format.
 * @param check throws, with a sentence, if no callback may go to the address
 * @throws {AppError} 400, naming every field that is wrong, or that no bot can follow
 */
export function readPayload(
  format: AlertFormat,
  payload: Record<string, unknown>,
  { receivedAtMs, check }: { receivedAtMs: number; check?: (url: URL) => void },
): ReadPayload {
  if (format === 'tickwright') {
    const signal = readOutsideSignal(payload, check)
    return { signal, ignored: ignoredFields(payload, signal), isDated: false }
  }
  const fields = new PayloadReader(payload)
  const { secret, read } = formats[format]
  fields.use('key', ...(secret === undefined ? [] : [secret]))
  const { symbol, order, id, protection, entry, timing } = read(fields, receivedAtMs)
  const extras = readExtras(fields, check ?? (() => undefined))
  fields.check()
  // Whatever is missing has been named.
  const { action, options } = order!
  const asked = definedFields({ id, ...options, protection, entry })
  const signal = signalOf({ action, symbols: [symbol!], options: asked }, extras)
  return { signal, ignored: namesOf(fields.ignored()), isDated: timing.madeAtMs !== undefined }
}

/** The field of a payload that counts as the webhook's password, besides `key`; `undefined`: none. */
export function secretFieldOf(format: AlertFormat = 'tickwright'): string | undefined {
  return format === 'tickwright' ? undefined : formats[format].secret
}

/** The key of a dated alert, by its text: a sender that posts it again after a lost answer trades it once. */
export function keyOfText(body: string): string {
  return `body:${hash('sha256', body, 'base64url')}`
}
