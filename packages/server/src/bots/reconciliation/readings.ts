import type { AccountBalance, AccountPosition, AccountReader } from '../../trading/account.ts'

type Reading<T> = { atMs: number; value: Promise<T> }
type OfConnection = { positions?: Reading<AccountPosition[]>; balances?: Reading<AccountBalance[]> }

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

  #of(connectionId: number): OfConnection {
    const known = this.#byConnection.get(connectionId) ?? {}
    this.#byConnection.set(connectionId, known)
    return known
  }
}
