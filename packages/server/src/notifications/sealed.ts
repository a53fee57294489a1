import type { EndpointKind } from '../db/schema.ts'
import type { Vault } from '../secrets/vault.ts'
import type { ChatFields } from './kinds/kind.ts'

/** Addresses often contain secrets: those of chat services are nothing else. The purpose binds each to its user. */
const urlPurpose = (userId: number) => `notification_url:${userId}`
const secretPurpose = (userId: number) => `notification_secret:${userId}`

export const sealUrl = (vault: Vault, userId: number, url: string) => vault.seal(url, urlPurpose(userId))
export const sealSecret = (vault: Vault, userId: number, secret: string) =>
  vault.seal(secret, secretPurpose(userId))

/** Where an endpoint sends to: the address of a webhook, or the fields of another kind. */
export const sealPlace = (vault: Vault, userId: number, kind: EndpointKind, fields: ChatFields) =>
  sealUrl(vault, userId, kind === 'webhook' ? (fields.url ?? '') : JSON.stringify(fields))

/** @throws as `openUrl` */
export function openPlace(
  vault: Vault,
  { userId, kind, url }: { userId: number; kind: EndpointKind; url: Buffer },
): ChatFields {
  const text = openUrl(vault, userId, url)
  return kind === 'webhook' ? { url: text } : (JSON.parse(text) as ChatFields)
}

/** @throws if it was encrypted for another user, or with another master key */
export const openUrl = (vault: Vault, userId: number, sealed: Buffer) =>
  vault.open(sealed, urlPurpose(userId)).toString('utf8')

/** @throws as `openUrl` */
export const openSecret = (vault: Vault, userId: number, sealed: Buffer) =>
  vault.open(sealed, secretPurpose(userId)).toString('utf8')
