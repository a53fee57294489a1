import { setTimeout as sleep } from 'node:timers/promises'
import { invalidField } from '../base/errors.ts'
import type { CatalogueExchange } from '../catalogue/catalogue.ts'
import type { Market } from '../market/market.ts'
import { isOverMarket } from '../trading/leverage-limit.ts'
import { isVenueError } from '../trading/opening.ts'
import type { Bot } from './bot.ts'

/** How long the market may take to say what it allows. */
const askingMs = 5_000

/**
 * Whether the markets that a bot names allow its leverage. What nobody knows now is refused at the opening: the maximum of a
 * market that does not answer, of an exchange that does not publish it, and of the symbols of a bot that names none.
 * @throws {AppError} 400 that names the market and both figures
 */
export async function demandMarketLeverage(
  market: Pick<Market, 'rules'>,
  place: CatalogueExchange,
  settings: Pick<Bot['settings'], 'leverage' | 'symbols'>,
): Promise<void> {
  const { leverage = null, symbols } = settings
  if (leverage === null || place.service !== 'futures') return
  const enough = new AbortController()
  const late = sleep(askingMs, undefined, { signal: enough.signal }).catch(() => undefined)
  const asked = symbols.map((symbol) => Promise.race([late, rulesOf(market, place, symbol)]))
  try {
    for (const rules of await Promise.all(asked)) {
      if (rules === undefined || !isOverMarket(settings, rules)) continue
      const most = `must be at most ${rules.mostLeverage} for ${rules.symbol} on ${place.name}`
      throw invalidField('leverage', `${most}, got ${leverage}`)
    }
  } finally {
    enough.abort()
  }
}

async function rulesOf(market: Pick<Market, 'rules'>, place: CatalogueExchange, symbol: string) {
  try {
    return await market.rules(place, symbol)
  } catch (error) {
    if (isVenueError(error)) return undefined
    throw error
  }
}

/** Whether a change of a bot makes its leverage one that nobody has compared with its markets yet. */
export function asksOtherMarkets(before: Bot, after: Bot): boolean {
  return (
    before.settings.leverage !== after.settings.leverage ||
    before.settings.symbols.join() !== after.settings.symbols.join() ||
    before.exchangeId !== after.exchangeId ||
    before.mode !== after.mode
  )
}
