import { readEntries, simulatedMarket } from '../packages/server/src/catalogue/entries.ts'
import { Candles } from '../packages/server/src/market/candles/candles.ts'
import { MarketCandles } from '../packages/server/src/market/candles/market-candles.ts'
import { Market } from '../packages/server/src/market/market.ts'
import { SimulatedPrices } from '../packages/server/src/market/simulated/simulated-prices.ts'

/** The candles of the simulated market, without a service. `exchangeId`: its id in the catalogue. */
export function openSimulatedCandles(resources: AsyncDisposableStack) {
  const source = new SimulatedPrices()
  const market = new Market({ source, onError: console.error })
  resources.defer(() => market.close())
  const kept = new Candles({ source, resolve: (venue, name) => market.resolve(venue, name) })
  const venue = { ...readEntries().find(({ type }) => type === simulatedMarket.type)!, enabled: true }
  const catalogue = { find: () => venue, servicesOf: () => [venue], withRates: () => [] }
  return { candles: new MarketCandles({ candles: kept, market, catalogue }), market, exchangeId: venue.id }
}
