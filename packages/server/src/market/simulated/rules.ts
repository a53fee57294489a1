import type { MarketVenue } from '../price-source.ts'
import type { MarketRules } from '../rules.ts'

/** As fine as most exchanges count coins. */
const sizeStep = '0.00000001'

/** What a market that is made up asks of orders: next to nothing. What is no pair is priced in something unnamed. */
export function simulatedRules({ service }: MarketVenue, symbol: string): MarketRules {
  const [base = symbol, quote = 'QUOTE'] = symbol.split('/')
  return {
    symbol,
    service: service === 'futures' ? 'futures' : 'spot',
    base,
    quote,
    sizeStep,
    minSize: sizeStep,
    minNotional: '0',
  }
}
