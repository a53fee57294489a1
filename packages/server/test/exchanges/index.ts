import { startBinance } from './binance.ts'
import { startBitget } from './bitget.ts'
import { startBybit } from './bybit.ts'
import { startGate } from './gate.ts'
import { startHyperliquid } from './hyperliquid.ts'
import { startKraken } from './kraken.ts'
import { startOkx } from './okx.ts'

export type { RestAnswer, StandIn, StandInOptions } from './stand-in.ts'
export { startBinance, startBitget, startBybit, startGate, startHyperliquid, startKraken, startOkx }

/** A stand-in for each member of `$.Exchange`. */
export const standIns = {
  BINANCE: startBinance,
  GATEIO: startGate,
  BITGET: startBitget,
  HYPERLIQUID: startHyperliquid,
  KRAKEN: startKraken,
} as const
