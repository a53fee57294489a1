/** What the parts of OKX's dialect need to know about an account. */
import { decimal, zero } from '../../../base/decimals.ts'
import type { CcxtAccount, CcxtTradedMarket } from '../../../market/live/ccxt-trading.ts'
import type { AccountFacts } from '../../account.ts'
import type { OrderRequest } from '../../types.ts'
import { UnfitAccount } from './dialect.ts'
import { positionSideOf } from './lookups.ts'
import { remembered } from './remembered.ts'
import { request } from './requests.ts'

export type Row = Record<string, string | undefined>
export type Page = { data?: Row[] }

const rememberMs = 60_000
export const spotMode =
  'This account of OKX is in spot mode, in which nobody can trade futures. Choose futures mode in the account settings at OKX.'
export const borrowing =
  'This account of OKX borrows automatically, so a sale could sell more than it holds. Turn automatic borrowing off in the account settings at OKX.'

export const accountConfig = remembered(rememberMs, readConfig)

/** @throws the errors of ccxt */
export async function readConfig(account: CcxtAccount): Promise<Row> {
  const { data } = await request<Page>(account, 'privateGetAccountConfig')
  const [config] = data ?? []
  if (config?.acctLv === undefined) throw new Error('OKX did not say what the account is.')
  return config
}

export function isSpotMode({ acctLv }: Row): boolean {
  return acctLv === '1'
}

/** In the two modes in which all currencies are margin, spot orders are cross too. */
export function spotIsCross({ acctLv }: Row): boolean {
  return acctLv === '3' || acctLv === '4'
}

/** Whether a spot order may borrow what the account does not hold. */
export function borrows(config: Row): boolean {
  const isOn = spotIsCross(config) ? config.autoLoan : isSpotMode(config) ? config.enableSpotBorrow : false
  return String(isOn) === 'true'
}

export function positionModeOf({ posMode }: Row): AccountFacts['positionMode'] {
  if (posMode === undefined) return null
  return posMode === 'long_short_mode' ? 'hedge' : 'one-way'
}

/** That of the open position; without one, what the bot wants, or cross. */
export async function marginModeOf(
  account: CcxtAccount,
  config: Row,
  market: CcxtTradedMarket,
  order: Pick<OrderRequest, 'side' | 'purpose' | 'margin'>,
): Promise<string> {
  const query = { instId: market.id }
  const { data = [] } = await request<Page>(account, 'privateGetAccountPositions', query)
  const isHedged = positionModeOf(config) === 'hedge'
  const isWanted = (row: Row) => isOpen(row) && (!isHedged || row.posSide === positionSideOf(order))
  const open = data.find(isWanted) ?? data.find(isOpen)
  return open?.mgnMode ?? order.margin?.mode ?? 'cross'
}

function isOpen({ pos = '' }: Row): boolean {
  return pos !== '' && !decimal(pos).eq(zero)
}

/**
 * OKX has no margin mode of the account: each order names one, and a symbol may have a position in each. So an order has
 * the mode of the open position, which it would otherwise miss. In long/short mode, it also names its side.
 * @throws {UnfitAccount} @throws the errors of ccxt
 */
export async function futuresOrderMode(
  account: CcxtAccount,
  market: CcxtTradedMarket,
  order: OrderRequest,
): Promise<{ tdMode: string; posSide?: 'long' | 'short' }> {
  const config = await accountConfig.of(account)
  if (isSpotMode(config)) throw new UnfitAccount(spotMode)
  const tdMode = await marginModeOf(account, config, market, order)
  return positionModeOf(config) === 'hedge' ? { tdMode, posSide: positionSideOf(order) } : { tdMode }
}
