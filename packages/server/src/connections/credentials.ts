import type { Vault } from '../secrets/vault.ts'

/** Secrets of an account on an exchange, by ccxt's names, such as `apiKey`, `secret` and `walletAddress`. */
export type Credentials = Record<string, string>

/** ccxt's name for each field of a request. */
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

/** Credentials in a request, which may contain more than the exchange requires. */
export type GivenCredentials = { [field in keyof typeof credentialNames]?: string | undefined }

/** The last four characters of a shorter key would reveal too much of it. */
const shortestKeyShown = 12

/** The request field for ccxt's name of a credential. */
export function fieldOf(name: string): string {
  const found = Object.entries(credentialNames).find(([, known]) => known === name)
  return found?.[0] ?? name
}

/**
 * The required credentials in a request, without the others. Space around a value is removed: it was copied by
 * mistake.
 */
export function pickCredentials(given: GivenCredentials, required: readonly string[]): Credentials {
  const picked: Credentials = {}
  for (const [field, name] of Object.entries(credentialNames)) {
    const value = given[field as keyof GivenCredentials]?.trim() ?? ''
    if (value !== '' && required.includes(name)) picked[name] = value
  }
  return picked
}

/** The last four characters of the key, so that its owner recognises it; `null` if there is no key, or a short one. */
export function keyEnding({ apiKey, walletAddress }: Credentials): string | null {
  const key = apiKey ?? walletAddress ?? ''
  return key.length < shortestKeyShown ? null : key.slice(-4)
}

/** The account that credentials belong to. The vault does not open them for another one, so they cannot reach another exchange. */
type Owner = { userId: number; exchangeId: number }

export function sealCredentials(vault: Vault, owner: Owner, credentials: Credentials): Buffer {
  return vault.seal(JSON.stringify(credentials), purpose(owner))
}

/** @throws if they were sealed for another user or exchange, or under another master key */
export function openCredentials(vault: Vault, owner: Owner, sealed: Buffer): Credentials {
  return JSON.parse(vault.open(sealed, purpose(owner)).toString()) as Credentials
}

function purpose({ userId, exchangeId }: Owner): string {
  return `exchange_connection ${userId} ${exchangeId}`
}
