import { setTimeout as sleep } from 'node:timers/promises'
import { and, asc, eq, inArray, isNotNull, ne } from 'drizzle-orm'
import { AppError } from '../base/errors.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { ExchangeConnections } from '../connections/exchange-connections.ts'
import type { Db } from '../db/database.ts'
import { botSignals, bots, orders, positions } from '../db/schema.ts'
import type { Market } from '../market/market.ts'
import type { Bot } from './bot.ts'

/** How long the market may take to name the symbols. */
const namingMs = 5_000
/** The market names at most this many symbols. The others are compared by their letters and digits. */
const mostNamed = 2_000

export type SharedAccountsParts = {
  catalogue: Pick<Catalogue, 'find'>
  connections: Pick<ExchangeConnections, 'sameAccount'>
  market: Pick<Market, 'rules'>
}

/** The exchange's names of symbols, by their spelling. */
export type SymbolNames = ReadonlyMap<string, string>

/** A bot and the symbols in which it can change a position. `trades` is `null` if it trades every symbol. */
type Claim = Pick<Bot, 'id' | 'name' | 'status'> & { trades: string[] | null; holds: string[] }

type Owner = Pick<Bot, 'id' | 'userId' | 'mode' | 'exchangeId' | 'connectionId' | 'settings'>

/**
 * Keeps two bots from trading the same futures symbol of one account. The account has only one position there, so each of
 * the two would change the position of the other. On spot, bots can share a symbol.
 */
export class SharedAccounts {
  #parts: SharedAccountsParts

  constructor(parts: SharedAccountsParts) {
    this.#parts = parts
  }

  /**
   * Asks the market which symbols the bot and the others on its account mean. It needs time, so a transaction must not
   * wait for it. Never rejects for a symbol: without a name, its letters and digits count.
   */
  async names(db: Db, bot: Owner): Promise<SymbolNames> {
    const named = new Map<string, string>()
    const place = this.#parts.catalogue.find(bot.exchangeId)
    const { own, others } = await this.#claims(db, bot)
    if (place === undefined || others.length === 0) return named
    const spellings = new Set([own, ...others].flatMap(({ trades, holds }) => [...(trades ?? []), ...holds]))
    const asked = [...spellings].slice(0, mostNamed).map(async (spelling) => {
      const rules = await this.#parts.market.rules(place, spelling).catch(() => undefined)
      if (rules !== undefined) named.set(spelling, rules.symbol)
    })
    const enough = new AbortController()
    await Promise.race([Promise.all(asked), sleep(namingMs, undefined, { signal: enough.signal })])
    enough.abort()
    return named
  }

  /**
   * The caller has locked the user's account, so that of two bots that become active at the same time, one sees the other.
   * @throws {AppError} 409 that names another bot with the same symbol
   */
  async demandOwnSymbols(tx: Db, bot: Owner, names: SymbolNames): Promise<void> {
    const { own, others } = await this.#claims(tx, bot)
    for (const other of others) {
      const symbol = commonSymbol(own, other, names)
      if (symbol !== undefined) throw sharesSymbol(bot.id, other, symbol)
    }
  }

  /** `others` are the user's live bots on the same futures account, in order of id. */
  async #claims(tx: Db, bot: Owner): Promise<{ own: Claim; others: Claim[] }> {
    const own = { id: bot.id, name: '', status: 'ACTIVE' as const, trades: tradesOf(bot), holds: [] }
    if (bot.mode !== 'live' || bot.connectionId === null || !this.#isFutures(bot)) return { own, others: [] }
    const connections = await this.#parts.connections.sameAccount(tx, bot.userId, bot.connectionId)
    const found = await tx
      .select()
      .from(bots)
      .where(
        and(
          eq(bots.userId, bot.userId),
          eq(bots.mode, 'live'),
          inArray(bots.connectionId, connections),
          ne(bots.id, bot.id),
        ),
      )
      .orderBy(asc(bots.id))
    const futures = found.filter((other) => this.#isFutures(other))
    if (futures.length === 0) return { own, others: [] }
    const held = await heldSymbols(tx, [bot.id, ...futures.map(({ id }) => id)])
    const others = futures.map((other) => ({
      id: other.id,
      name: other.name,
      status: other.status,
      trades: other.status === 'ACTIVE' ? tradesOf(other) : [],
      holds: held.get(other.id) ?? [],
    }))
    return { own: { ...own, holds: held.get(bot.id) ?? [] }, others }
  }

  #isFutures({ exchangeId }: { exchangeId: number }): boolean {
    return this.#parts.catalogue.find(exchangeId)?.service === 'futures'
  }
}

function tradesOf({ settings: { symbols } }: Pick<Bot, 'settings'>): string[] | null {
  return symbols.length === 0 ? null : symbols
}

/** The symbols of open positions, unsettled orders and signals in progress, by bot. */
async function heldSymbols(tx: Db, botIds: number[]): Promise<Map<number, string[]>> {
  const rows = await tx
    .select({ botId: positions.botId, symbol: positions.symbol })
    .from(positions)
    .where(and(inArray(positions.botId, botIds), isNotNull(positions.side)))
    .union(
      tx
        .select({ botId: orders.botId, symbol: orders.symbol })
        .from(orders)
        .where(and(inArray(orders.botId, botIds), inArray(orders.status, ['PLANNED', 'OPEN', 'UNKNOWN']))),
    )
    .union(
      tx
        .select({ botId: botSignals.botId, symbol: botSignals.symbol })
        .from(botSignals)
        .where(
          and(
            inArray(botSignals.botId, botIds),
            inArray(botSignals.status, ['WORKING', 'CLOSING', 'WAITING']),
          ),
        ),
    )
  const held = new Map<number, string[]>()
  for (const { botId, symbol } of rows) held.set(botId, [...(held.get(botId) ?? []), symbol])
  return held
}

/** A symbol that both bots claim, as the other one spells it; `every symbol` if both trade all. */
function commonSymbol(own: Claim, other: Claim, names: SymbolNames): string | undefined {
  const ofOther = [...(other.trades ?? []), ...other.holds]
  if (own.trades === null) return other.trades === null ? 'every symbol' : ofOther[0]
  const ofOwn = [...own.trades, ...own.holds]
  if (other.trades === null) return ofOwn[0]
  return ofOther.find((theirs) => ofOwn.some((ours) => isSame(ours, theirs, names)))
}

function isSame(one: string, other: string, names: SymbolNames): boolean {
  const [first, second] = [names.get(one), names.get(other)]
  if (first !== undefined && second !== undefined) return first === second
  return lettersOf(one) === lettersOf(other)
}

/** `BTCUSDT` for `btc/usdt:USDT`. */
function lettersOf(symbol: string): string {
  return symbol
    .replace(/:.*$/s, '')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toUpperCase()
}

function sharesSymbol(id: number, other: Claim, symbol: string): AppError {
  const called = other.name === '' ? `Bot ${other.id}` : `Bot ${other.id} (${other.name})`
  const does =
    other.status === 'ACTIVE' ? `already trades ${symbol}` : `is switched off and still holds ${symbol}`
  const remedy = `Close what it holds and switch it off, or give bot ${id} other symbols or another account.`
  return new AppError(
    'resource_conflict',
    `${called} ${does} on this account. A futures account has one position per symbol, so two bots would change each other's. ${remedy}`,
    { details: [{ message: `bot ${other.id}`, id: other.id, name: other.name, symbol }] },
  )
}
