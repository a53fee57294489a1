import { HttpFailure } from '../outgoing/http-failure.ts'
import type { OutgoingHttp } from '../outgoing/outgoing-http.ts'
import { RefusedAddress } from '../outgoing/target.ts'
import type { Vault } from '../secrets/vault.ts'
import { readRetryAfter } from './back-off.ts'
import type { HeldEndpoint, WaitingDelivery } from './queue.ts'
import { openSecret, openUrl } from './sealed.ts'
import { signedHeaders } from './signature.ts'

/** The result of an attempt. `status` is the HTTP status, `null` without a response; `error` is for a person. */
export type Attempt =
  | { ok: true; status: number }
  | { ok: false; status: number | null; error: string; retryAfterMs: number | null }

export const attemptMs = 15_000
const errorLimit = 300

export type ParcelService = {
  vault: Vault
  http: Pick<OutgoingHttp, 'deliver'>
  now(): number
  timeoutMs?: number
}

/**
 * Sends a notification to its endpoint once. Any 2xx is a success; a redirect is not. The address is checked each time.
 * @throws the reason of `signal` if it is aborted
 */
export async function sendParcel(
  { vault, http, now, timeoutMs = attemptMs }: ParcelService,
  endpoint: HeldEndpoint,
  delivery: WaitingDelivery,
  signal: AbortSignal,
): Promise<Attempt> {
  try {
    const request = requestOf(vault, endpoint, delivery, now())
    const { status, headers } = await http.deliver(request, timeoutMs, signal)
    if (status >= 200 && status < 300) return { ok: true, status }
    const retryAfterMs = readRetryAfter(headers['retry-after'], now())
    return { ok: false, status, error: `It answered ${status}.`, retryAfterMs }
  } catch (error) {
    signal.throwIfAborted()
    return { ok: false, status: null, error: reasonOf(error).slice(0, errorLimit), retryAfterMs: null }
  }
}

/** The id of a notification for receivers: the same for all attempts and all endpoints. */
export function publicId(uid: string): string {
  return `msg_${uid.replaceAll('-', '')}`
}

/** The body of the request, by the Standard Webhooks convention. */
export function bodyOf({ type, createdAt, data }: Pick<WaitingDelivery, 'type' | 'createdAt' | 'data'>) {
  return { type, timestamp: createdAt.toISOString(), data }
}

function requestOf(vault: Vault, endpoint: HeldEndpoint, delivery: WaitingDelivery, nowMs: number) {
  const { userId } = endpoint
  const body = JSON.stringify(bodyOf(delivery))
  const sealed = [endpoint.secret]
  if (endpoint.previousSecret !== null && (endpoint.previousUntil?.getTime() ?? 0) > nowMs) {
    sealed.push(endpoint.previousSecret)
  }
  const secrets = sealed.map((secret) => openSecret(vault, userId, secret))
  const headers = new Map([
    ['content-type', 'application/json'],
    ['user-agent', 'Tickwright'],
    ...Object.entries(signedHeaders(publicId(delivery.uid), Math.floor(nowMs / 1000), body, secrets)),
  ])
  return {
    method: 'POST' as const,
    url: new URL(openUrl(vault, userId, delivery.url ?? endpoint.url)),
    headers,
    body,
  }
}

/** Shows only messages that are known to contain no address. */
function reasonOf(error: unknown): string {
  if (error instanceof RefusedAddress || error instanceof HttpFailure) return error.message
  return 'It could not be sent: its address or its secret cannot be read.'
}
