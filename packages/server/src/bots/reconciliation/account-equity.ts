import { and, eq, sql } from 'drizzle-orm'
import { decimal, plain } from '../../base/decimals.ts'
import type { Database, Db } from '../../db/database.ts'
import { bots, exchangeConnections, positions } from '../../db/schema.ts'
import type { Announce } from '../../live/changes.ts'
import type { AccountEquity } from '../../trading/account.ts'
import type { HeldBot } from '../inbox.ts'
import type { Place } from './reconciler.ts'

/** One reading serves all bots of a connection for so long. */
const everyMs = 50_000

/** Reads the value of accounts, shows it, and lets live bots start with it. */
export class AccountEquities {
  #database: Database
  #nodeId: string
  #onChange: Announce | undefined
  #readMs = new Map<number, number>()

  /** @param onChange tells live streams; default: nobody */
  constructor(database: Database, nodeId: string, onChange?: Announce) {
    this.#database = database
    this.#nodeId = nodeId
    this.#onChange = onChange
  }

  /** @throws {VenueUnreachable} if the exchange does not say */
  async update({ bot, venue }: Place): Promise<void> {
    const { connectionId, settings } = bot
    if (connectionId === null) return
    const isUnknown = settings.startBalance === null
    const isRecent =
      performance.now() - (this.#readMs.get(connectionId) ?? Number.NEGATIVE_INFINITY) < everyMs
    if (isRecent && !isUnknown) return
    this.#readMs.set(connectionId, performance.now())
    const equity = await venue.account.equity()
    if (equity !== null) await this.#show(connectionId, equity)
    // With a rate, the books are in the currency of the markets, which the bot may not have chosen yet.
    if (!isUnknown || settings.amountRate !== null) return
    await this.#start(bot, await ownMoney(equity, settings.amountCurrency, venue))
  }

  async #show(connectionId: number, { amount, currency }: AccountEquity): Promise<void> {
    await this.#database.db
      .update(exchangeConnections)
      .set({ equity: amount, equityCurrency: currency, equityAt: sql`clock_timestamp()` })
      .where(eq(exchangeConnections.id, connectionId))
  }

  /**
   * Stores the start balance once: the money of the account without what the bot has already realised. While the bot
   * holds a position, the money also contains unrealised profit, so it waits.
   */
  async #start({ id }: HeldBot, money: string): Promise<void> {
    const isStored = await this.#database.db.transaction(async (tx) => {
      const [bot] = await tx
        .select({ settings: bots.settings })
        .from(bots)
        .where(and(eq(bots.id, id), eq(bots.holder, this.#nodeId)))
        .for('update')
      if (bot === undefined || bot.settings.startBalance !== null) return false
      const { isFlat, realised } = await resultOf(tx, id)
      if (!isFlat) return false
      const startBalance = plain(decimal(money).minus(realised))
      await tx
        .update(bots)
        .set({ settings: { ...bot.settings, startBalance }, version: sql`${bots.version} + 1` })
        .where(eq(bots.id, id))
      return true
    })
    if (isStored) this.#onChange?.({ kind: 'status', id, part: 'bot' })
  }
}

async function resultOf(tx: Db, botId: number) {
  const rows = await tx
    .select({ side: positions.side, realised: positions.realised })
    .from(positions)
    .where(eq(positions.botId, botId))
  return {
    isFlat: rows.every(({ side }) => side === null),
    realised: rows.reduce((sum, row) => sum.plus(decimal(row.realised)), decimal('0')),
  }
}

/** What the account is worth in a currency or, if the exchange values it in another, what it has of that currency. */
async function ownMoney(
  equity: AccountEquity | null,
  currency: string,
  { account }: Place['venue'],
): Promise<string> {
  if (equity?.currency === currency) return equity.amount
  const balances = await account.balances()
  return balances.find(({ asset }) => asset === currency)?.total ?? '0'
}
