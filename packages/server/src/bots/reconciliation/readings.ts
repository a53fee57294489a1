import type { AccountBalance, AccountOrder, AccountPosition, AccountReader } from '../../trading/account.ts'

type Reading<T> = { atMs: number; value: Promise<T> }
type OfConnection = {
  positions?: Reading<AccountPosition[]>
  balances?: Reading<AccountBalance[]>
  orders: Map<string, { atMs: number; value?: AccountOrder[] }>
}

/** An older reading of open orders says nothing about now. */
const longestOrdersMs = 180_000

/** One reading of an account serves all its symbols, and all its bots on this node, for a few seconds. */
export class AccountReadings {
  #byConnection = new Map<number, OfConnection>()

  /** @param notBeforeMs by `performance.now()`: an earlier reading does not count */
  positions(connectionId: number, account: AccountReader, notBeforeMs: number): Promise<AccountPosition[]> {
    const of = this.#of(connectionId)
    if (of.positions === undefined || of.positions.atMs < notBeforeMs) {
      of.positions = { atMs: performance.now(), value: account.positions() }
    }
    return of.positions.value
  }

  balances(connectionId: number, account: AccountReader, notBeforeMs: number): Promise<AccountBalance[]> {
    const of = this.#of(connectionId)
    if (of.balances === undefined || of.balances.atMs < notBeforeMs) {
      of.balances = { atMs: performance.now(), value: account.balances() }
    }
    return of.balances.value
  }

  /** Reads the open orders of a symbol, unless the last reading is younger than `notBeforeMs`. */
  async readOrders(
    connectionId: number,
    account: AccountReader,
    symbol: string,
    notBeforeMs: number,
  ): Promise<void> {
    const { orders } = this.#of(connectionId)
    const last = orders.get(symbol)
    if (last !== undefined && last.atMs >= notBeforeMs) return
    const atMs = performance.now()
    // Another bot of the account does not ask at the same time, and a failure is not repeated at once.
    orders.set(symbol, { atMs })
    orders.set(symbol, { atMs, value: await account.openOrders(symbol) })
  }

  /** The last reading of open orders; `undefined` if there is none, or only an old one. */
  ordersOf(connectionId: number, symbol: string): AccountOrder[] | undefined {
    const last = this.#of(connectionId).orders.get(symbol)
    return last === undefined || last.atMs < performance.now() - longestOrdersMs ? undefined : last.value
  }

  #of(connectionId: number): OfConnection {
    const known = this.#byConnection.get(connectionId) ?? { orders: new Map() }
    this.#byConnection.set(connectionId, known)
    return known
  }
}
