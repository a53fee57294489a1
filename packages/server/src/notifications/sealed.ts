import type { Vault } from '../secrets/vault.ts'

/** Addresses hold secrets as often as not: those of chats are nothing else. Each opens for its own user alone. */
const urlPurpose = (userId: number) => `notification_url:${userId}`
const secretPurpose = (userId: number) => `notification_secret:${userId}`

export const sealUrl = (vault: Vault, userId: number, url: string) => vault.seal(url, urlPurpose(userId))
export const sealSecret = (vault: Vault, userId: number, secret: string) =>
  vault.seal(secret, secretPurpose(userId))

/** @throws when it was sealed for another user, or under another master key */
export const openUrl = (vault: Vault, userId: number, sealed: Buffer) =>
  vault.open(sealed, urlPurpose(userId)).toString('utf8')

/** @throws as `openUrl` */
export const openSecret = (vault: Vault, userId: number, sealed: Buffer) =>
  vault.open(sealed, secretPurpose(userId)).toString('utf8')
