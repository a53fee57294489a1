import { and, eq, isNotNull } from 'drizzle-orm'
import type { Note } from '../../accounts/audit-log.ts'
import { plain } from '../../base/decimals.ts'
import { AppError, notFound } from '../../base/errors.ts'
import type { Catalogue } from '../../catalogue/catalogue.ts'
import type { Database, Db } from '../../db/database.ts'
import { botSignals, bots, type Protection, positionProtections, positions } from '../../db/schema.ts'
import type { Announce } from '../../live/changes.ts'
import type { Market } from '../../market/market.ts'
import { marginEnd, marginTermsOf } from '../../trading/isolated-margin.ts'
import { liquidationProblem } from '../../trading/liquidation.ts'
import { sideProblem } from '../../trading/protection/opening.ts'
import { firstStop } from '../../trading/protection/plan.ts'
import { isContract } from '../../trading/symbols.ts'
import type { BotSettings, Position } from '../../trading/types.ts'
import { endUnprotected } from '../legs/unprotected.ts'
import { toPosition } from '../position-rows.ts'
import { symbolMeant } from '../symbol-names.ts'
import { keyOf, type ProtectionRow, writeProtection } from './rows.ts'

export type ProtectionChangesParts = {
  database: Database
  catalogue: Pick<Catalogue, 'find'>
  market: Pick<Market, 'price'>
  /** Tells live streams. */
  onChange: Announce
}

export type PositionOf = { userId: number; botId: number; symbol: string }

/** What owners decide about the protection of open positions. Only they move a stop to the worse side. */
export class ProtectionChanges {
  #parts: ProtectionChangesParts

  constructor(parts: ProtectionChangesParts) {
    this.#parts = parts
  }

  /**
   * Protects an open position from now on, instead of what it opened with. Its best price counts again from now on, and
   * targets close parts of what it holds now.
   * @param of `symbol` in any spelling
   * @param protection `null`: nothing
   * @throws {AppError} 404 if the user has no such bot; 409 if it holds nothing there, is closing it, if a level would act
   * at once, or if the stop comes after the liquidation; 503 without a current price
   */
  async set(of: PositionOf, protection: Protection | null, note: Note): Promise<void> {
    const { database, onChange } = this.#parts
    const found = await this.#find(database.db, of)
    const price = protection === null ? null : await this.#price(found.exchangeId, found.symbol)
    const { botId, symbol } = found
    await database.db.transaction(async (tx) => {
      // No fill and no close comes in between.
      await tx.select({ id: bots.id }).from(bots).where(eq(bots.id, botId)).for('update')
      const { row, position, margin, mode, settings } = await this.#find(tx, { ...of, symbol })
      const { side, entryPrice, openedAt, size } = position
      await demandNotClosing(tx, row)
      if (protection === null || price === null) {
        await tx.delete(positionProtections).where(keyOf(botId, symbol))
        await endUnprotected(tx, botId, symbol)
      } else {
        const problem = sideProblem(protection, side!, price, entryPrice!)
        if (problem !== null) {
          const why = `${problem}, but the price of ${symbol} is ${price}. It would close the position at once.`
          throw new AppError('resource_conflict', why)
        }
        const stop = firstStop(protection, { side: side!, price, entry: entryPrice! })
        const end =
          mode === 'paper' ? paperEnd(symbol, position, settings) : (margin?.liquidationPrice ?? null)
        const late = stop === null || end === null ? null : liquidationProblem(side!, stop.price, end)
        if (late !== null) throw new AppError('resource_conflict', `${late} Use a closer stop.`)
        const given = { openedAt: new Date(openedAt!), orderId: null, settings: protection, openedSize: size }
        await writeProtection(tx, botId, symbol, given)
      }
      await note(tx, { id: botId, symbol })
    })
    onChange({ kind: 'position', id: botId, userId: of.userId, part: symbol })
  }

  /** The open position that a spelling means. */
  async #find(db: Db, { userId, botId, symbol }: PositionOf) {
    const [bot] = await db
      .select({ exchangeId: bots.exchangeId, mode: bots.mode, settings: bots.settings })
      .from(bots)
      .where(and(eq(bots.id, botId), eq(bots.userId, userId)))
    if (bot === undefined) throw notFound('bot', botId)
    const held = await db
      .select({ position: positions, row: positionProtections })
      .from(positions)
      .leftJoin(
        positionProtections,
        and(
          eq(positionProtections.botId, positions.botId),
          eq(positionProtections.symbol, positions.symbol),
          eq(positionProtections.openedAt, positions.openedAt),
        ),
      )
      .where(and(eq(positions.botId, botId), isNotNull(positions.side)))
    const names = held.map(({ position }) => position.symbol).sort()
    const [name] = names.includes(symbol) ? [symbol] : symbolMeant(fitting(names, symbol), symbol)
    const found = held.find(({ position }) => position.symbol === name)
    if (found === undefined) {
      throw new AppError('resource_conflict', `Bot ${botId} has no position in ${symbol} to protect.`)
    }
    const { row, position } = found
    return { botId, symbol: name!, ...bot, row, position: toPosition(position), margin: position.margin }
  }

  async #price(exchangeId: number, symbol: string): Promise<string> {
    const place = this.#parts.catalogue.find(exchangeId)
    const answer = place && (await this.#parts.market.price(place, symbol))
    if (answer !== undefined && 'quote' in answer) return String(answer.quote.price)
    const why = answer?.reason ?? 'The exchange of the bot is not in the catalogue.'
    throw new AppError(
      'service_unavailable',
      `${why} So nobody knows whether a level would act at once. Try again.`,
    )
  }
}

/** Where a position of a paper bot is liquidated; `null`: nowhere. */
function paperEnd(symbol: string, position: Position, settings: BotSettings): string | null {
  const terms = isContract(symbol) ? marginTermsOf(settings) : null
  const end = terms && marginEnd(position, terms)
  return end && plain(end.liquidation)
}

/** Those whose letters and digits fit, with or without the currency of the contract. */
function fitting(names: string[], symbol: string): string[] {
  const bare = (text: string) =>
    text
      .split(':')[0]!
      .toUpperCase()
      .replaceAll(/[^A-Z0-9]/g, '')
  return names.filter((name) => bare(name) === bare(symbol))
}

/** A close that has begun goes on: a new protection would not stop it. */
async function demandNotClosing(tx: Db, row: ProtectionRow | null): Promise<void> {
  if (row === null || row.closeId === null) return
  const [close] = await tx
    .select({ id: botSignals.id, status: botSignals.status })
    .from(botSignals)
    .where(eq(botSignals.id, row.closeId))
  if (close === undefined || !['WORKING', 'CLOSING'].includes(close.status)) return
  const why = `The position is being closed now (signal ${close.id}, ${close.status}).`
  throw new AppError('resource_conflict', `${why} If it is CLOSING, you can drop that close first.`)
}
