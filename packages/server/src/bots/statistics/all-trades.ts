import { AppError } from '../../base/errors.ts'
import { given } from '../../base/given.ts'
import { SharedWork } from '../../base/shared-work.ts'
import type { Cursors } from '../../base/window.ts'
import type { Database } from '../../db/database.ts'
import { type BotChoice, chosenOf, isOfKind, type OwnBot, ownBots } from '../own-bots.ts'
import { nextOpenings, type Opening, type OpeningFilter } from './openings.ts'
import type { ShownTrade } from './trade-record.ts'
import type { Found, Trades } from './trades.ts'

/** Which trades: of which bots, of one symbol in any spelling, and opened from one time to another. */
export type TradeFilter = BotChoice & { symbol?: string; since?: Date; until?: Date }

/** The trades before and after these ids; with `after` alone, those next to it. */
export type TradePart = Cursors & { limit: number }

/** Lists of a user under way on this node. They take turns, so more of them would only wait. */
const mostUnderWay = 8
const tooMany = () =>
  new AppError(
    'rate_limited',
    `You have ${mostUnderWay} lists of trades under way already, the most allowed. Wait until one ends.`,
    { retryAfterSeconds: 1 },
  )

/** Most trades have two fills or a few more. */
const fillsOfTrade = 3

/**
 * The trades of all bots of a user, deleted ones too. A trade has the id of the fill that opened it. So the next fills of
 * all bots say which bots can have the next trades, and only those are walked through, each from its last mark on.
 */
export class AllTrades {
  #database: Database
  #trades: Trades
  #underWay = new SharedWork<ShownTrade[]>(mostUnderWay, tooMany)

  constructor(database: Database, trades: Trades) {
    this.#database = database
    this.#trades = trades
  }

  /**
   * One part of the list, the newest first. Everyone who asks for the same at the same time gets the same answer.
   * @throws {AppError} 429 if the user has too many lists under way
   */
  list(
    userId: number,
    filter: TradeFilter,
    part: TradePart,
    signal: AbortSignal,
  ): Promise<readonly ShownTrade[]> {
    const key = JSON.stringify([userId, filter, part])
    const work = { ownerId: userId, key }
    return this.#underWay.join(work, signal, (stopped) => this.#list(userId, filter, part, stopped))
  }

  async #list(
    userId: number,
    filter: TradeFilter,
    part: TradePart,
    signal: AbortSignal,
  ): Promise<ShownTrade[]> {
    const own = await ownBots(this.#database, userId)
    const found = await this.#find(userId, openingFilter(filter, own), part, signal)
    const whole = await this.#trades.whole(found)
    const byId = new Map(own.map((bot) => [bot.id, bot]))
    return whole.map((one) => {
      const bot = byId.get(one.botId)
      if (bot === undefined) return { ...one, isDemo: null, price: null }
      return { ...one, isDemo: bot.isDemo, price: this.#trades.priceOf(bot, one) }
    })
  }

  /** Looks at more and more fills, until they have opened enough trades. */
  async #find(
    userId: number,
    filter: OpeningFilter,
    { limit, ...cursors }: TradePart,
    signal: AbortSignal,
  ): Promise<Found[]> {
    const isUpwards = cursors.after !== undefined && cursors.before === undefined
    const found: Found[] = []
    for (let size = fillsOfTrade * limit, rest: Cursors = cursors; ; size *= 4) {
      const openings = await nextOpenings(this.#database, userId, { ...filter, ...rest }, size)
      found.push(...(await this.#openedBy(userId, openings, signal)))
      const last = openings.at(-1)
      if (last === undefined || openings.length < size || found.length >= limit) break
      rest = isUpwards ? { after: last.id } : { ...cursors, before: last.id }
    }
    found.sort((a, b) => b.trade.id - a.trade.id)
    return isUpwards ? found.slice(-limit) : found.slice(0, limit)
  }

  async #openedBy(userId: number, openings: readonly Opening[], signal: AbortSignal): Promise<Found[]> {
    const found: Found[] = []
    for (const [id, ofBot] of Map.groupBy(openings, ({ botId }) => botId)) {
      const ids = ofBot.map((fill) => fill.id)
      const [first, last] = [Math.min(ids[0]!, ids.at(-1)!), Math.max(ids[0]!, ids.at(-1)!)]
      const began = await this.#trades.beganWithin({ id, userId }, first, last, signal)
      const fitting = new Set(ids)
      found.push(...began.filter(({ trade }) => fitting.has(trade.id)))
    }
    return found
  }
}

function openingFilter(
  { symbol, since, until, ...choice }: TradeFilter,
  own: readonly OwnBot[],
): OpeningFilter {
  const rest = given({ symbol, since, until })
  if (isOfKind(choice)) return { ...rest, bots: chosenOf(own, choice) }
  // A deleted bot has trades, too.
  return choice.botId === undefined ? rest : { ...rest, bots: [choice.botId] }
}
