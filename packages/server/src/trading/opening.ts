/** The opening of a signal: its price, its rate, its size and the limits of the bot, as they are now. */

import { given } from '../base/given.ts'
import { NoSuchMarket, VenueUnreachable } from '../market/price-source.ts'
import type { MarketRules } from '../market/rules.ts'
import { type AccountWorth, accountUsedUp } from './account-worth.ts'
import { type AmountRate, conversionOf, isOfEquity } from './amounts.ts'
import { type DrawdownInput, drawdownReached, type Equity, equityOf } from './drawdown-limit.ts'
import { type FollowUp, isAtBest, limitOf, priceOnStep, slippageRefusal } from './entries/plan.ts'
import { entryOf, liveEntryReason } from './entries/settings.ts'
import { type Funds, fundsOf, type PricedOpening } from './equity-size.ts'
import { leverageRefusal } from './leverage-limit.ts'
import { lateStopProblem } from './opening-margin.ts'
import type { OrderManager } from './order-manager.ts'
import { isDust, type PlannedOrder, planOpening, rateText } from './plan.ts'
import { protectionOfOpening, stopOfOpening } from './protection/opening.ts'
import {
  dayOf,
  directionRefusal,
  lossReachedAtOpening,
  openLosses,
  type RiskInput,
  riskRefusal,
} from './risk.ts'
import type {
  Books,
  BotSettings,
  Clock,
  HeldPosition,
  OpeningRoom,
  OrderRequest,
  Position,
  Side,
  TradeSignal,
  Venue,
} from './types.ts'

export type OpeningInput = {
  signal: TradeSignal
  settings: BotSettings
  venue: Venue
  books: Books
  clock: Clock
  /** Reads the account at an exchange. Default: there is none. */
  account?: AccountWorth
}

/** An order, what the reason of the signal says about it, and the room that an opening needs. */
export type Step = PlannedOrder &
  Pick<OrderRequest, 'limit' | 'protection' | 'margin'> & { note?: string; room?: OpeningRoom }

type Unplanned = { status: 'REFUSED' | 'FAILED'; reason: string }

/** Plans the opening with the current price, and checks the limits. Waits for a price for a while. */
export async function planOpeningNow(
  input: OpeningInput,
  manager: OrderManager,
  rules: MarketRules,
): Promise<Step | Unplanned> {
  const { signal, settings } = input
  // Only the settings decide this, so the refusal waits for no price.
  const never = directionRefusal(settings, openingSide(signal), rules) ?? leverageRefusal(settings, rules)
  if (never !== null) return { status: 'REFUSED', reason: never }
  const rate = await awaitRate(input, manager, rules)
  if (rate !== null && 'reason' in rate) return rate
  const entry = entryOf(settings.entry, signal.options.entry)
  const noLimits = entry === null ? null : whyNoLimits(input.venue)
  if (noLimits !== null) return { status: 'REFUSED', reason: noLimits }
  const best = entry !== null && isAtBest(entry) ? openingSide(signal) : null
  const current = await awaitPrice(input, manager, rules.symbol, best)
  if (typeof current !== 'string') return { status: 'FAILED', reason: current.reason }
  const limit = entry === null ? undefined : limitOf(entry, openingSide(signal), current, rules)
  // What rests is for its limit, whatever the price is now.
  const price = limit?.price ?? current
  const means = await meansNow(input)
  const { held, equity } = means
  const funds =
    equity === null ? null : fundsOf(equity, held, input.venue.kind, rules, settings, means.openings?.priced)
  const position = await input.books.position(rules.symbol)
  const stop = stopOfOpening({ signal, settings, rules, position, price })
  const opening = planOpening({ signal, rules, price, settings, rate, funds, stop })
  if (opening.status === 'REFUSED') return opening
  const asked = { size: opening.order.size, price, rate, position }
  const refusal = await limitRefusal(input, rules, asked, means)
  if (refusal !== null) return { status: 'REFUSED', reason: refusal }
  const how = protectionOfOpening({ signal, settings, rules, position, price })
  if ('reason' in how) return { status: 'REFUSED', reason: how.reason }
  const { side } = opening.order
  const late = await lateStopProblem(input.venue, { settings, rules, side, price, stop })
  if (late !== null) return { status: 'REFUSED', reason: late }
  const { size } = opening.order
  const usedUp = await accountUsedUp(input, rules, { side, price, size, stop, position })
  if (usedUp !== null) return { status: 'REFUSED', reason: usedUp }
  const order: Step = { ...opening.order, ...given({ limit }), ...how, ...marginOf(settings, rules) }
  const room = roomOf(settings, means, funds)
  if (room !== undefined) order.room = room
  if (opening.note !== null) order.note = opening.note
  // Other amounts need no rate, but the limits do.
  if (rate !== null && opening.unit === 'quote') order.note = `The amount was converted at ${rateText(rate)}.`
  return order
}

/** Plans another opening for what an earlier one of the signal, which rested too long, has not executed. */
export async function followUpOpening(
  input: OpeningInput,
  manager: OrderManager,
  rules: MarketRules,
  { kind, size, furthest, postOnly, side }: FollowUp & { side: Side },
): Promise<Step | Unplanned> {
  const { settings, books, clock } = input
  // The signal was young enough when its first order was placed.
  const signal = { ...input.signal, at: clock.now() }
  const asked = await awaitPrice(input, manager, rules.symbol, kind === 'chase' ? side : null)
  if (typeof asked !== 'string') return { status: 'FAILED', reason: asked.reason }
  const price = kind === 'chase' ? priceOnStep(asked, side, rules) : asked
  const refusal =
    slippageRefusal(price, furthest, side) ?? (await openingRefusalOf({ ...input, signal }, rules, size))
  if (refusal !== null) return { status: 'REFUSED', reason: refusal }
  const position = await books.position(rules.symbol)
  const how = protectionOfOpening({ signal, settings, rules, position, price })
  if ('reason' in how) return { status: 'REFUSED', reason: how.reason }
  const limit = kind === 'chase' ? { price, postOnly } : undefined
  const room = roomOf(settings, await meansNow(input), null)
  return {
    ...{ side, purpose: 'open', reduceOnly: false, size, ...given({ limit, room }), ...how },
    ...marginOf(settings, rules),
  }
}

/** @param funds that the size follows from; `null`: it does not follow from what is free */
function roomOf(
  { maxOpenPositions: most }: BotSettings,
  { held, openings }: Means,
  funds: Funds | null,
): OpeningRoom | undefined {
  const positions = most === null ? undefined : { most, dust: dustOf(held) }
  const latest = funds === null || funds.free === null ? undefined : openings?.latest
  return positions === undefined && latest === undefined ? undefined : given({ positions, latest })
}

/** What the account must have before the order is sent, if the bot is set so. */
function marginOf({ leverage = null, marginMode = null }: BotSettings, { service }: MarketRules) {
  const isSet = service === 'futures' && (leverage !== null || marginMode !== null)
  return isSet ? { margin: { leverage, mode: marginMode } } : {}
}

/** An open position at the current price; `null` if there is none. */
type HeldNow = HeldPosition & { price: string | null; isDust: boolean }

/**
 * All are read once for each opening. `equity`: `null` if neither a limit nor the size depends on it. `openings`: what
 * else the bot is opening; `null` if the size does not depend on it.
 */
type Means = {
  held: readonly HeldNow[]
  equity: Equity | null
  openings: { priced: readonly PricedOpening[]; latest: string } | null
}

/** What the bot holds and has, as far as a limit or its size depends on it. */
async function meansNow(input: OpeningInput): Promise<Means> {
  const { settings, books } = input
  const { maxDailyLoss, maxDrawdown, maxOpenPositions, amountUnit, startBalance } = settings
  const needsEquity = maxDrawdown !== null || isOfEquity(amountUnit)
  const none = { held: [], equity: null, openings: null }
  if (!needsEquity && maxDailyLoss === null && maxOpenPositions === null) return none
  // First: an opening that is executed meanwhile counts twice instead of not at all.
  const openings = isOfEquity(amountUnit) ? await openingsNow(input) : null
  const held = await heldNow(input)
  if (!needsEquity) return { ...none, held }
  return { held, equity: equityOf({ startBalance, realised: await books.realisedSince(0), held }), openings }
}

async function openingsNow(input: OpeningInput): Promise<Means['openings']> {
  const { orders, latest } = await input.books.openings()
  const priced = orders.map(async ({ symbol, size, limit }) => {
    return { symbol, size, price: limit ?? (await priceOrNull(input, symbol)) }
  })
  return { priced: await Promise.all(priced), latest }
}

async function heldNow(input: OpeningInput): Promise<HeldNow[]> {
  const { settings, books } = input
  const { maxOpenPositions } = settings
  return Promise.all(
    (await books.held()).map(async (held) => {
      const [price, rules] = await Promise.all([
        priceOrNull(input, held.symbol),
        maxOpenPositions === null ? null : rulesOrNull(input, held.symbol),
      ])
      // Nobody knows whether an order could close it, so it counts as a position.
      return { ...held, price, isDust: rules !== null && isDust(held.position, rules, price) }
    }),
  )
}

function dustOf(held: readonly HeldNow[]): string[] {
  return held.filter(({ isDust }) => isDust).map(({ symbol }) => symbol)
}

/** The other symbols in which the bot holds or opens a position; `null` if no limit depends on them. */
async function elsewhere(
  { settings, books }: OpeningInput,
  { symbol: own }: MarketRules,
  held: readonly HeldNow[],
): Promise<string[] | null> {
  if (settings.maxOpenPositions === null) return null
  const kept = held.filter(({ isDust }) => !isDust).map(({ symbol }) => symbol)
  const opening = (await books.openings()).orders.map(({ symbol }) => symbol)
  const symbols = new Set([...kept, ...opening])
  symbols.delete(own)
  return [...symbols]
}

async function limitRefusal(
  input: OpeningInput,
  rules: MarketRules,
  opening: Pick<RiskInput, 'size' | 'price' | 'rate'> & { position?: Position },
  { held, equity }: Means,
): Promise<string | null> {
  const { signal, settings, venue, books, clock } = input
  const now = clock.now()
  const risk: RiskInput = {
    ...opening,
    settings,
    rules,
    side: openingSide(signal),
    now,
    signalAt: signal.at,
    booksQuote: await books.quote(),
    position: opening.position ?? (await books.position(rules.symbol)),
    elsewhere: await elsewhere(input, rules, held),
    day: settings.maxDailyLoss === null ? null : await dayOfBot(input, dayOf(now), held),
    drawdown: await drawdownNow(input, equity),
  }
  const reached = lossReachedAtOpening(risk)
  if (reached !== null) await books.reachLimit(reached)
  const fallen = risk.drawdown === null ? null : drawdownReached(risk.drawdown, now)
  if (fallen !== null) await books.reachDrawdown(fallen)
  const refusal = riskRefusal(risk)
  if (refusal !== null || venue.kind === 'paper') return refusal
  return (await books.openingObstacle?.(rules.symbol)) ?? null
}

/** The side of the order with which a signal opens. */
export function openingSide({ action }: Pick<TradeSignal, 'action'>): Side {
  return action === 'LONG' ? 'buy' : 'sell'
}

/** What the bot has lost today, at current prices. */
async function dayOfBot(
  { books }: OpeningInput,
  since: number,
  held: readonly HeldNow[],
): Promise<RiskInput['day']> {
  return {
    realised: await books.realisedSince(since),
    ...openLosses(held),
    limitReachedAt: await books.limitReachedAt(),
  }
}

/** How far the equity has fallen; `null` if the bot has no limit for that. */
async function drawdownNow(
  { settings: { maxDrawdown }, books }: OpeningInput,
  equity: Equity | null,
): Promise<DrawdownInput | null> {
  if (maxDrawdown === null || equity === null) return null
  const state = await books.drawdown('amount' in equity ? equity.amount : null)
  return { ...state, maxDrawdown, equity }
}

/** Why an opening of this size may no longer be sent; `null` if it may. */
export async function openingRefusalOf(
  input: OpeningInput,
  rules: MarketRules,
  size: string,
): Promise<string | null> {
  const price = await priceOrNull(input, rules.symbol)
  if (price === null) return `There is no current price of ${rules.symbol}.`
  const conversion = conversionOf(input.settings, rules)
  const means = await meansNow(input)
  if (conversion === null) return limitRefusal(input, rules, { size, price, rate: null }, means)
  if ('reason' in conversion) return conversion.reason
  const ratePrice = await priceOrNull(input, conversion.market)
  if (ratePrice === null) return `There is no current price of ${conversion.market}.`
  const rate = { ...conversion, price: ratePrice }
  return limitRefusal(input, rules, { size, price, rate }, means)
}

/** The rate that converts the amounts of the bot; `null` if they are in the quote currency of the market. */
async function awaitRate(
  input: OpeningInput,
  manager: OrderManager,
  rules: MarketRules,
): Promise<AmountRate | null | Unplanned> {
  const conversion = conversionOf(input.settings, rules)
  if (conversion === null) return null
  if ('reason' in conversion) return { status: 'REFUSED', reason: conversion.reason }
  const price = await awaitPrice(input, manager, conversion.market)
  return typeof price === 'string' ? { ...conversion, price } : { status: 'FAILED', reason: price.reason }
}

/** Why the venue takes no opening that would rest; `null` if it does. */
function whyNoLimits({
  kind,
  whyNoLimits: why = kind === 'paper' ? null : liveEntryReason,
}: Venue): string | null {
  return why
}

/**
 * Asks until there is a price or the time is over.
 * @param best the side of an order that should rest at the best price of its own side; `null`: the current price
 */
async function awaitPrice(
  { venue, clock }: OpeningInput,
  manager: OrderManager,
  symbol: string,
  best: Side | null = null,
): Promise<string | { reason: string }> {
  const deadline = clock.now() + manager.timeouts.priceMs
  for (let attempt = 0; ; attempt++) {
    try {
      if (best === null || venue.bestPrices === undefined) return await venue.price(symbol)
      return (await venue.bestPrices(symbol))[best === 'buy' ? 'bid' : 'ask']
    } catch (error) {
      if (!isVenueError(error)) throw error
      if (error instanceof NoSuchMarket || clock.now() >= deadline) return { reason: error.message }
    }
    await manager.pause(attempt)
  }
}

/** Asks once. Closing continues without a price. */
export async function priceOrNull(
  { venue }: Pick<OpeningInput, 'venue'>,
  symbol: string,
): Promise<string | null> {
  try {
    return await venue.price(symbol)
  } catch (error) {
    if (!isVenueError(error)) throw error
    return null
  }
}

async function rulesOrNull({ venue }: OpeningInput, symbol: string): Promise<MarketRules | null> {
  try {
    return await venue.rules(symbol)
  } catch (error) {
    if (!isVenueError(error)) throw error
    return null
  }
}

export function isVenueError(error: unknown): error is NoSuchMarket | VenueUnreachable {
  return error instanceof NoSuchMarket || error instanceof VenueUnreachable
}
