import { and, asc, desc, eq, sql } from 'drizzle-orm'
import type { Note } from '../../accounts/audit-log.ts'
import { decimal, plain } from '../../base/decimals.ts'
import { AppError, notFound } from '../../base/errors.ts'
import type { Window } from '../../base/window.ts'
import type { Database, Db } from '../../db/database.ts'
import { bareSymbol, bots, reconciliationEvents, reconciliations } from '../../db/schema.ts'
import { betweenCursors, countUpToMost, cursorsOf, inOrder, newestFirst } from '../../db/windows.ts'
import { symbolMeant } from '../symbol-names.ts'
import { unknownOrdersText } from './sentences.ts'
import type { Event, Reconciliation } from './store.ts'
import { addEvent } from './writing.ts'

export type Decision = 'ADOPTED' | 'IGNORED'

const decisionTexts: Record<Decision, string> = {
  ADOPTED: 'You decided that the books take over the number of the account.',
  IGNORED: 'You decided that the books keep their number, and that the difference is not the bot’s.',
}

/** What comparisons found, and what owners decide about it. A bot of another user counts as missing. */
export class Reconciliations {
  #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** In order of symbol. The caller has checked that the bot belongs to the user. */
  list(botId: number): Promise<Reconciliation[]> {
    return this.#db
      .select()
      .from(reconciliations)
      .where(eq(reconciliations.botId, botId))
      .orderBy(asc(reconciliations.symbol))
  }

  /** The newest first. */
  async events(botId: number, window: Window): Promise<Event[]> {
    const cursors = cursorsOf(window)
    const { botId: owner, id } = reconciliationEvents
    const rows = await this.#db
      .select()
      .from(reconciliationEvents)
      .where(and(eq(owner, botId), betweenCursors(id, cursors)))
      .orderBy(...inOrder(cursors, owner, id))
      .limit(window.limit)
      .offset(window.offset)
    return newestFirst(rows, window)
  }

  /** At most one more than `mostCounted`. */
  countEvents(botId: number): Promise<number> {
    return countUpToMost(this.#db, reconciliationEvents, eq(reconciliationEvents.botId, botId))
  }

  /**
   * Stores what the owner decides about a difference. The node that holds the bot carries it out, in the symbol's turn
   * and on a new reading of the account: only there can no order come in between. A repetition changes nothing.
   * @throws {AppError} 404 without such a bot, 409 if nothing differs, if several symbols fit, or if the difference
   * cannot be ignored
   */
  async decide(userId: number, botId: number, symbol: string, decision: Decision, note: Note): Promise<void> {
    await this.#db.transaction(async (tx) => {
      await lockBot(tx, userId, botId)
      const row = await lockRow(tx, botId, symbol)
      if (row?.differsSince == null) {
        throw new AppError('resource_conflict', `The books of ${symbol} and the account do not differ now.`)
      }
      if (row.unknownOrders.length > 0) {
        throw new AppError('resource_conflict', unknownOrdersText(row.unknownOrders) ?? '')
      }
      if (decision === 'IGNORED' && !row.symbol.includes(':')) {
        throw new AppError(
          'resource_conflict',
          `The account lacks a part of what the bot holds in ${row.symbol}, and a bot cannot sell what is not there. Adopt the number of the account, or move the coins back.`,
        )
      }
      const [last] = await tx
        .select({ type: reconciliationEvents.type })
        .from(reconciliationEvents)
        .where(and(eq(reconciliationEvents.botId, botId), eq(reconciliationEvents.symbol, row.symbol)))
        .orderBy(desc(reconciliationEvents.id))
        .limit(1)
      if (last?.type === decision) return
      await addEvent(tx, { id: botId, userId }, row.symbol, { type: decision, text: decisionTexts[decision] })
      await note(tx, {
        bot_id: botId,
        symbol: row.symbol,
        books: shown(row.booksSize),
        account: shown(row.accountSize),
      })
    })
  }

  get #db(): Db {
    return this.#database.db
  }
}

/** A comparison locks the bot first, too. In another order, the two could wait for each other. */
async function lockBot(tx: Db, userId: number, botId: number): Promise<void> {
  const own = and(eq(bots.id, botId), eq(bots.userId, userId))
  const rows = await tx.select({ id: bots.id }).from(bots).where(own).for('update')
  if (rows.length === 0) throw notFound('bot', botId)
}

async function lockRow(tx: Db, botId: number, symbol: string): Promise<Reconciliation | undefined> {
  const rows = await tx
    .select()
    .from(reconciliations)
    .where(
      and(
        eq(reconciliations.botId, botId),
        eq(bareSymbol(reconciliations.symbol), bareSymbol(sql`${symbol}::text`)),
      ),
    )
    .orderBy(asc(reconciliations.symbol))
    .for('update')
  const [meant] = symbolMeant(
    rows.map((row) => row.symbol),
    symbol,
  )
  return rows.find((row) => row.symbol === meant)
}

function shown(size: string | null): string {
  return size === null ? 'unknown' : plain(decimal(size))
}
