import type { CcxtAccount } from '../../../market/live/ccxt-trading.ts'
import { mostPages } from './lookups.ts'
import { request } from './requests.ts'

/** A row of the account log. `contract` is a market's id in lower case. A trade has a row of money and one of size. */
export type LogRow = {
  id: string
  date: string
  /** The currency, or, in the row of a trade's size, the contract. */
  asset: string
  contract: string | null
  /** The id of the fill. */
  execution: string | null
  fee: string | null
  liquidation_fee: string | null
  realized_funding: string | null
}

/** Kraken allows 100 tokens in ten minutes. 25 rows cost one token, up to 1,000 rows three. */
const pages = { small: 25, large: 1_000 }
const rowLimit = 10_000

const logs = new WeakMap<CcxtAccount, AccountLog>()

/** The rows of the account log since a time, in Unix milliseconds, the oldest first. @throws the errors of ccxt */
export function logSince(account: CcxtAccount, since: number): Promise<LogRow[]> {
  const log = logs.get(account) ?? new AccountLog(account)
  logs.set(account, log)
  return log.since(since)
}

/** Reads each row only once, because the exchange allows few questions. */
class AccountLog {
  #account: CcxtAccount
  #rows: LogRow[] = []
  /** All rows since this time were read. */
  #fromMs = Number.POSITIVE_INFINITY
  #reading: Promise<unknown> = Promise.resolve()

  constructor(account: CcxtAccount) {
    this.#account = account
  }

  since(time: number): Promise<LogRow[]> {
    const rows = this.#reading.then(() => this.#read(time))
    this.#reading = rows.catch(() => undefined)
    return rows
  }

  async #read(since: number): Promise<LogRow[]> {
    if (since < this.#fromMs) await this.#start(since)
    else await this.#continue(pages.small)
    while (this.#rows.length > rowLimit) {
      this.#rows.shift()
      this.#fromMs = timeOf(this.#rows[0] as LogRow)
    }
    return this.#rows.filter((row) => timeOf(row) >= since)
  }

  async #start(since: number): Promise<void> {
    const rows = await this.#page({ since }, pages.large)
    this.#rows = rows
    if (rows.length === pages.large) await this.#continue(pages.large)
    this.#fromMs = since
  }

  async #continue(first: number): Promise<void> {
    for (let page = 0, count = first; page < mostPages; page++, count = pages.large) {
      const last = this.#rows.at(-1)
      const from = last === undefined ? { since: this.#fromMs } : { from: String(BigInt(last.id) + 1n) }
      const rows = await this.#page(from, count)
      this.#rows.push(...rows)
      if (rows.length < count) return
    }
    throw new Error('The account log is too long to read.')
  }

  async #page(from: object, count: number): Promise<LogRow[]> {
    const asked = { ...from, sort: 'asc', count }
    const { logs: rows } = await request<{ logs: LogRow[] }>(this.#account, 'historyGetAccountLog', asked)
    return rows
  }
}

function timeOf({ date }: LogRow): number {
  return Date.parse(date)
}
