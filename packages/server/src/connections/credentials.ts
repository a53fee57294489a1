import type { Vault } from '../secrets/vault.ts'

/** Secrets of an account on an exchange, by ccxt's names: `apiKey`, `secret`, `walletAddress` … */
export type Credentials = Record<string, string>

/** What a field of a request is called by ccxt. */
export const credentialNames = {
  api_key: 'apiKey',
  api_secret: 'secret',
  password: 'password',
  uid: 'uid',
  account_id: 'accountId',
  login: 'login',
  wallet_address: 'walletAddress',
  private_key: 'privateKey',
} as const

/** Credentials as a request brings them; it may bring more. */
export type GivenCredentials = { [field in keyof typeof credentialNames]?: string | undefined }

/** Shorter keys would be told by their last characters. */
const shortestKeyShown = 12

/** The field of a request that carries what ccxt calls `name`. */
export function fieldOf(name: string): string {
  const found = Object.entries(credentialNames).find(([, known]) => known === name)
  return found?.[0] ?? name
}

/**
 * What `needed` names of that which a request has brought; nothing else is worth keeping. Space around it was copied
 * by mistake.
 */
export function pickCredentials(given: GivenCredentials, needed: readonly string[]): Credentials {
  const picked: Credentials = {}
  for (const [field, name] of Object.entries(credentialNames)) {
    const value = given[field as keyof GivenCredentials]?.trim() ?? ''
    if (value !== '' && needed.includes(name)) picked[name] = value
  }
  return picked
}

/** The last four characters of the key, by which its owner knows it again; `null` where there is no key to speak of. */
export function keyEnding({ apiKey, walletAddress }: Credentials): string | null {
  const key = apiKey ?? walletAddress ?? ''
  return key.length < shortestKeyShown ? null : key.slice(-4)
}

/** Where credentials belong: in any other place they do not open, and so never get to another exchange. */
type Place = { userId: number; exchangeId: number }

export function sealCredentials(vault: Vault, place: Place, credentials: Credentials): Buffer {
  return vault.seal(JSON.stringify(credentials), purpose(place))
}

/** @throws when they were sealed for another place, or under another master key */
export function openCredentials(vault: Vault, place: Place, sealed: Buffer): Credentials {
  return JSON.parse(vault.open(sealed, purpose(place)).toString()) as Credentials
}

function purpose({ userId, exchangeId }: Place): string {
  return `exchange_connection ${userId} ${exchangeId}`
}
