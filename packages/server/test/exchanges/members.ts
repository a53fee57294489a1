import { type CcxtExchange, createExchange } from '../../src/market/live/ccxt-exchange.ts'
import { type StandIn, standIns } from './index.ts'

/** A service of a member of `$.Exchange`, with three of its symbols and one that it has stopped trading. */
export type Member = {
  member: keyof typeof standIns
  exchange: string
  service: 'spot' | 'futures'
  symbols: [string, string, string]
  inactive?: string
}

export const members: readonly Member[] = [
  {
    member: 'BINANCE',
    exchange: 'binance',
    service: 'spot',
    symbols: ['BTC/USDT', 'ETH/BTC', 'PEPE/USDT'],
    inactive: 'YOYOW/BTC',
  },
  {
    member: 'BINANCE',
    exchange: 'binance',
    service: 'futures',
    symbols: ['BTC/USDT:USDT', 'ETH/USDT:USDT', 'BTC/USD:BTC'],
    inactive: 'SRM/USDT:USDT',
  },
  {
    member: 'KRAKEN',
    exchange: 'kraken',
    service: 'spot',
    symbols: ['BTC/USD', 'ETH/BTC', 'DOGE/USD'],
    inactive: 'XMR/USD',
  },
  {
    member: 'KRAKEN',
    exchange: 'krakenfutures',
    service: 'futures',
    symbols: ['BTC/USD:USD', 'ETH/USD:USD', 'BTC/USD:BTC'],
    inactive: 'LUNA/USD:USD',
  },
  {
    member: 'GATEIO',
    exchange: 'gate',
    service: 'spot',
    symbols: ['BTC/USDT', 'ETH/BTC', 'GAMECOM/USDT'],
    inactive: 'LUNARLENS/USDT',
  },
  {
    member: 'GATEIO',
    exchange: 'gate',
    service: 'futures',
    symbols: ['BTC/USDT:USDT', 'ETH/USDT:USDT', 'BTC/USD:BTC'],
    inactive: 'FTT/USDT:USDT',
  },
  {
    member: 'BITGET',
    exchange: 'bitget',
    service: 'spot',
    symbols: ['BTC/USDT', 'ETH/BTC', 'AstroPepeX/USDT'],
    inactive: 'QLC/USDT',
  },
  {
    member: 'BITGET',
    exchange: 'bitget',
    service: 'futures',
    symbols: ['BTC/USDT:USDT', 'ETH/USDT:USDT', 'BTC/USD:BTC'],
    inactive: 'SRM/USDT:USDT',
  },
  {
    member: 'HYPERLIQUID',
    exchange: 'hyperliquid',
    service: 'spot',
    symbols: ['BTC/USDC', 'PURR/USDC', 'HYPE/USDC'],
  },
  {
    member: 'HYPERLIQUID',
    exchange: 'hyperliquid',
    service: 'futures',
    symbols: ['BTC/USDC:USDC', 'ETH/USDC:USDC', 'KPEPE/USDC:USDC'],
    inactive: 'MATIC/USDC:USDC',
  },
]

/**
 * Starts the stand-in of a member, and a ccxt exchange of one of its services that connects only to it.
 */
export async function openMember({
  member,
  exchange: id,
  service,
}: Member): Promise<AsyncDisposable & { standIn: StandIn; exchange: CcxtExchange }> {
  const standIn = await standIns[member]()
  const exchange = await createExchange({ exchange: id, service }, { [member]: standIn.endpoints })
  return {
    standIn,
    exchange,
    [Symbol.asyncDispose]: async () => {
      await exchange.close()
      await standIn[Symbol.asyncDispose]()
    },
  }
}
