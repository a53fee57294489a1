import type { MarketRules } from '../market/rules.ts'
import type { BotSettings } from './types.ts'

/** What replaces the rules of a market for the orders of a paper bot; `null` or absent: the market's own count. */
export type PaperRules = Pick<BotSettings, 'sizeStep' | 'minSize' | 'minNotional'>

/** @param own `null`: all rules are those of the market */
export function rulesOnPaper(own: PaperRules | null, rules: MarketRules): MarketRules {
  if (own === null) return rules
  return {
    ...rules,
    sizeStep: own.sizeStep ?? rules.sizeStep,
    minSize: own.minSize ?? rules.minSize,
    minNotional: own.minNotional ?? rules.minNotional,
  }
}

/** The rules for the orders of a bot. A live bot has those of its exchange. */
export function rulesOfBot(
  { mode, settings }: { mode: 'paper' | 'live'; settings: PaperRules },
  rules: MarketRules,
): MarketRules {
  return rulesOnPaper(mode === 'paper' ? settings : null, rules)
}
