/**
 * The open orders of an account at Kraken spot, which all of its bots share. Each question costs a point of the key's
 * counter, which holds 15 at first, and loses one every three seconds: "Spot REST Rate Limits".
 */
import type { CcxtAccount } from '../../../market/live/ccxt-trading.ts'
import { request } from './requests.ts'

export type SpotOrder = {
  cl_ord_id?: string | null
  status: string
  reason?: string | null
  descr: { type: string; ordertype: string }
  vol_exec: string
  /** `stopped`: the price has triggered it. */
  misc?: string
}
/** By Kraken's id. */
export type Orders = Record<string, SpotOrder>

type List = { readMs: number; orders: Promise<Orders> }
type Known = { list?: List; changedMs: number }

const accounts = new WeakMap<CcxtAccount, Known>()
/** So long after a change, a list counts only while it is as fresh as after each look at a stop. */
const unsettledMs = 10_000
export const freshMs = 2_000

function knownOf(account: CcxtAccount): Known {
  const known = accounts.get(account) ?? { changedMs: Number.NEGATIVE_INFINITY }
  accounts.set(account, known)
  return known
}

/**
 * At most so old, and not older than the last order that was placed or cancelled through {@link forgetOpenOrders}.
 * @throws the errors of ccxt
 */
export function openOrders(account: CcxtAccount, longestMs = freshMs): Promise<Orders> {
  const known = knownOf(account)
  const now = performance.now()
  const mostMs = now - known.changedMs < unsettledMs ? Math.min(longestMs, freshMs) : longestMs
  if (known.list !== undefined && now - known.list.readMs < mostMs) return known.list.orders
  const list: List = { readMs: now, orders: readOpen(account) }
  known.list = list
  list.orders.catch(() => known.list === list && delete known.list)
  return list.orders
}

/** Called before an order is placed or cancelled. */
export function forgetOpenOrders(account: CcxtAccount): void {
  const known = knownOf(account)
  delete known.list
  known.changedMs = performance.now()
}

async function readOpen(account: CcxtAccount): Promise<Orders> {
  const asked = { trades: true }
  const { result } = await request<{ result: { open: Orders } }>(account, 'privatePostOpenOrders', asked)
  return result.open
}
