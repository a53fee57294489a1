import { invalidField } from '../base/errors.ts'
import type { Bot } from './bot.ts'

/**
 * A setting that nothing would act on is refused, so that nobody relies on it.
 * @throws {AppError} 400 if the bot is live and its openings would rest
 */
export function checkEntry({ mode, settings }: Pick<Bot, 'mode' | 'settings'>): void {
  if (mode === 'paper' || settings.entry == null) return
  throw invalidField('entry', 'must be null for a live bot: entries with a limit are for paper bots so far')
}
