import { invalidField } from '../base/errors.ts'
import type { CatalogueExchange } from '../catalogue/catalogue.ts'
import { entriesOf } from '../trading/live/dialects/index.ts'
import type { Bot } from './bot.ts'

/**
 * A setting that nothing would act on is refused, so that nobody relies on it.
 * @throws {AppError} 400 if the bot is live, its openings would rest, and the service places none that rest there
 */
export function checkEntry(
  { mode, settings }: Pick<Bot, 'mode' | 'settings'>,
  place: Pick<CatalogueExchange, 'exchange' | 'service' | 'name'>,
): void {
  if (mode === 'paper' || settings.entry == null || entriesOf(place) !== undefined) return
  throw invalidField(
    'entry',
    `must be null for a live bot on ${place.name}, where the service places no orders with a limit`,
  )
}
