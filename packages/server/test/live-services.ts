/** The exchange services for live trading, each with a stand-in, and venues on them. */
import { LiveVenue, type LiveVenueOptions } from '../src/trading/live/live-venue.ts'
import type { LookUpOutcome, OrderReport, OrderRequest, Venue } from '../src/trading/types.ts'
import {
  startBinance,
  startBitget,
  startBybit,
  startGate,
  startHyperliquid,
  startKraken,
  startOkx,
} from './exchanges/index.ts'
import type { AccountMode } from './exchanges/trading.ts'
import { until } from './until.ts'

export type LiveService = {
  start: typeof startBinance
  /** How the account is set up, if that is not the default. */
  variant?: string
  exchange: string
  service: 'spot' | 'futures'
  symbol: string
  quote: string
  actions: ('LONG' | 'SHORT' | 'EXIT')[]
  /** A wallet signs its orders, and the stand-in accepts every signature. */
  isWallet?: true
  /** Its orders have their exact fee, also without the list of trades. */
  tellsFees?: true
}

const binance = { start: startBinance, exchange: 'binance', quote: 'USDT' }
const kraken = { start: startKraken, quote: 'USD' }
const gate = { start: startGate, exchange: 'gate', quote: 'USDT' }
const bitget = { start: startBitget, exchange: 'bitget', quote: 'USDT' }
const bybit = { start: startBybit, exchange: 'bybit', quote: 'USDT', tellsFees: true } as const
const okx = { start: startOkx, exchange: 'okx', quote: 'USDT', tellsFees: true } as const
const hyperliquid = {
  start: startHyperliquid,
  exchange: 'hyperliquid',
  quote: 'USDC',
  isWallet: true,
} as const
const spot = { service: 'spot', actions: ['LONG', 'EXIT'] } satisfies Partial<LiveService>
const futures = { service: 'futures', actions: ['LONG', 'SHORT', 'EXIT'] } satisfies Partial<LiveService>

export const liveServices: readonly LiveService[] = [
  { ...binance, ...spot, symbol: 'BTC/USDT' },
  { ...binance, ...futures, symbol: 'BTC/USDT:USDT' },
  { ...kraken, ...spot, exchange: 'kraken', symbol: 'BTC/USD' },
  { ...kraken, ...futures, exchange: 'krakenfutures', symbol: 'BTC/USD:USD' },
  { ...gate, ...spot, symbol: 'BTC/USDT' },
  { ...gate, ...futures, symbol: 'BTC/USDT:USDT' },
  { ...bitget, ...spot, symbol: 'BTC/USDT' },
  { ...bitget, ...futures, symbol: 'BTC/USDT:USDT' },
  { ...bybit, ...spot, symbol: 'BTC/USDT' },
  { ...bybit, ...futures, symbol: 'BTC/USDT:USDT' },
  { ...okx, ...spot, symbol: 'BTC/USDT' },
  { ...okx, ...futures, symbol: 'BTC/USDT:USDT' },
  { ...hyperliquid, ...spot, symbol: 'BTC/USDC' },
  { ...hyperliquid, ...futures, symbol: 'BTC/USDC:USDC' },
]

/** The same exchanges with accounts that are set up in other ways. */
export const liveVariants: readonly LiveService[] = [
  variantOf({ ...bitget, ...spot, symbol: 'BTC/USDT' }, { account: 'unified' }),
  variantOf(
    { ...bitget, ...futures, symbol: 'BTC/USDT:USDT' },
    { account: 'unified', position: 'hedge', margin: 'isolated' },
  ),
  variantOf({ ...bitget, ...futures, symbol: 'BTC/USDT:USDT' }, { position: 'hedge', margin: 'isolated' }),
  variantOf({ ...gate, ...spot, symbol: 'BTC/USDT' }, { account: 'unified' }),
  variantOf({ ...gate, ...futures, symbol: 'BTC/USDT:USDT' }, { account: 'unified', position: 'hedge' }),
]

function variantOf(service: LiveService, mode: Partial<AccountMode>): LiveService {
  const start: LiveService['start'] = async (options) => {
    const standIn = await service.start(options)
    standIn.trading.setMode(mode)
    return standIn
  }
  return { ...service, start, variant: Object.values(mode).join(', ') }
}

export const nameOf = ({ exchange, service, variant }: LiveService) =>
  `${exchange} ${service}${variant === undefined ? '' : ` (${variant})`}`

/** An account with much money at a stand-in, and a venue with short timeouts. */
export async function openLive(
  { start, exchange, service, quote }: LiveService,
  changes: Partial<LiveVenueOptions> = {},
) {
  const standIn = await start()
  standIn.trading.setBalance(quote, '100000')
  const venue = new LiveVenue({
    venue: { exchange, service },
    credentials: standIn.trading.credentials,
    endpoints: { [exchange]: standIn.endpoints },
    price: async (symbol) => standIn.price(symbol),
    absentAfterMs: 400,
    timeouts: { endedMs: 40 },
    timeoutMs: 8_000,
    ...changes,
  })
  return {
    standIn,
    venue,
    trading: standIn.trading,
    [Symbol.asyncDispose]: async () => {
      await venue.close()
      await standIn[Symbol.asyncDispose]()
    },
  }
}

/** An order that opens 0.01. */
export function buyOf(symbol: string, changes: Partial<OrderRequest> = {}): OrderRequest {
  const order = { clientOrderId: 'tw-1-o', symbol, side: 'buy', purpose: 'open', reduceOnly: false } as const
  return { ...order, size: '0.01', ...changes }
}

/** Asks until the venue knows the outcome. */
export async function settled(venue: Venue, order: OrderRequest): Promise<LookUpOutcome> {
  let outcome: LookUpOutcome = { status: 'unknown', reason: '' }
  await until('a settled order', async () => {
    outcome = await venue.lookUp(order)
    return outcome.status !== 'unknown' && !(outcome.status === 'found' && outcome.report.status === 'OPEN')
  })
  return outcome
}

/** The venue's final report of an order. */
export async function finalReport(venue: Venue, order: OrderRequest): Promise<OrderReport> {
  const outcome = await settled(venue, order)
  if (outcome.status !== 'found') throw new Error(`The order is ${outcome.status}.`)
  return outcome.report
}
