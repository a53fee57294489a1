import type { Vault } from '../../secrets/vault.ts'

const purpose = (userId: number) => `backtest environment of user ${userId}`

/** Encrypts the variables that the code of a backtest finds. */
export function sealEnvironment(vault: Vault, userId: number, env: Record<string, string>): Buffer {
  return vault.seal(JSON.stringify(env), purpose(userId))
}

export function openEnvironment(vault: Vault, userId: number, sealed: Buffer): Record<string, string> {
  return JSON.parse(vault.open(sealed, purpose(userId)).toString()) as Record<string, string>
}
