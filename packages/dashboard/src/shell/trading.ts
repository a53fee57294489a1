import { queryOptions } from '@tanstack/react-query'
import { client } from '../data/client.ts'

/** The trading switch: whether live trading is on, and whether all trading is halted. */
export const tradingQuery = queryOptions({
  queryKey: ['trading'],
  queryFn: () => client.trading.get(),
  // Every page asks this, so every page notices when the service is silent.
  refetchInterval: 15_000,
})
