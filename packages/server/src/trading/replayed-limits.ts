/** The limits of a bot at each close of a replay, as the service watches them every few seconds. */
import type { MarketRules } from '../market/rules.ts'
import { conversionOf } from './amounts.ts'
import { drawdownReached } from './drawdown-limit.ts'
import { dayOf, lossReached, openLosses } from './risk.ts'
import type { Books, BotSettings } from './types.ts'

type Limited = { settings: BotSettings; rules: MarketRules; books: Books }

/** A replay has no price that could convert amounts. @returns whether the position has to be closed */
export async function reachesLoss(
  { settings, rules, books }: Limited,
  now: number,
  price: string,
): Promise<boolean> {
  if (conversionOf(settings, rules) !== null) return false
  const held = (await books.held()).map((each) => ({ ...each, price }))
  const realised = await books.realisedSince(dayOf(now))
  const limitReachedAt = await books.limitReachedAt()
  const day = { realised, limitReachedAt, ...openLosses(held) }
  const reached = lossReached({ settings, day, rate: null, now })
  if (reached === null) return false
  await books.reachLimit(reached)
  return settings.onLimit === 'close'
}

/** A replay has no owner who could reset it. @returns whether the position has to be closed */
export async function reachesDrawdown(
  { settings: { maxDrawdown }, books }: Limited,
  now: number,
  equity: string,
): Promise<boolean> {
  if (maxDrawdown === null) return false
  const state = await books.drawdown(equity)
  const reached = drawdownReached({ ...state, maxDrawdown, equity: { amount: equity } }, now)
  if (reached === null) return false
  await books.reachDrawdown(reached)
  return true
}
