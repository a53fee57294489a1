import type { CcxtAccount, CcxtTradedMarket } from '../../../market/live/ccxt-trading.ts'
import type { MarginMode, MarginSetting, OrderRequest } from '../../types.ts'
import { classicSettings, forgetModes, kindOf, productOf, unifiedSettings } from './bitget-account.ts'
import { type MarginDialect, UnfitAccount } from './dialect.ts'
import { request } from './requests.ts'

/**
 * In a classic account, each symbol has a margin mode, and a leverage for cross margin and for each side with isolated
 * margin. In a unified account, the service changes only the leverage, because the API v3 has no request for the margin
 * mode. The facts come from the pages "Get Single Account", "Change Leverage" and "Change Margin Mode" of the API v2, and
 * "Get Account Settings" and "Set Leverage" of the API v3.
 */
export const bitgetMargin: MarginDialect = {
  modeOf: async (account) => ((await kindOf(account)) === 'unified' ? 'account' : 'symbol'),
  read: async (account, market, opening) =>
    (await kindOf(account)) === 'unified'
      ? readUnified(account, market, opening)
      : readClassic(account, market, opening),
  setLeverage: async (account, market, opening, leverage) => {
    const set = (await kindOf(account)) === 'unified' ? setUnified : setClassic
    await set(account, market, opening, leverage)
  },
  setMode: async (account, market, mode) => {
    await request(account, 'privateMixPostV2MixAccountSetMarginMode', {
      ...placeOf(market),
      marginMode: mode === 'cross' ? 'crossed' : 'isolated',
    })
    // An order names the mode of its symbol.
    forgetModes(account, market)
  },
}

function placeOf(market: CcxtTradedMarket) {
  return { symbol: market.id, productType: productOf(market), marginCoin: market.settle }
}

async function readClassic(
  account: CcxtAccount,
  market: CcxtTradedMarket,
  { side }: OrderRequest,
): Promise<MarginSetting> {
  const settings = await classicSettings(account, market)
  const mode = modeFrom(settings.marginMode)
  const isolated = side === 'buy' ? settings.isolatedLongLever : settings.isolatedShortLever
  return { leverage: (mode === 'isolated' ? isolated : settings.crossedMarginLeverage) || null, mode }
}

async function setClassic(
  account: CcxtAccount,
  market: CcxtTradedMarket,
  { side }: OrderRequest,
  leverage: number,
): Promise<void> {
  const { marginMode, posMode } = await classicSettings(account, market)
  // Otherwise, both sides have the same leverage.
  const isOfSide = marginMode === 'isolated' && posMode === 'hedge_mode'
  await request(account, 'privateMixPostV2MixAccountSetLeverage', {
    ...placeOf(market),
    leverage: String(leverage),
    ...(isOfSide && { holdSide: sideOf(side) }),
  })
}

/** @throws {UnfitAccount} */
async function readUnified(
  account: CcxtAccount,
  market: CcxtTradedMarket,
  { margin }: OrderRequest,
): Promise<MarginSetting> {
  const { holdMode, ofSymbol } = await unifiedSettings(account, market)
  const mode = modeFrom(ofSymbol?.marginMode ?? 'crossed')
  if (mode === 'isolated' && holdMode === 'hedge_mode') {
    if (margin?.leverage != null) throw new UnfitAccount(`${market.symbol}: ${whichSide}`)
    return { leverage: null, mode }
  }
  return { leverage: ofSymbol?.leverage || null, mode }
}

const whichSide =
  'With isolated margin in hedge mode, a unified account of Bitget has a leverage for each side, and does not say which one it tells. So the service does not set it. Set it at the exchange, and take it away from the bot (leverage).'

async function setUnified(
  account: CcxtAccount,
  market: CcxtTradedMarket,
  { side }: OrderRequest,
  leverage: number,
): Promise<void> {
  const { ofSymbol } = await unifiedSettings(account, market)
  const isIsolated = ofSymbol?.marginMode === 'isolated'
  await request(account, 'privateUtaPostV3AccountSetLeverage', {
    category: productOf(market),
    symbol: market.id,
    leverage: String(leverage),
    marginMode: isIsolated ? 'isolated' : 'crossed',
    ...(isIsolated && { posSide: sideOf(side) }),
  })
}

function sideOf(side: OrderRequest['side']): 'long' | 'short' {
  return side === 'buy' ? 'long' : 'short'
}

function modeFrom(marginMode: string | undefined): MarginMode | null {
  if (marginMode === 'isolated') return 'isolated'
  return marginMode === 'crossed' ? 'cross' : null
}
