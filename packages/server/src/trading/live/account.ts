import type { Config } from '../../config.ts'
import { createExchange } from '../../market/live/ccxt-exchange.ts'
import type { CcxtAccount } from '../../market/live/ccxt-trading.ts'
import type { MarketVenue } from '../../market/price-source.ts'

export type AccountOptions = {
  venue: MarketVenue
  /** By ccxt's names. */
  credentials: Readonly<Record<string, string>>
  endpoints: Config['exchangeEndpoints']
}

/** How long an exchange may take a request to be on its way, in milliseconds, where it can be told. */
export const requestLifeMs = 5_000

/**
 * An account at an exchange, with its markets loaded. Numbers are text. Nothing is ever sent twice.
 * @throws what ccxt throws when the markets cannot be read
 */
export async function openAccount({ venue, credentials, endpoints }: AccountOptions): Promise<CcxtAccount> {
  const account = (await createExchange(venue, endpoints)) as CcxtAccount
  account.number = String
  const { options } = account
  options.maxRetriesOnFailure = 0
  options.recvWindow = requestLifeMs
  // Hyperliquid: no fee for ccxt on top of the exchange's, and nothing sent that nobody asked for.
  options.builderFee = false
  options.refSet = true
  if (account.initializeClient !== undefined) account.initializeClient = async () => true
  if (account.id === 'kraken') queueRequests(account)
  try {
    await account.loadMarkets()
    Object.assign(account, credentials)
    await compareClocks(account)
    return account
  } catch (error) {
    await account.close()
    throw error
  }
}

/**
 * Signed requests carry a time by the exchange's clock. Where it does not tell its time, the machine's has to do.
 */
export async function compareClocks(account: CcxtAccount): Promise<void> {
  if (account.has.fetchTime !== true || account.options.timeDifference === undefined) return
  // Kraken wants numbers that rise with each request, and compares them with no clock.
  if (account.id.startsWith('kraken')) return
  await account.loadTimeDifference().catch(() => undefined)
}

/**
 * Kraken refuses a request whose number is not above that of the last one it got. So they are numbered one by one, and
 * each is sent when the one before is over; otherwise one could overtake another.
 */
function queueRequests(account: CcxtAccount): void {
  const { fetch2 } = account
  let last = 0
  let queue: Promise<unknown> = Promise.resolve()
  account.nonce = () => {
    last = Math.max(last + 1, Date.now())
    return last
  }
  account.fetch2 = (...request) => {
    const answer = queue.then(() => fetch2.apply(account, request))
    queue = answer.catch(() => undefined)
    return answer
  }
}
