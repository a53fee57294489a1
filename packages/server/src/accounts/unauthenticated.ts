import { AppError } from '../base/errors.ts'
import type { SignedRequest } from '../base/principal.ts'
import { isWholeSeconds } from './signature.ts'

const signatureHeaders = { 'api-key': 'apiKey', timestamp: 'timestamp', signature: 'signature' } as const

/** 401 that names the missing headers of the signature. */
export function headersMissing(request: SignedRequest): AppError {
  const missing = Object.entries(signatureHeaders).filter(([, field]) => request[field] === undefined)
  const names = missing.map(([name]) => name)
  const subject = names.length === 1 ? `the header ${names[0]} is` : `the headers ${listed(names)} are`
  return new AppError('auth_missing', `Not authenticated: ${subject} missing.`)
}

/** 401, the same for an unknown key and a wrong signature, so that nobody can probe for keys. */
export function signatureRefused(): AppError {
  const reason = 'the API key is unknown, or the signature is not valid for this request'
  return new AppError('auth_invalid', `Not authenticated: ${reason} (METHOD + PATH + BODY + TIMESTAMP).`)
}

/** 401 for a valid signature with a wrong timestamp: says what is wrong, and by how many seconds it is off. */
export function timestampRefused(timestamp: string, nowMs: number, toleranceSeconds: number): AppError {
  return new AppError(
    'auth_timestamp',
    `Not authenticated: ${problemOf(timestamp, nowMs, toleranceSeconds)}.`,
  )
}

/** 400 for a valid signature of a text that could also stand for another request. */
export function requestAmbiguous(): AppError {
  return new AppError(
    'request_malformed',
    'The signed text must stand for one request only. Percent-encode all characters of the path and the query that RFC 3986 does not allow there, and send no body or a JSON object.',
  )
}

function problemOf(timestamp: string, nowMs: number, toleranceSeconds: number): string {
  if (/^[1-9]\d{12}$/.test(timestamp)) {
    const off = offset(Number(timestamp) / 1000, nowMs)
    return `the timestamp looks like milliseconds (as such, it is ${off}). Send whole seconds, ten digits`
  }
  if (!isWholeSeconds(timestamp)) {
    return 'the timestamp must be Unix time in whole seconds: ten digits without a leading zero'
  }
  const off = offset(Number(timestamp), nowMs)
  return `the timestamp is ${off}; at most ${toleranceSeconds} s are allowed`
}

function offset(seconds: number, nowMs: number): string {
  const off = Math.round(seconds - nowMs / 1000)
  if (off === 0) return 'right'
  return `${Math.abs(off)} s ${off > 0 ? 'ahead of' : 'behind'} the clock of the service`
}

function listed(names: string[]): string {
  return new Intl.ListFormat('en').format(names)
}
