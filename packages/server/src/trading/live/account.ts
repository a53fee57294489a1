import type { Config } from '../../config.ts'
import { createExchange } from '../../market/live/ccxt-exchange.ts'
import type { CcxtAccount } from '../../market/live/ccxt-trading.ts'
import type { MarketVenue } from '../../market/price-source.ts'
import { dialectOf } from './dialects/index.ts'
import { requestLifeMs } from './request-life.ts'

export type AccountOptions = {
  venue: MarketVenue
  /** By ccxt's names. */
  credentials: Readonly<Record<string, string>>
  endpoints: Config['exchangeEndpoints']
  /** Whether the account is of the exchange's demo or testnet. */
  isDemo?: boolean
}

/**
 * Opens an account at an exchange, with its markets loaded. All numbers are text. ccxt does not retry requests.
 * @throws the error of ccxt if the markets cannot be read
 */
export async function openAccount({
  venue,
  credentials,
  endpoints,
  isDemo = false,
}: AccountOptions): Promise<CcxtAccount> {
  const account = (await createExchange(venue, endpoints)) as CcxtAccount
  account.number = String
  const dialect = dialectOf(account.id)
  dialect?.adjust?.(account)
  if (isDemo) dialect?.useDemo?.(account)
  const { options } = account
  options.maxRetriesOnFailure = 0
  options.recvWindow = requestLifeMs
  // Hyperliquid: ccxt would add a fee for itself, and would send requests of its own.
  options.builderFee = false
  options.refSet = true
  if (account.initializeClient !== undefined) account.initializeClient = async () => true
  if (account.id === 'kraken') queueRequests(account)
  try {
    await account.loadMarkets()
    keepNumbersAsText(account)
    Object.assign(account, credentials)
    await compareClocks(account)
    return account
  } catch (error) {
    await account.close()
    throw error
  }
}

type Written = { source?: string }
type Parsing = CcxtAccount & { parseJson(text: string): unknown }

/** A list of markets, whose numbers ccxt makes text by itself, may be longer. */
const answerLimit = 1_000_000

/** Makes each number in an answer text, as the exchange wrote it. ccxt does so only if an answer has a very large one. */
function keepNumbersAsText(account: CcxtAccount): void {
  const exchange = account as Parsing
  const { parseJson } = exchange
  const asWritten = (_: string, value: unknown, { source }: Written) =>
    typeof value === 'number' ? source : value
  exchange.parseJson = (text) => {
    const parsed = parseJson.call(exchange, text)
    if (parsed === undefined || text.length > answerLimit) return parsed
    return JSON.parse(text, asWritten as Parameters<typeof JSON.parse>[1])
  }
}

/** Signed requests carry the exchange's time. If the exchange does not give its time, they carry the machine's. */
export async function compareClocks(account: CcxtAccount): Promise<void> {
  if (account.has.fetchTime !== true || account.options.timeDifference === undefined) return
  // Kraken wants a number that rises with each request, and does not compare it with a clock.
  if (account.id.startsWith('kraken')) return
  await account.loadTimeDifference().catch(() => undefined)
}

/**
 * Kraken refuses a request whose number is not above that of the last request it received. So requests get rising
 * numbers, and each is sent after the previous one has ended. Otherwise, one could overtake another.
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
