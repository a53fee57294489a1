import type { Vault } from '../secrets/vault.ts'

/** Addresses often contain secrets: those of chat services are nothing else. The purpose binds each to its user. */
const urlPurpose = (userId: number) => `notification_url:${userId}`
const secretPurpose = (userId: number) => `notification_secret:${userId}`

export const sealUrl = (vault: Vault, userId: number, url: string) => vault.seal(url, urlPurpose(userId))
export const sealSecret = (vault: Vault, userId: number, secret: string) =>
  vault.seal(secret, secretPurpose(userId))

/** @throws if it was encrypted for another user, or with another master key */
export const openUrl = (vault: Vault, userId: number, sealed: Buffer) =>
  vault.open(sealed, urlPurpose(userId)).toString('utf8')

/** @throws as `openUrl` */
export const openSecret = (vault: Vault, userId: number, sealed: Buffer) =>
  vault.open(sealed, secretPurpose(userId)).toString('utf8')
