import { decimal } from '../base/decimals.ts'
import type { MarketRules } from '../market/rules.ts'
import type { BotSettings } from './types.ts'

type Limited = Pick<MarketRules, 'symbol' | 'mostLeverage'>

/** Whether a bot asks for more than the market allows, as far as the exchange says what that is. */
export function isOverMarket(
  { leverage = null }: Pick<BotSettings, 'leverage'>,
  { mostLeverage: most }: Pick<Limited, 'mostLeverage'>,
): boolean {
  return leverage !== null && most !== undefined && decimal(String(leverage)).gt(most)
}

/** @returns why the bot may not open, with both figures; `null` if it may, or if nobody can know */
export function leverageRefusal(settings: Pick<BotSettings, 'leverage'>, rules: Limited): string | null {
  if (!isOverMarket(settings, rules)) return null
  return `The leverage of ${rules.symbol} is at most ${rules.mostLeverage}, and the bot is set to ${settings.leverage} (leverage).`
}
