import type { MarketVenue } from '../price-source.ts'
import type { MarketRules } from '../rules.ts'

/** The step of most exchanges. */
const sizeStep = '0.00000001'

/** The rules of a simulated market, which restrict almost nothing. A symbol that is not a pair gets a made-up quote. */
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
