/** What a change makes of a bot, and what follows from it. */
import { invalidField } from '../base/errors.ts'
import type { BotSettings } from '../db/schema.ts'
import { dayOf } from '../trading/risk.ts'
import type { Bot, BotChanges } from './bot.ts'
import { defaultSettings } from './settings.ts'

/** A bot with these changes. */
export function changedBot(bot: Bot, { settings, ...columns }: BotChanges): Bot {
  const after = { ...bot, ...columns, settings: { ...bot.settings, ...settings } }
  const isNowLive = bot.mode === 'paper' && after.mode === 'live'
  // The default of a paper bot says nothing about an account.
  const isKept = !isNowLive || bot.settings.startBalance !== defaultSettings.startBalance
  const kept = isKept ? bot.settings.startBalance : undefined
  const startBalance = settings?.startBalance === undefined ? (kept ?? undefined) : settings.startBalance
  return { ...after, settings: withStartBalance(after.mode, after.settings, startBalance) }
}

/**
 * A live bot starts with the equity of its account if its owner gives no start balance.
 * @throws {AppError} 400 if a paper bot gets none
 */
export function withStartBalance(
  mode: Bot['mode'],
  settings: BotSettings,
  given: string | null | undefined,
): BotSettings {
  if (mode === 'live') return { ...settings, startBalance: given ?? null }
  if (given === null) throw invalidField('start_balance', 'must be a number for a paper bot')
  return { ...settings, startBalance: given ?? defaultSettings.startBalance }
}

export function moves(before: Bot, after: Bot): boolean {
  return (
    before.mode !== after.mode ||
    before.exchangeId !== after.exchangeId ||
    before.connectionId !== after.connectionId
  )
}

export function isTrading({ mode, status }: Bot): boolean {
  return mode === 'live' && status === 'ACTIVE'
}

/** Whether a bot that trades gets other symbols or another account. */
export function claimsMore(before: Bot, after: Bot): boolean {
  const hasOtherSymbols = before.settings.symbols.join() !== after.settings.symbols.join()
  return isTrading(after) && (moves(before, after) || hasOtherSymbols)
}

/** Whether the highest equity of before says nothing about the drawdown from now on. A bot that has stopped keeps it. */
export function startsAgain({ settings: before, drawdownReachedAt }: Bot, { settings: after }: Bot): boolean {
  if (drawdownReachedAt !== null) return false
  const isNewLimit = (before.maxDrawdown === null) !== (after.maxDrawdown === null)
  return isNewLimit || before.startBalance !== after.startBalance
}

/** Whether an active bot that has reached its limit today is now told to close what it holds. */
export function closesFromNowOn(before: Bot, after: Bot, now: Date): boolean {
  const isTold = before.settings.onLimit !== 'close' && after.settings.onLimit === 'close'
  const { status, limitReachedAt } = before
  return (
    isTold &&
    status === 'ACTIVE' &&
    limitReachedAt !== null &&
    limitReachedAt.getTime() >= dayOf(now.getTime())
  )
}
