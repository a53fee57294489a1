import type { IncomingHttpHeaders } from 'node:http'
import { AppError } from '../base/errors.ts'
import type { TokenBuckets } from '../base/token-buckets.ts'
import type { Entrance } from './addresses.ts'
import { checkAllowed } from './allowed-senders.ts'
import { secretFieldOf } from './formats/read.ts'
import type { Webhook } from './webhook-kind.ts'
import type { Webhooks } from './webhooks.ts'

/** What is known of a post before its body. `ip`: `undefined` if the sender has ended the connection. */
type Sending = { headers: IncomingHttpHeaders; ip: string | undefined }

/**
 * Checks everything about a sender that does not depend on the body.
 * @param entrance `null`: no webhook has this URL
 * @throws {AppError} 401, 403 or 404
 */
export function checkSender(
  webhooks: Webhooks,
  entrance: Entrance | null,
  { headers, ip }: Sending,
): Entrance {
  if (entrance === null) throw new AppError('webhook_not_found', 'There is no webhook at this address.')
  const { webhook } = entrance
  checkActive(webhook)
  checkAllowed(webhook, ip)
  if (webhook.isSafe && webhook.keyFrom === 'header' && !headerKeyFits(webhooks, webhook, headers))
    throw wrongKey()
  return entrance
}

/** @throws {AppError} 403 */
export function checkActive({ status }: Webhook): void {
  if (status !== 'ACTIVE') throw new AppError('webhook_inactive', 'This webhook is switched off.')
}

/**
 * Checks the key of a sender who may write it into the body.
 * @throws {AppError} 401
 */
export function checkBodyKey(
  webhooks: Webhooks,
  webhook: Webhook,
  headers: IncomingHttpHeaders,
  parsed: Record<string, unknown>,
): void {
  if (!webhook.isSafe || webhook.keyFrom !== 'header_or_body') return
  const given = [parsed.key, parsed[secretFieldOf(webhook.format) ?? 'key']]
  const inBody = given.some((key) => typeof key === 'string' && webhooks.keyFits(webhook, key))
  if (!inBody && !headerKeyFits(webhooks, webhook, headers)) throw wrongKey()
}

/**
 * Checks a sender with the webhook in memory, which may not have heard of a change yet. The commit checks again
 * what memory accepts. If memory refuses, this function checks again with the stored webhook, but only at a limited
 * rate: a flood of wrong keys must not keep the database busy. (An address without a webhook never gets one.)
 * @throws {AppError} the refusal of `check`
 */
export async function refuseForCertain(
  { webhooks, rechecks }: { webhooks: Webhooks; rechecks: TokenBuckets },
  known: Entrance | null,
  check: (entrance: Entrance | null) => Entrance,
): Promise<Entrance> {
  try {
    return check(known)
  } catch (refusal) {
    if (known === null || rechecks.take(bucketOf(known), Date.now()) > 0) throw refusal
    return check(await webhooks.refresh(known))
  }
}

/** @throws {AppError} 429 */
export function checkRate(rateLimits: TokenBuckets, entrance: Entrance): void {
  const waitSeconds = rateLimits.take(bucketOf(entrance), Date.now())
  if (waitSeconds > 0) {
    throw new AppError('rate_limited', 'Too many payloads for this webhook; try again later.', {
      retryAfterSeconds: Math.ceil(waitSeconds),
    })
  }
}

/** Each URL has a bucket of its own, so that no sender can use up the rate of another. */
export function bucketOf({ webhook, sender }: Entrance): number {
  return sender === null ? webhook.id : -sender.shareId
}

function headerKeyFits(webhooks: Webhooks, webhook: Webhook, headers: IncomingHttpHeaders): boolean {
  const key = headers['x-key']
  if (typeof key !== 'string') return false
  // Node reads headers as Latin-1, and most senders write UTF-8.
  const asUtf8 = Buffer.from(key, 'latin1').toString('utf8')
  return webhooks.keyFits(webhook, key) || webhooks.keyFits(webhook, asUtf8)
}

function wrongKey(): AppError {
  return new AppError('webhook_key', 'This webhook needs its key, and the key was missing or wrong.')
}
