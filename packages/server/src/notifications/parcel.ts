import { HttpFailure } from '../outgoing/http-failure.ts'
import type { OutgoingHttp } from '../outgoing/outgoing-http.ts'
import { RefusedAddress } from '../outgoing/target.ts'
import type { Vault } from '../secrets/vault.ts'
import { readRetryAfter } from './back-off.ts'
import type { ChatFields, ChatKind, Verdict } from './kinds/kind.ts'
import { chatKindOf } from './kinds/kinds.ts'
import { type Message, messageOf } from './kinds/message.ts'
import { isSilent } from './loudness.ts'
import type { HeldEndpoint, WaitingDelivery } from './queue.ts'
import { openPlace, openSecret, openUrl } from './sealed.ts'
import { signedHeaders } from './signature.ts'

/**
 * The result of an attempt. `status` is the HTTP status, `null` without a response; `error` is for a person. `gone` is why
 * the endpoint wants nothing more. `isBusy`: it asks for a pause, so the notification is not at fault.
 */
export type Attempt = { ok: true; status: number } | FailedAttempt

export type FailedAttempt = {
  ok: false
  status: number | null
  error: string
  retryAfterMs: number | null
  gone?: string
  isBusy?: boolean
}

export const attemptMs = 15_000
const errorLimit = 300

export type ParcelService = {
  vault: Vault
  http: Pick<OutgoingHttp, 'deliver'>
  /** Stores a mail to the owner of an endpoint, once for each `onceKey`. */
  mail(userId: number, message: Message, onceKey: string): Promise<void>
  now(): number
  timeoutMs?: number
  /** Other origins for those of chat services, so that tests can stand in for them. */
  origins?: Readonly<Record<string, string>>
}

/**
 * Sends a notification to its endpoint once. Any 2xx is a success; a redirect is not. The address is checked each time.
 * @throws the reason of `signal` if it is aborted
 */
export async function sendParcel(
  service: ParcelService,
  endpoint: HeldEndpoint,
  delivery: WaitingDelivery,
  signal: AbortSignal,
): Promise<Attempt> {
  const { vault, http, now, timeoutMs = attemptMs } = service
  try {
    if (endpoint.kind === 'email') return await sendMail(service, endpoint, delivery)
    const kind = chatKindOf(endpoint.kind)
    if (kind !== undefined) return await sendChat(service, kind, endpoint, delivery, signal)
    const request = requestOf(vault, endpoint, delivery, now())
    const { status, headers } = await http.deliver(request, timeoutMs, signal)
    if (status >= 200 && status < 300) return { ok: true, status }
    const retryAfterMs = readRetryAfter(headers['retry-after'], now())
    const failed = { ok: false, status, error: `It answered ${status}.`, retryAfterMs } as const
    return status === 410 ? { ...failed, gone: 'It answered 410: it wants no more notifications.' } : failed
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

/** A kill between the mail and the note that it is stored leads to another attempt, which stores no second one. */
async function sendMail(
  { mail }: ParcelService,
  { id, userId }: HeldEndpoint,
  delivery: WaitingDelivery,
): Promise<Attempt> {
  const onceKey = `notification:${delivery.notificationId}:${id}:${delivery.attempts}`
  await mail(userId, messageOf(delivery), onceKey)
  return { ok: true, status: 202 }
}

async function sendChat(
  { vault, http, now, timeoutMs = attemptMs, origins = {} }: ParcelService,
  kind: ChatKind,
  endpoint: HeldEndpoint,
  delivery: WaitingDelivery,
  signal: AbortSignal,
): Promise<Attempt> {
  const fields = openPlace(vault, endpoint)
  const {
    url,
    headers = {},
    body,
  } = kind.request(fields, messageOf(delivery), isSilent(delivery.type, endpoint, now()))
  const request = {
    method: 'POST' as const,
    url: new URL(url.pathname + url.search, origins[url.origin] ?? url.origin),
    headers: new Map([
      ['content-type', 'application/json'],
      ['user-agent', 'Tickwright'],
      ...Object.entries(headers),
    ]),
    body: JSON.stringify(body),
  }
  const { status, headers: answered, start } = await http.deliver(request, timeoutMs, signal)
  if (status >= 200 && status < 300) return { ok: true, status }
  const answer = { status, headers: answered, start, body: objectOf(start), nowMs: now() }
  return failedChat(kind.verdict(answer), status, fields)
}

function failedChat(verdict: Verdict, status: number, fields: ChatFields): FailedAttempt {
  const detail = withoutSecrets(verdict.detail, fields)
  const error =
    detail === '' ? `It answered ${status}.` : `It answered ${status}: ${detail.replace(/\.$/, '')}.`
  const retryAfterMs = verdict.is === 'busy' ? verdict.waitMs : null
  const failed = { ok: false, status, error, retryAfterMs } as const
  if (verdict.is === 'gone') return { ...failed, gone: error }
  return verdict.is === 'busy' ? { ...failed, isBusy: true } : failed
}

/** A server could answer with what it was sent, and users read the answer in places that show no secrets. */
function withoutSecrets(text: string, { url, token, user_key }: ChatFields): string {
  const secrets = [token, user_key, url, ...(url === undefined ? [] : new URL(url).pathname.split('/'))]
  return secrets
    .filter((secret) => secret !== undefined && secret.length >= 8)
    .reduce<string>((shown, secret) => shown.replaceAll(secret!, '…'), text)
}

/** An object in JSON; empty for anything else. */
function objectOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}

/** Shows only messages that are known to contain no address. */
function reasonOf(error: unknown): string {
  if (error instanceof RefusedAddress || error instanceof HttpFailure) return error.message
  return 'It could not be sent: its address or its secret cannot be read.'
}
