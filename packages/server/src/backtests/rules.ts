import type { MarketRules } from '../market/rules.ts'
import { baseOf, quoteOf } from '../trading/symbols.ts'
import { leastSize } from './market-model.ts'

/** What orders must keep to, as decimals. */
export type OrderRules = Pick<MarketRules, 'sizeStep' | 'minSize' | 'minNotional'>

const anyOrder: OrderRules = { sizeStep: leastSize, minSize: leastSize, minNotional: '0' }

/** @param rules default: those of no exchange */
export function rulesOf(symbol: string, rules: OrderRules = anyOrder): MarketRules {
  return {
    ...{ symbol, service: symbol.includes(':') ? ('futures' as const) : ('spot' as const) },
    ...{ base: baseOf(symbol)!, quote: quoteOf(symbol)! },
    ...{ sizeStep: rules.sizeStep, minSize: rules.minSize, minNotional: rules.minNotional },
  }
}
