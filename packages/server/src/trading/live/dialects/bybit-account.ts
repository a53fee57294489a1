/** What the parts of Bybit's dialect need to know about an account. */
import type { CcxtAccount, CcxtTradedMarket } from '../../../market/live/ccxt-trading.ts'
import type { OrderRequest } from '../../types.ts'
import { UnfitAccount } from './dialect.ts'
import { positionSideOf } from './lookups.ts'
import { remembered } from './remembered.ts'
import { request } from './requests.ts'

export type Result<T> = { result?: T }
export type Row = Record<string, string | undefined>
export type Page = Result<{ list?: Row[]; nextPageCursor?: string }>
export type AccountInfo = { marginMode?: string; unifiedMarginStatus?: number | string }

const rememberMs = 60_000
export const classicAccount =
  'This is a classic account of Bybit. Bots trade unified trading accounts: upgrade the account at Bybit.'

export const accountInfo = remembered(rememberMs, readAccountInfo)

/** Each symbol has its own position mode. Bybit lists both sides of a symbol in hedge mode, even if they are empty. */
export const isHedged = remembered(rememberMs, async (account, symbol) => {
  const query = { category: 'linear', symbol }
  const { result } = await request<Page>(account, 'privateGetV5PositionList', query)
  const [first] = result?.list ?? []
  if (first === undefined) throw new Error('Bybit did not say which position mode the symbol has.')
  return Number(first.positionIdx) !== 0
})

/** @throws the errors of ccxt */
export async function readAccountInfo(account: CcxtAccount): Promise<AccountInfo> {
  const { result } = await request<Result<AccountInfo>>(account, 'privateGetV5AccountInfo')
  if (result?.unifiedMarginStatus === undefined) throw new Error('Bybit did not say what the account is.')
  return result
}

export function isClassic({ unifiedMarginStatus }: AccountInfo): boolean {
  return Number(unifiedMarginStatus) < 3
}

/** @throws {UnfitAccount} @throws the errors of ccxt */
export async function requireUnified(account: CcxtAccount): Promise<void> {
  if (isClassic(await accountInfo.of(account))) throw new UnfitAccount(classicAccount)
}

/** What an order must say about the account's modes. @throws {UnfitAccount} @throws the errors of ccxt */
export async function orderParams(
  account: CcxtAccount,
  { contract, id }: CcxtTradedMarket,
  order: OrderRequest,
): Promise<{ positionIdx?: 1 | 2 }> {
  await requireUnified(account)
  if (contract !== true || !(await isHedged.of(account, id))) return {}
  return { positionIdx: positionSideOf(order) === 'long' ? 1 : 2 }
}
