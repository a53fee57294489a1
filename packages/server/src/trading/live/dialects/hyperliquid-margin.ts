import type { CcxtAccount, CcxtTradedMarket } from '../../../market/live/ccxt-trading.ts'
import type { MarginDialect } from './dialect.ts'
import { act, addressOf, assetOf, coinOf } from './hyperliquid-actions.ts'
import { request } from './requests.ts'

type AssetData = { leverage: { type: string; value: string } }

/**
 * Each coin of Hyperliquid's perpetuals has a leverage and a margin mode, which one action sets together. The facts come from
 * "Exchange endpoint" (Update leverage) and "Info endpoint for perpetuals" (Retrieve user's active asset data) of its
 * documentation.
 */
export const hyperliquidMargin: MarginDialect = {
  modeOf: 'symbol',
  read,
  setLeverage: async (account, market, { margin }, leverage) => {
    const mode = margin?.mode ?? (await read(account, market)).mode
    await update(account, market, mode, leverage)
  },
  setMode: async (account, market, mode, { margin }) => {
    // Then both are set together.
    if (margin?.leverage != null) return
    const { leverage } = await read(account, market)
    await update(account, market, mode, Number(leverage))
  },
}

async function read(account: CcxtAccount, market: CcxtTradedMarket) {
  const asked = { type: 'activeAssetData', user: addressOf(account), coin: coinOf(market) }
  const { leverage } = await request<AssetData>(account, 'publicPostInfo', asked)
  return { leverage: leverage.value, mode: leverage.type }
}

async function update(account: CcxtAccount, { symbol }: CcxtTradedMarket, mode: string, leverage: number) {
  const asset = assetOf(account, symbol)
  await act(account, { type: 'updateLeverage', asset, isCross: mode === 'cross', leverage })
}
