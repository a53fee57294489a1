import { decimal, plain } from '../../../base/decimals.ts'
import type { CcxtAccount, CcxtNumber, CcxtTrade } from '../../../market/live/ccxt-trading.ts'
import { type LogRow, logSince } from './kraken-futures-log.ts'
import { unlessRefused } from './requests.ts'

/** The account log may lag behind the fills. */
const lagMs = 20_000
const rateMs = 3_600_000
const memoryLimit = 10_000

type Fee = NonNullable<CcxtTrade['fee']>
type Rates = Record<string, { maker?: CcxtNumber; taker?: CcxtNumber }>
type Known = { fees: Map<string, Fee>; rates?: Promise<Rates>; ratesMs: number }

const known = new WeakMap<CcxtAccount, Known>()

/**
 * Adds the fees to fills, which lack them. The account log has what was charged. If it does not have a fill even after a
 * while, the fee is calculated with the account's own rate, which Kraken calls an approximation since June 2026.
 * @returns the fills whose fees are known; the others, which are only seconds old, may have theirs soon
 */
export async function withFees(account: CcxtAccount, fills: CcxtTrade[]): Promise<CcxtTrade[]> {
  const { fees } = knownOf(account)
  const isListed = fills.every(({ id = '' }) => fees.has(id)) || (await readFees(account, fills))
  const isYoung = ({ timestamp = 0 }: CcxtTrade) => isListed && timestamp > Date.now() - lagMs
  const withFee = fills.map(async (fill): Promise<CcxtTrade | undefined> => {
    const fee = fees.get(fill.id ?? '')
    if (fee !== undefined) return { ...fill, fee, fees: [] }
    return isYoung(fill) ? undefined : byRate(account, fill)
  })
  return (await Promise.all(withFee)).filter((fill) => fill !== undefined)
}

function knownOf(account: CcxtAccount): Known {
  const found = known.get(account) ?? { fees: new Map(), ratesMs: Number.NEGATIVE_INFINITY }
  known.set(account, found)
  return found
}

/** @returns whether there is a log: the exchange may refuse it, as its demo did */
async function readFees(account: CcxtAccount, fills: CcxtTrade[]): Promise<boolean> {
  const { fees } = knownOf(account)
  const oldest = Math.min(...fills.map(({ timestamp = 0 }) => timestamp))
  const rows = await unlessRefused(logSince(account, oldest - 1_000))
  if (rows === undefined) return false
  const executions = Map.groupBy(
    rows.filter(({ execution }) => execution !== null),
    ({ execution }) => execution as string,
  )
  const settledMs = Date.now() - lagMs
  for (const [id, ofFill] of executions) {
    const fee = feeOf(account, ofFill)
    if (fee !== undefined) fees.set(id, fee)
    // Without a row of money, the account paid with fee credits.
    else if (Date.parse(ofFill[0]?.date ?? '') < settledMs) fees.set(id, { cost: '0', currency: undefined })
  }
  for (const id of fees.keys()) if (fees.size > memoryLimit) fees.delete(id)
  return true
}

function feeOf({ commonCurrencies }: CcxtAccount, rows: LogRow[]): Fee | undefined {
  const paid = rows.filter(({ asset, contract }) => asset !== contract)
  const [first] = paid
  if (first === undefined) return undefined
  const cost = paid.reduce(
    (sum, row) => sum.plus(decimal(row.fee ?? '0')).plus(decimal(row.liquidation_fee ?? '0')),
    decimal('0'),
  )
  const code = first.asset.toUpperCase()
  return { cost: plain(cost), currency: commonCurrencies[code] ?? code }
}

/** Without the account's rates, the fee stays as ccxt calculates it, with the rates of a new account. */
async function byRate(account: CcxtAccount, fill: CcxtTrade): Promise<CcxtTrade> {
  const { symbol = '', amount = '0', price = '0', takerOrMaker } = fill as Classified
  const rates = (await ratesOf(account))[symbol]
  const rate = takerOrMaker === 'maker' ? rates?.maker : rates?.taker
  if (rate === undefined) return fill
  const cost = plain(decimal(amount).times(decimal(price)).times(decimal(rate)))
  return { ...fill, fee: { cost, currency: account.markets[symbol]?.settle }, fees: [] }
}

type Classified = CcxtTrade & { takerOrMaker?: string | undefined }
type WithRates = CcxtAccount & { fetchTradingFees(): Promise<Rates> }

/** The tier of the account, at most an hour old. */
async function ratesOf(account: CcxtAccount): Promise<Rates> {
  const memory = knownOf(account)
  if (memory.rates === undefined || performance.now() - memory.ratesMs > rateMs) {
    memory.ratesMs = performance.now()
    memory.rates = (account as WithRates).fetchTradingFees()
  }
  try {
    return (await unlessRefused(memory.rates)) ?? {}
  } catch (error) {
    memory.ratesMs = Number.NEGATIVE_INFINITY
    throw error
  }
}
