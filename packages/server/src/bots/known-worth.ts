import { aliasedTable, and, eq, isNotNull, or } from 'drizzle-orm'
import { decimal, plain } from '../base/decimals.ts'
import type { Db } from '../db/database.ts'
import { bots, exchangeConnections, positions } from '../db/schema.ts'
import type { AccountEquity } from '../trading/account.ts'

/**
 * What the service knows of an account without a request to its exchange. `equity`: as the exchange last said; `null` if it
 * never did. `held`: the open positions of the owner's bots there, by the books. Its owner may hold others.
 */
export type KnownWorth = { equity: AccountEquity | null; held: HeldThere[] }

type HeldThere = { botId: number; symbol: string; side: 'long' | 'short'; size: string }

/** @returns `null` if the user has no such connection to this exchange */
export async function knownWorth(
  db: Db,
  { userId, exchangeId, connectionId }: { userId: number; exchangeId: number; connectionId: number },
): Promise<KnownWorth | null> {
  const { equity, equityCurrency: currency, account } = exchangeConnections
  const [row] = await db
    .select({ amount: equity, currency, account })
    .from(exchangeConnections)
    .where(
      and(
        ...[eq(exchangeConnections.id, connectionId), eq(exchangeConnections.userId, userId)],
        eq(exchangeConnections.exchangeId, exchangeId),
      ),
    )
  if (row === undefined) return null
  const isKnown = row.amount !== null && row.currency !== null
  return {
    equity: isKnown ? { amount: plain(decimal(row.amount!)), currency: row.currency! } : null,
    held: await heldThere(db, { userId, exchangeId, connectionId, account: row.account }),
  }
}

/** Several connections may lead to one account. */
async function heldThere(
  db: Db,
  of: { userId: number; exchangeId: number; connectionId: number; account: string | null },
): Promise<HeldThere[]> {
  const connection = aliasedTable(exchangeConnections, 'c')
  const isAccount = of.account === null ? undefined : eq(connection.account, of.account)
  const rows = await db
    .select({ botId: bots.id, symbol: positions.symbol, side: positions.side, size: positions.size })
    .from(bots)
    .innerJoin(connection, eq(connection.id, bots.connectionId))
    .innerJoin(positions, eq(positions.botId, bots.id))
    .where(
      and(
        ...[eq(bots.userId, of.userId), eq(bots.mode, 'live'), eq(bots.exchangeId, of.exchangeId)],
        ...[or(eq(connection.id, of.connectionId), isAccount), isNotNull(positions.side)],
      ),
    )
  return rows.map(({ side, size, ...rest }) => ({ ...rest, side: side!, size: plain(decimal(size)) }))
}
