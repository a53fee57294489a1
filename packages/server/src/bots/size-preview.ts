import { decimal, plain } from '../base/decimals.ts'
import { invalidField } from '../base/errors.ts'
import type { Catalogue, CatalogueExchange } from '../catalogue/catalogue.ts'
import type { BotSettings } from '../db/schema.ts'
import type { Market } from '../market/market.ts'
import { type MarketVenue, NoSuchMarket, VenueUnreachable } from '../market/price-source.ts'
import type { MarketRules } from '../market/rules.ts'
import { usedUpAt } from '../trading/account-worth.ts'
import { type AmountRate, conversionOf, isOfEquity } from '../trading/amounts.ts'
import { type Equity, equityOf } from '../trading/drawdown-limit.ts'
import { costsOf, type Funds, fundsOf, leastFeeRateOf, type PricedOpening } from '../trading/equity-size.ts'
import { flatPosition } from '../trading/ledger.ts'
import { lateStopRefusal } from '../trading/liquidation.ts'
import { mayTrade, ofLastMinute } from '../trading/market-share.ts'
import { rulesOfBot } from '../trading/paper-rules.ts'
import { planOpening } from '../trading/plan.ts'
import { protectionOfOpening, stopOfOpening } from '../trading/protection/opening.ts'
import { riskRefusal } from '../trading/risk.ts'
import { executedAt, lossOfUnit } from '../trading/stop-loss.ts'
import type { Openings, TradeSignal } from '../trading/types.ts'
import { settingsOfNewBot } from './amount-currency.ts'
import type { KnownWorth } from './known-worth.ts'
import { checkMargin } from './margin-settings.ts'
import { demandMarketLeverage } from './market-leverage.ts'
import { checkExchange } from './places.ts'
import type { Balance } from './valuation.ts'

/** Which orders settings would lead to. More symbols than this are too many to read. */
export const mostPreviewed = 5

/**
 * What the next signal without a size would open in a symbol. `OPENS`: the order, what it is worth in quote currency, and
 * what it loses at its stop, if it has one; `note`: what may make the order smaller when it is executed. `REFUSED`: the bot would refuse the signal. `UNKNOWN`: nobody can say now, for example without a price.
 */
export type SizePreview = { symbol: string; price: string | null } & (
  | {
      status: 'OPENS'
      size: string
      value: string
      base: string
      quote: string
      stop: { price: string; loss: string } | null
      note: string | null
    }
  | { status: 'REFUSED' | 'UNKNOWN'; reason: string }
)

export type SizePreviews = { settings: BotSettings; symbolCount: number; previews: SizePreview[] }

export type SizePreviewerParts = {
  catalogue: Pick<Catalogue, 'find'>
  market: Pick<Market, 'price' | 'rules'>
  /** The equity of a user's bot and its open positions. @throws {AppError} 404 */
  balance(userId: number, botId: number): Promise<Balance>
  /** The orders of a bot that may still open a position. */
  openings(botId: number): Promise<Pick<Openings, 'orders'>>
  /** @returns `null` if the user has no such connection to the exchange */
  worth(of: { userId: number; exchangeId: number; connectionId: number }): Promise<KnownWorth | null>
}

/**
 * Whose equity counts: that of a bot which there is, or else the start balance of the settings. `connectionId`: the account
 * whose last known worth counts; `null`: none.
 */
export type PreviewOf = {
  mode: 'paper' | 'live'
  userId: number
  botId: number | null
  connectionId: number | null
}

/** Works out examples with the code that sizes orders, so that they can never differ from what a bot does. */
export class SizePreviewer {
  #parts: SizePreviewerParts

  constructor(parts: SizePreviewerParts) {
    this.#parts = parts
  }

  /**
   * A bot for every symbol gets an example with a usual one.
   * @throws {AppError} 400 for settings that a new bot could not have, or for a connection of another user; 404 for a bot of
   * another user
   */
  async preview(exchangeId: number, given: Partial<BotSettings>, of: PreviewOf): Promise<SizePreviews> {
    const exchange = checkExchange(this.#parts.catalogue, exchangeId)
    const settings = settingsOfNewBot(given, exchange)
    checkMargin({ mode: of.mode, settings }, exchange)
    await demandMarketLeverage(this.#parts.market, exchange, settings)
    const symbols = settings.symbols.length > 0 ? settings.symbols : [usualSymbol(settings)]
    const own = {
      mode: of.mode,
      funds: await this.#fundsOf(exchange, settings, of),
      worth: await this.#worthOf(exchange, of),
    }
    const previews = symbols
      .slice(0, mostPreviewed)
      .map((symbol) => this.#of(exchange, symbol, settings, own))
    return { settings, symbolCount: symbols.length, previews: await Promise.all(previews) }
  }

  /** What a bot has, if its amount is a part of its equity. */
  async #fundsOf(
    venue: MarketVenue,
    settings: BotSettings,
    { mode, userId, botId }: PreviewOf,
  ): Promise<FundsIn | null> {
    if (!isOfEquity(settings.amountUnit)) return null
    if (botId === null) {
      const equity = equityOf({ startBalance: settings.startBalance, realised: '0', held: [] })
      return (rules) => fundsOf(equity, [], mode, rules, settings)
    }
    const { equity, open } = await this.#parts.balance(userId, botId)
    const known: Equity =
      equity === null ? { unknown: 'The equity of the bot is not known now' } : { amount: equity }
    const held = open.map(({ symbol, side, size, price }) => {
      return { symbol, position: { ...flatPosition(), side, size }, price }
    })
    const opening = await this.#openingsOf(venue, botId)
    return (rules) => fundsOf(known, held, mode, rules, settings, opening)
  }

  /** What is known of the account of a live bot. */
  async #worthOf(
    { id: exchangeId }: CatalogueExchange,
    { mode, userId, connectionId }: PreviewOf,
  ): Promise<KnownWorth | null> {
    if (mode === 'paper' || connectionId === null) return null
    const worth = await this.#parts.worth({ userId, exchangeId, connectionId })
    if (worth !== null) return worth
    throw invalidField('connection_id', `must be a connection of yours to the exchange, got ${connectionId}`)
  }

  async #openingsOf(venue: MarketVenue, botId: number): Promise<PricedOpening[]> {
    const { orders } = await this.#parts.openings(botId)
    const priced = orders.map(async ({ symbol, size, limit }) => {
      const found = limit === null ? await this.#parts.market.price(venue, symbol) : null
      return { symbol, size, price: found !== null && 'quote' in found ? String(found.quote.price) : limit }
    })
    return Promise.all(priced)
  }

  async #of(
    venue: MarketVenue,
    spelling: string,
    settings: BotSettings,
    { mode, funds, worth }: OfBot,
  ): Promise<SizePreview> {
    const unknown = (reason: string, symbol = spelling): SizePreview => ({
      ...{ symbol, price: null, status: 'UNKNOWN', reason },
    })
    let rules: MarketRules
    try {
      rules = rulesOfBot({ mode, settings }, await this.#parts.market.rules(venue, spelling))
    } catch (error) {
      if (error instanceof NoSuchMarket)
        return { symbol: spelling, price: null, status: 'REFUSED', reason: error.message }
      if (error instanceof VenueUnreachable) return unknown(error.message)
      throw error
    }
    const found = await this.#parts.market.price(venue, rules.symbol)
    if (!('quote' in found)) return unknown(found.reason, rules.symbol)
    const price = plain(decimal(String(found.quote.price)))
    const rate = await this.#rateOf(venue, settings, rules)
    if (rate !== null && 'status' in rate) return { symbol: rules.symbol, price, ...rate }
    const own = funds?.(rules) ?? null
    if (own !== null && 'unknown' in own.equity) return unknown(`${own.equity.unknown}.`, rules.symbol)
    return {
      symbol: rules.symbol,
      price,
      ...outcomeOf({ settings, rules, price, rate, funds: own, mode, worth }),
    }
  }

  /** The rate that converts the amounts; `null` if they need none. */
  async #rateOf(
    venue: MarketVenue,
    settings: BotSettings,
    rules: MarketRules,
  ): Promise<AmountRate | null | { status: 'REFUSED' | 'UNKNOWN'; reason: string }> {
    const conversion = conversionOf(settings, rules)
    if (conversion === null) return null
    if ('reason' in conversion) return { status: 'REFUSED', reason: conversion.reason }
    const found = await this.#parts.market.price(venue, conversion.market)
    if ('quote' in found) return { ...conversion, price: plain(decimal(String(found.quote.price))) }
    return { status: 'UNKNOWN', reason: found.reason }
  }
}

function usualSymbol({ amountCurrency }: BotSettings): string {
  return amountCurrency === 'BTC' ? 'ETH/BTC' : `BTC/${amountCurrency}`
}

/** What a bot has in a market. */
type FundsIn = (rules: MarketRules) => Funds

/** What counts of a bot and its account, beside its settings. `funds`: `null` if its amount is no part of its equity. */
type OfBot = { mode: PreviewOf['mode']; funds: FundsIn | null; worth: KnownWorth | null }

function outcomeOf({
  settings,
  rules,
  price,
  rate,
  funds,
  mode,
  worth,
}: {
  settings: BotSettings
  rules: MarketRules
  price: string
  rate: AmountRate | null
  funds: Funds | null
} & Pick<OfBot, 'mode' | 'worth'>) {
  const now = Date.now()
  const { symbol } = rules
  const signal: TradeSignal = { botSignalId: 0, action: 'LONG', symbol, price: null, options: {}, at: now }
  const position = flatPosition()
  const opened = { signal, settings, rules, position, price }
  const stop = stopOfOpening(opened)
  const opening = planOpening({ signal, rules, price, settings, rate, funds, stop })
  if (opening.status === 'REFUSED') return opening
  const { size } = opening.order
  const refusal = riskRefusal({
    ...{ settings, rules, side: 'buy', size, price, rate, now, signalAt: now },
    ...{ booksQuote: null, position, elsewhere: null, day: null, drawdown: null },
  })
  if (refusal !== null) return { status: 'REFUSED' as const, reason: refusal }
  const protection = protectionOfOpening(opened)
  if ('reason' in protection) return { status: 'REFUSED' as const, reason: protection.reason }
  const { base, quote } = rules
  const value = plain(decimal(size).times(decimal(price)))
  const late = lateStopRefusal(mode, { settings, rules, side: 'buy', price, stop })
  if (late !== null) return { status: 'REFUSED' as const, reason: late }
  // Another position could gain meanwhile.
  const isAlone = worth?.held.every((held) => held.symbol === symbol) === true
  const account = isAlone ? worth.equity : null
  const usedUp = usedUpAt(account, rules, { side: 'buy', price, size, stop, position })
  if (usedUp !== null) return { status: 'REFUSED' as const, reason: usedUp }
  const costs = costsOf(settings, leastFeeRateOf(mode, rules))
  const entry = executedAt(price, 'buy', costs)
  const first = stop(plain(entry))
  const order = { status: 'OPENS' as const, size, value, base, quote, note: noteOf(mode, settings) }
  if ('reason' in first) return { ...order, stop: null }
  const loss = decimal(size).times(lossOfUnit({ side: 'buy', entry, stop: first.price }, costs))
  return { ...order, stop: { price: first.price, loss: plain(loss) } }
}

/** How much the market takes is known only when the order is executed. */
function noteOf(mode: PreviewOf['mode'], { participation = null }: BotSettings): string | null {
  if (mode === 'live' || participation === null) return null
  return `Only a part may be executed: ${mayTrade(participation, ofLastMinute)}.`
}
