import { ApiError } from '@tickwright/client'

/** What exchanges may ask for, in the order of the form. */
export const credentialFields = {
  api_key: { label: 'API key', isSecret: false },
  login: { label: 'Login', isSecret: false },
  uid: { label: 'User id (UID)', isSecret: false },
  account_id: { label: 'Account id', isSecret: false },
  wallet_address: { label: 'Wallet address', isSecret: false },
  api_secret: { label: 'Secret', isSecret: true },
  password: { label: 'Passphrase', isSecret: true },
  private_key: { label: 'Private key', isSecret: true },
} as const

export type CredentialField = keyof typeof credentialFields

/**
 * Which credentials an exchange needs. The catalogue does not say it, but the refusal of a check without any names them,
 * before the service asks the exchange.
 * @throws `error` if it is another one
 */
export function fieldsNeeded(error: unknown): CredentialField[] {
  const named = error instanceof ApiError ? error.details.map(({ field }) => field) : []
  const needed = namesOf(credentialFields).filter((name) => named.includes(`body.${name}`))
  if (needed.length === 0) throw error
  return needed
}

function namesOf<Key extends string>(record: Record<Key, unknown>): Key[] {
  return Object.keys(record) as Key[]
}

type Facts = {
  account_id: string | null
  account_type: string | null
  may_trade: boolean | null
  may_withdraw: boolean | null
  ip_restricted: boolean | null
  position_mode: string | null
}

/** What the exchange says about an account and its key, in words. What it does not say is left out. */
export function wordsOf(facts: Facts): [name: string, text: string][] {
  const { account_id, account_type, may_trade, may_withdraw, ip_restricted, position_mode } = facts
  const words: [string, string | null][] = [
    ['Account', account_id],
    ['Type', account_type],
    ['Trading', either(may_trade, 'allowed', 'not allowed')],
    ['Withdrawals', either(may_withdraw, 'allowed', 'not allowed')],
    ['Addresses', either(ip_restricted, 'only those you named', 'any')],
    ['Positions', position_mode],
  ]
  return words.filter((pair): pair is [string, string] => pair[1] !== null)
}

function either(value: boolean | null, yes: string, no: string): string | null {
  return value === null ? null : value ? yes : no
}
