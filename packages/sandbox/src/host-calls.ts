/** The host calls of a run, as its executor sends them. Each is checked exactly, since the executor is not trusted. */

import type { CandleRequest } from './candles.ts'
import { isGivenEntry } from './entry.ts'
import {
  actionIdLimit,
  bodyByteLimit,
  candlesPerCall,
  headersLengthLimit,
  intervalLengthLimit,
  secretLengthLimit,
  symbolLengthLimit,
  urlLengthLimit,
  venueLengthLimit,
} from './limits.ts'
import { isOrderSize } from './order-size.ts'
import { isGivenProtection } from './protection.ts'
import { isBoolean, isId, isOneOf, isOptional, isRecord, isString, isTextWithin } from './shapes.ts'
import {
  type ActionName,
  type ActionOptions,
  actionNames,
  type ExchangeName,
  exchangeNames,
  type HttpRequest,
  httpMethods,
  type SignatureAlgorithm,
  signatureAlgorithms,
} from './types.ts'

export type HostCall =
  | { name: 'action'; action: ActionName; options: ActionOptions }
  | { name: 'positions' }
  | { name: 'stop'; notify: boolean }
  | { name: 'http'; request: HttpRequest }
  | { name: 'rate'; exchange: ExchangeName; symbol: string }
  | { name: 'candles'; request: CandleRequest }
  | { name: 'sign'; payload: string; secret: string; algorithm: SignatureAlgorithm }

/** The call in a message, or `null` if anything in it is invalid. */
export function readHostCall(value: Record<string, unknown>): HostCall | null {
  switch (value.name) {
    case 'action': {
      const { action } = value
      const options = readActionOptions(value.options)
      if (!isOneOf(action, actionNames) || options === null) return null
      // The guest drops them, since an exit opens nothing.
      if (action === 'EXIT' && (options.protection !== undefined || options.entry !== undefined)) return null
      return { name: 'action', action, options }
    }
    case 'positions':
      return { name: 'positions' }
    case 'stop':
      return isBoolean(value.notify) ? { name: 'stop', notify: value.notify } : null
    case 'http': {
      const request = readHttpRequest(value.request)
      return request === null ? null : { name: 'http', request }
    }
    case 'rate': {
      const { exchange, symbol } = value
      if (!isOneOf(exchange, exchangeNames) || !isTextWithin(symbol, symbolLengthLimit)) return null
      return { name: 'rate', exchange, symbol }
    }
    case 'candles': {
      const request = readCandleRequest(value.request)
      return request === null ? null : { name: 'candles', request }
    }
    case 'sign': {
      const { payload, secret, algorithm } = value
      if (!isBody(payload) || !isTextWithin(secret, secretLengthLimit)) return null
      return isOneOf(algorithm, signatureAlgorithms) ? { name: 'sign', payload, secret, algorithm } : null
    }
    default:
      return null
  }
}

function readActionOptions(value: unknown): ActionOptions | null {
  if (!isRecord(value)) return null
  const { id, dilution, size, forceSize, protection, entry, ...others } = value
  if (Object.keys(others).length > 0) return null
  if (!isOptional(id, (v) => isTextWithin(v, actionIdLimit))) return null
  if (!isOptional(dilution, isBoolean) || !isOptional(forceSize, isBoolean)) return null
  if (!isOptional(size, isOrderSize) || !isOptional(protection, isGivenProtection)) return null
  if (!isOptional(entry, isGivenEntry)) return null
  return value
}

function readHttpRequest(value: unknown): HttpRequest | null {
  if (!isRecord(value)) return null
  const { method, url, params, headers, body } = value
  if (!isOneOf(method, httpMethods) || !isTextWithin(url, urlLengthLimit)) return null
  if (!isPairs(params) || lengthOf(params) > urlLengthLimit) return null
  if (!isTexts(headers) || lengthOf(Object.entries(headers)) > headersLengthLimit) return null
  return body === null || isBody(body) ? { method, url, params, headers, body } : null
}

function readCandleRequest(value: unknown): CandleRequest | null {
  if (!isRecord(value)) return null
  const { symbol, interval, count, exchange, service } = value
  if (!isTextWithin(symbol, symbolLengthLimit) || !isTextWithin(interval, intervalLengthLimit)) return null
  if (!isId(count) || count > candlesPerCall) return null
  if (!isVenueName(exchange) || !isVenueName(service)) return null
  return { symbol, interval, count, exchange, service }
}

const isVenueName = (value: unknown): value is string | null =>
  value === null || isTextWithin(value, venueLengthLimit)

const isBody = (value: unknown): value is string =>
  isTextWithin(value, bodyByteLimit) && Buffer.byteLength(value) <= bodyByteLimit

const isPairs = (value: unknown): value is [string, string][] =>
  Array.isArray(value) &&
  value.every((pair) => Array.isArray(pair) && pair.length === 2 && pair.every(isString))

const isTexts = (value: unknown): value is Record<string, string> =>
  isRecord(value) && Object.values(value).every(isString)

function lengthOf(pairs: [string, string][]): number {
  return pairs.reduce((sum, [name, value]) => sum + name.length + value.length, 0)
}
