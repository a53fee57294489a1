import { HttpFailure } from '../outgoing/http-failure.ts'
import { RefusedAddress } from '../outgoing/target.ts'
import { type FailureKind, ProviderFailure } from './provider-failure.ts'
import type { ProviderAnswer } from './provider-http.ts'
import { type Redact, shownWords } from './redaction.ts'

/** What the service itself saw of a request, whatever the library made of it. */
export type Seen = { asked?: true; answer?: ProviderAnswer; failure?: unknown }

/** Codes of sockets, DNS and TLS after which no provider can have read the request. */
const neverArrived =
  /\((?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|CERT_|ERR_TLS|SELF_SIGNED|UNABLE_TO|DEPTH_)/

/** A provider's longer `Retry-After` is shortened to this. */
const longestRetrySeconds = 24 * 60 * 60

/** Says why a question has no answer. Decides by the bytes on the wire, because each library reports errors differently. */
export function failureOf(error: unknown, seen: Seen, redact: Redact): ProviderFailure {
  const known = [seen.failure, error].find((one) => one instanceof ProviderFailure)
  // Some providers report an error with status 200, which the library cannot read.
  if (known !== undefined && (known.kind !== 'malformed' || !reportsError(seen)))
    return redacted(known, redact)
  if (seen.failure instanceof RefusedAddress) {
    return new ProviderFailure('rejected', seen.failure.message, { mayHaveCost: false })
  }
  if (seen.failure instanceof HttpFailure) return connectionFailure(seen.failure)
  if (seen.answer === undefined) {
    return new ProviderFailure('rejected', 'The service could not write the request.', {
      mayHaveCost: false,
      cause: error,
    })
  }
  return seen.answer.status >= 400 || reportsError(seen)
    ? refusalOf(seen.answer, redact)
    : new ProviderFailure('malformed', 'The service could not read the answer of the provider.', {
        cause: error,
      })
}

function reportsError({ answer }: Seen): boolean {
  return answer !== undefined && errorIn(answer.text) !== undefined
}

/** The failure that a provider reports, with its own message if it has one. */
function refusalOf(answer: ProviderAnswer, redact: Redact): ProviderFailure {
  const { status } = answer
  const kind = kindOf(status)
  const words = shownWords(errorIn(answer.text) ?? '', redact)
  const message = `The provider answered ${status}${words === '' ? '' : `: ${words}`}`
  return new ProviderFailure(kind, /[.!?]$/.test(message) ? message : `${message}.`, {
    retryAfterSeconds: retryAfter(answer.headers['retry-after']),
    mayHaveCost: false,
    status,
  })
}

function kindOf(status: number): FailureKind {
  if (status === 429) return 'rate_limited'
  if (status === 408) return 'timeout'
  return status >= 500 || status < 400 ? 'provider_error' : 'rejected'
}

function connectionFailure(failure: HttpFailure): ProviderFailure {
  const isUnusable = /over 1 MB|decompress|compressed|valid HTTP/.test(failure.message)
  return new ProviderFailure(isUnusable ? 'malformed' : 'unreachable', failure.message, {
    mayHaveCost: !neverArrived.test(failure.message) && !/^The host name/.test(failure.message),
    cause: failure.cause,
  })
}

/** The same failure without secrets in its message. */
function redacted(failure: ProviderFailure, redact: Redact): ProviderFailure {
  const { kind, retryAfterSeconds, mayHaveCost, status, cause } = failure
  const message = kind === 'provider_error' ? shownWords(failure.message, redact) : redact(failure.message)
  return new ProviderFailure(kind, message, { retryAfterSeconds, mayHaveCost, status, cause })
}

/** Seconds, or a date (RFC 9110, section 10.2.3). */
function retryAfter(header: string | undefined): number | undefined {
  if (header === undefined) return undefined
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000
  if (!Number.isFinite(seconds)) return undefined
  return Math.min(Math.max(Math.ceil(seconds), 0), longestRetrySeconds)
}

/** The message of an error as providers write it: `{"error": {"message"}}`, `[{"error": …}]`, `{"message"}` … */
function errorIn(text: string): string | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  const body = (Array.isArray(value) ? value[0] : value) as Record<string, unknown> | null
  if (typeof body !== 'object' || body === null) return undefined
  const { error, message } = body
  const words = typeof error === 'object' && error !== null ? (error as { message?: unknown }).message : error
  return [words, message].find((one): one is string => typeof one === 'string' && one !== '')
}
