/**
 * What each exchange offers to keep a protection, and which of it the service uses. Nothing that this table does not
 * name is sent to an exchange as a protective order.
 */
import type { MarketVenue } from '../../market/price-source.ts'

/** Who acts when a level is reached: the exchange, by an order that rests there, or the service, which watches the price. */
export type Keeper = 'exchange' | 'service'

/** What the exchange has for it, in words; `null`: nothing that fits. */
export type Offer = {
  stop: string | null
  targets: string | null
  /** The field by which the service could find such an order again; `null`: there is none. */
  id: string | null
  note: string | null
}

export type WhereKept = { stop: Keeper; targets: Keeper; offer: Offer | null }

const reduceOnly = 'limit order, reduce-only'

/** ccxt also has this service of Binance as an exchange of its own. */
const usdM = {
  ...{ stop: 'algo order, STOP_MARKET', targets: reduceOnly, id: 'clientAlgoId' },
  note: 'The last price triggers it. The order that it becomes has another id, which the service follows.',
}

type Row = Offer & Pick<MarketVenue, 'exchange' | 'service'> & { uses: readonly ('stop' | 'targets')[] }

const rows: readonly Row[] = [
  {
    ...{ exchange: 'binance', service: 'spot', uses: ['stop'] },
    ...{ stop: 'STOP_LOSS order', targets: 'OCO order with one target', id: 'newClientOrderId' },
    note: 'A resting stop locks the coins. A target that closes all of the position is in one OCO order with it. The service watches any other.',
  },
  { exchange: 'binance', service: 'futures', uses: ['stop', 'targets'], ...usdM },
  { exchange: 'binanceusdm', service: 'futures', uses: ['stop', 'targets'], ...usdM },
  {
    ...{ exchange: 'kraken', service: 'spot', uses: ['stop'] },
    ...{ stop: 'stop-loss order', targets: null, id: 'cl_ord_id' },
    note: 'A resting stop locks the coins, and there is no OCO order.',
  },
  {
    ...{ exchange: 'krakenfutures', service: 'futures', uses: ['stop', 'targets'] },
    ...{ stop: 'stp order', targets: reduceOnly, id: 'cliOrdId' },
    note: 'The last price triggers it. A stop that is beyond the price already is executed at once.',
  },
  {
    ...{ exchange: 'bitget', service: 'spot', uses: ['stop'] },
    ...{ stop: 'plan order', targets: null, id: 'clientOid' },
    note: 'Only for classic accounts. The last price triggers it. The order that it becomes has another id, which the service follows.',
  },
  {
    ...{ exchange: 'bitget', service: 'futures', uses: ['stop', 'targets'] },
    ...{ stop: 'loss_plan order', targets: reduceOnly, id: 'clientOid' },
    note: 'Only for classic accounts, and targets only in one-way mode. The service watches everything else.',
  },
  {
    ...{ exchange: 'gate', service: 'spot', uses: ['stop'] },
    ...{ stop: 'price-triggered limit order', targets: null, id: null },
    note: 'It is executed at most 10 % beyond its price, and does not lock the coins. It has no id that the service could choose, and stays for at most a day. The service renews it after twelve hours.',
  },
  {
    ...{ exchange: 'gate', service: 'futures', uses: ['stop', 'targets'] },
    ...{ stop: 'price-triggered order', targets: reduceOnly, id: null },
    note: 'The last price triggers it. The stop has no id that the service could choose, and stays for at most seven days. The service renews it after five.',
  },
  {
    ...{ exchange: 'hyperliquid', service: 'futures', uses: ['stop', 'targets'] },
    ...{ stop: 'trigger order', targets: reduceOnly, id: 'cloid' },
    note: 'The mark price triggers it. It is executed at most 10 % beyond its price.',
  },
  {
    ...{ exchange: 'hyperliquid', service: 'spot', uses: [] },
    ...{ stop: null, targets: null, id: null, note: 'Spot has no trigger orders.' },
  },
  {
    ...{ exchange: 'bybit', service: 'spot', uses: ['stop'] },
    ...{ stop: 'tpslOrder', targets: null, id: 'orderLinkId', note: 'A resting stop locks the coins.' },
  },
  {
    ...{ exchange: 'bybit', service: 'futures', uses: ['stop', 'targets'] },
    ...{ stop: 'conditional order', targets: reduceOnly, id: 'orderLinkId' },
    note: 'The last price triggers it. If the account lacks margin for it then, Bybit cancels or reduces other orders of the symbol.',
  },
  {
    ...{ exchange: 'okx', service: 'spot', uses: ['stop'] },
    ...{ stop: 'algo order', targets: 'OCO order with one target', id: 'algoClOrdId' },
    note: 'The last price triggers it. It does not lock the coins. A target that closes all of the position is in one OCO order with it. The service watches any other. The order that it becomes has another id, which the service follows.',
  },
  {
    ...{ exchange: 'okx', service: 'futures', uses: ['stop', 'targets'] },
    ...{ stop: 'algo order', targets: reduceOnly, id: 'algoClOrdId' },
    note: 'The last price triggers it. The order that it becomes has another id, which the service follows. In portfolio margin mode, the account needs long/short mode.',
  },
]

/** Where the service keeps the protection of live positions there. An exchange that is not in the table keeps nothing. */
export function whereKept({ exchange, service }: Pick<MarketVenue, 'exchange' | 'service'>): WhereKept {
  const row = rows.find((one) => one.exchange === exchange && one.service === service)
  if (row === undefined) return { stop: 'service', targets: 'service', offer: null }
  const { stop, targets, id, note, uses } = row
  const keeperOf = (what: 'stop' | 'targets') => (uses.includes(what) ? 'exchange' : 'service')
  return { stop: keeperOf('stop'), targets: keeperOf('targets'), offer: { stop, targets, id, note } }
}
