import type { CcxtAccount, CcxtTradedMarket } from '../../../market/live/ccxt-trading.ts'
import { request } from './requests.ts'

type Signer = {
  incrementingNonce(): number
  signL1Action(action: object, nonce: number): unknown
}

/**
 * Signs an action of Hyperliquid's "Exchange endpoint", and sends it. The signature is over its fields in their order.
 * @throws the errors of ccxt, also if the exchange refuses the action
 */
export function act<T>(account: CcxtAccount, action: object): Promise<T> {
  const signer = account as unknown as Signer
  const nonce = signer.incrementingNonce()
  const signature = signer.signL1Action(action, nonce)
  return request<T>(account, 'privatePostExchange', { action, nonce, signature })
}

/** The number by which actions name a market. */
export function assetOf(account: CcxtAccount, symbol: string): number {
  const { baseId } = account.markets[symbol] as { baseId?: string | number }
  const asset = Number(baseId)
  if (baseId === undefined || !Number.isSafeInteger(asset)) throw new Error(`${symbol} has no asset number.`)
  return asset
}

export function addressOf(account: CcxtAccount): string {
  return (account as CcxtAccount & { walletAddress: string }).walletAddress
}

/** Hyperliquid's own name of the coin of a perpetual, or of a pair on spot, such as `@107`. */
export function coinOf({ info }: CcxtTradedMarket & { info?: unknown }): string | undefined {
  const { name } = (info ?? {}) as { name?: unknown }
  return typeof name === 'string' ? name : undefined
}
