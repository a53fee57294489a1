import { eq } from 'drizzle-orm'
import { AppError, invalidField } from '../base/errors.ts'
import type { CatalogueExchange } from '../catalogue/catalogue.ts'
import type { Db } from '../db/database.ts'
import { positions } from '../db/schema.ts'
import { isolatedLeverage, tooMuchMaintenance } from '../trading/isolated-margin.ts'
import { setsMargin } from '../trading/live/dialects/index.ts'
import type { BotSettings } from '../trading/types.ts'
import type { Bot } from './bot.ts'
import type { Holdings } from './holdings.ts'

type Margined = Pick<Bot, 'mode' | 'settings'>

/**
 * A setting that nothing would act on is refused, so that nobody relies on it.
 * @throws {AppError} 400 if the bot cannot have the leverage or the margin mode that its settings name
 */
export function checkMargin(
  { mode, settings }: Margined,
  { exchange, service, name }: Pick<CatalogueExchange, 'exchange' | 'service' | 'name'>,
): void {
  const { leverage = null, marginMode = null } = settings
  if (mode === 'paper') checkMaintenance(settings, { service, name })
  if (mode === 'paper') checkFunding(settings, { service, name })
  const field = leverage === null ? 'margin_mode' : 'leverage'
  if (leverage === null && marginMode === null) return
  if (service !== 'futures') throw invalidField(field, `must be null on ${name}: only futures have margin`)
  if (mode === 'paper' || setsMargin(exchange)) return
  throw invalidField(
    field,
    `must be null on ${name}, where the service does not set it. Set it at the exchange: the bot trades with what the account has`,
  )
}

/** On paper, a position must survive its opening. */
function checkMaintenance(
  settings: BotSettings,
  { service, name }: Pick<CatalogueExchange, 'service' | 'name'>,
): void {
  const { maintenance = null } = settings
  if (maintenance === null) return
  if (service !== 'futures') {
    throw invalidField('maintenance', `must be null on ${name}: only futures have margin`)
  }
  const leverage = isolatedLeverage(settings)
  const limit = leverage === null ? null : tooMuchMaintenance(leverage, maintenance)
  if (limit === null) return
  const why = `with a leverage of ${leverage}, a position would be liquidated at once`
  throw invalidField('maintenance', `must be below ${limit}, got ${maintenance}: ${why}`)
}

function checkFunding(
  { funding = 'off' }: BotSettings,
  { service, name }: { service: string; name: string },
): void {
  if (funding === 'off' || service === 'futures') return
  throw invalidField('funding', `must be off on ${name}: only futures have funding`)
}

/** @throws {AppError} 409 if the margin mode changes while the bot holds a position or may open one */
export function demandSameMarginMode(before: Bot, after: Bot, { positions, orders }: Holdings): void {
  if ((before.settings.marginMode ?? null) === (after.settings.marginMode ?? null)) return
  const [held] = [...positions, ...orders]
  if (held === undefined) return
  throw new AppError(
    'resource_conflict',
    `The margin mode of bot ${before.id} cannot change while it holds a position or an order is in progress: ${held.symbol}. Close it first.`,
    { details: [{ field: 'body.margin_mode', message: 'cannot change while a position is open' }] },
  )
}

/** Whether the margin of paper positions ends at another price from now on. */
export function isNewMargin({ settings: before }: Bot, { settings: after }: Bot): boolean {
  const fields = ['leverage', 'marginMode', 'maintenance'] as const
  return fields.some((field) => (before[field] ?? null) !== (after[field] ?? null))
}

/** Whether paper positions pay from now on what they did not pay before. */
export function isNewFunding(before: Bot, after: Bot): boolean {
  return !paysFunding(before) && paysFunding(after)
}

function paysFunding({ mode, settings }: Bot): boolean {
  return mode === 'paper' && settings.funding === 'exchange'
}

/** Positions pay nothing for moments of before. */
export async function payFromNow(tx: Db, botId: number): Promise<void> {
  await tx.update(positions).set({ fundingUntil: new Date() }).where(eq(positions.botId, botId))
}

/** Prices of before say nothing about what the margin of positions is now. */
export async function watchMarginAnew(tx: Db, botId: number): Promise<void> {
  await tx.update(positions).set({ marginWatchedAt: new Date() }).where(eq(positions.botId, botId))
}
