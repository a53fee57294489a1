import type { MarketRules } from '../market/rules.ts'
import { baseOf, quoteOf } from '../trading/symbols.ts'

/** The market has no rules of an exchange: any order is possible that the books can count. */
export function rulesOf(symbol: string): MarketRules {
  const step = '0.00000001'
  return {
    ...{ symbol, service: symbol.includes(':') ? ('futures' as const) : ('spot' as const) },
    ...{ base: baseOf(symbol)!, quote: quoteOf(symbol)! },
    ...{ sizeStep: step, minSize: step, minNotional: '0' },
  }
}
