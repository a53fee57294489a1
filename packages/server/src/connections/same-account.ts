import { eq } from 'drizzle-orm'
import type { Db } from '../db/database.ts'
import { exchangeConnections } from '../db/schema.ts'
import type { Vault } from '../secrets/vault.ts'
import { type Credentials, openCredentials } from './credentials.ts'

/** Entries of the catalogue that trade the accounts of another exchange. */
const accountsOf: Record<string, string> = { binanceusdm: 'binance' }

/** An account of a user. `accountId` is the exchange's own id of it, if the exchange says one. */
export type NamedAccount = {
  userId: number
  exchange: string
  isDemo: boolean
  credentials: Credentials
  accountId: string | null
}

type Row = Pick<
  typeof exchangeConnections.$inferSelect,
  'id' | 'userId' | 'exchangeId' | 'isDemo' | 'account' | 'credentials'
>

/**
 * A name for an account that is the same for all connections of its owner to it: from the exchange's id of the account, or
 * else from the key. It reveals neither.
 */
export function accountName(
  vault: Vault,
  { userId, exchange, isDemo, credentials, accountId }: NamedAccount,
): string {
  const key = credentials.walletAddress?.toLowerCase() ?? credentials.apiKey ?? ''
  const known = accountId === null ? `key ${key}` : `id ${accountId}`
  const place = `${accountsOf[exchange] ?? exchange} ${isDemo ? 'demo' : 'real'}`
  return vault.hash(`${place} ${known}`, `exchange_account ${userId}`).toString('base64url')
}

export type SameAccountParts = {
  vault: Vault
  catalogue: { find(id: number): { exchange: string } | undefined }
}

/** The ids of the user's connections to the same account, the connection itself included. */
export async function connectionsToAccount(
  { vault, catalogue }: SameAccountParts,
  tx: Db,
  userId: number,
  id: number,
): Promise<number[]> {
  const rows = await tx.select().from(exchangeConnections).where(eq(exchangeConnections.userId, userId))
  const namesOf = (row: Row) =>
    [row.account, keyName({ vault, catalogue }, row)].filter((name) => name !== null)
  const own = rows.find((row) => row.id === id)
  const ownNames = new Set(own === undefined ? [] : namesOf(own))
  return rows
    .filter((row) => row.id === id || namesOf(row).some((name) => ownNames.has(name)))
    .map((row) => row.id)
}

/**
 * The name from the key alone, because the exchange may have named the account for only one of two connections with the
 * same key; `null` if the credentials cannot be read.
 */
function keyName({ vault, catalogue }: SameAccountParts, row: Row): string | null {
  const { userId, isDemo } = row
  const exchange = catalogue.find(row.exchangeId)?.exchange ?? ''
  try {
    const credentials = openCredentials(vault, row, row.credentials)
    return accountName(vault, { userId, exchange, isDemo, credentials, accountId: null })
  } catch {
    return null
  }
}
