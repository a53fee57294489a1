import { resource } from './resource.ts'

/** The catalogue of exchanges. All lists are in order of id. */
export const exchanges = resource({
  /** All exchanges; `enabled` leaves one half of them, `chainId` the DEXes on that chain. */
  list: 'GET /api/v2/exchange?{query}',
  /** The enabled centralised exchanges. */
  cex: 'GET /api/v2/exchange/cex',
  /** The DEXes on a chain: an EIP-155 number as text (`'1'`), or a name such as `solana`. */
  dex: 'GET /api/v2/exchange/dex/{chain}',
  /** The prediction markets. */
  prediction: 'GET /api/v2/exchange/prediction',
  /** The enabled exchanges that supply exchange rates. */
  withExchangeRate: 'GET /api/v2/exchange/with-exchange-rate',
})
