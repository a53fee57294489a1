/**
 * Compares the books of a bot with its account, for one symbol. It only calculates: the caller reads the account, and
 * writes what the result says.
 *
 * Sizes are in base currency and signed: negative for a short. The account's position consists of three parts:
 *
 *     account = books + ignored part + difference
 *
 * The books agree with the account if the difference is zero. A trade that is not the bot's changes the account first,
 * so it explains a difference of its size.
 */
import { type Decimal, decimal, least, plain, zero } from '../base/decimals.ts'
import type { AccountTrade } from './account.ts'
import type { Execution, Side } from './types.ts'

/** A trade, or a part of one, that the books count although it is of no order of the bot. */
export type OutsideExecution = Execution & { side: Side; kind: 'external' | 'liquidation' | 'adl' }

/**
 * `agrees`: nothing has to be booked. `explained`: the books agree after the executions are booked. `unrelated`: the
 * books agree, but there are trades that changed nothing. `differs`: the books do not agree, with or without the trades.
 */
export type Comparison = {
  verdict: 'agrees' | 'explained' | 'unrelated' | 'differs'
  /** What to book if the verdict is `explained`. */
  executions: OutsideExecution[]
  /** The ignored part after that. */
  ignoredSize: string
  /** How much of the account is neither in the books nor ignored, before anything is booked. Signed. */
  difference: string
}

/** The trades that are of no order of the account's bots, and in no books yet. */
export function outsideTrades(
  trades: readonly AccountTrade[],
  known: { orderIds: ReadonlySet<string>; tradeIds: ReadonlySet<string> },
): AccountTrade[] {
  return trades.filter(
    ({ exchangeOrderId, tradeId }) =>
      !known.tradeIds.has(tradeId) && (exchangeOrderId === null || !known.orderIds.has(exchangeOrderId)),
  )
}

export type FuturesSizes = {
  booksSize: string
  ignoredSize: string
  accountSize: string
  /** Trades that are not the bot's, the oldest first. */
  outside: readonly AccountTrade[]
  /** A difference below the step cannot be traded, so it does not count. */
  sizeStep: string
}

/**
 * A trade that reduces the ignored part reduces that first. A trade that enlarges the ignored part, and does not reduce
 * the bot's position, is the owner's, too. The books count all others.
 */
export function compareFutures({
  booksSize,
  ignoredSize,
  accountSize,
  outside,
  sizeStep,
}: FuturesSizes): Comparison {
  const account = decimal(accountSize, 'account size')
  const before = decimal(booksSize, 'books size').plus(decimal(ignoredSize, 'ignored size'))
  const difference = account.minus(before)
  const isSame = (size: Decimal) => isBelowStep(account.minus(size), sizeStep)
  const result = { executions: [], ignoredSize, difference: plain(difference) }
  if (outside.length === 0) return { ...result, verdict: isSame(before) ? 'agrees' : 'differs' }
  let books = decimal(booksSize)
  let ignored = decimal(ignoredSize)
  const executions: OutsideExecution[] = []
  for (const trade of outside) {
    const size = signed(trade)
    const own = size.minus(partOfIgnored(size, ignored, books))
    ignored = ignored.plus(size.minus(own))
    books = books.plus(own)
    if (!own.eq('0')) executions.push(partOf(trade, own.abs()))
  }
  if (isSame(books.plus(ignored))) {
    return { ...result, verdict: 'explained', executions, ignoredSize: plain(ignored) }
  }
  return { ...result, verdict: isSame(before) ? 'unrelated' : 'differs' }
}

function partOfIgnored(size: Decimal, ignored: Decimal, books: Decimal): Decimal {
  if (ignored.eq('0')) return zero
  if (size.s !== ignored.s) {
    const part = least(size.abs(), ignored.abs())
    return size.s < 0 ? part.neg() : part
  }
  const reducesBooks = !books.eq('0') && books.s !== size.s
  return reducesBooks ? zero : size
}

export type SpotSizes = {
  /** The bot whose books are compared. */
  botId: number
  /** What each bot of the account holds of the asset through this symbol, this bot included. */
  holdings: readonly { botId: number; size: string }[]
  /** What the bots of the account hold of the asset through other symbols. */
  elsewhere: string
  /** What the account has of the asset, including what open orders reserve. */
  total: string
  /** Trades of the symbol that are not the bots', the oldest first, without the parts that other bots have booked. */
  outside: readonly AccountTrade[]
  sizeStep: string
}

/**
 * On spot, an account may hold more than the books: the rest is the owner's. If it holds less, sales that are not the
 * bots' explain as much as they sold. The bot with the largest holding books first.
 */
export function compareSpot(sizes: SpotSizes): Comparison {
  const { botId, holdings, elsewhere, total, outside, sizeStep } = sizes
  const held = holdings.reduce((sum, { size }) => sum.plus(decimal(size)), decimal(elsewhere))
  const shortfall = held.minus(decimal(total, 'total'))
  const result = { executions: [], ignoredSize: '0', difference: plain(shortfall.neg()) }
  const isEnough = shortfall.lte('0') || isBelowStep(shortfall, sizeStep)
  if (isEnough) return { ...result, verdict: outside.length === 0 ? 'agrees' : 'unrelated' }
  const sold = outside.filter(({ side }) => side === 'sell')
  const available = sold.reduce((sum, trade) => sum.plus(trade.size), zero)
  if (!isBelowStep(shortfall.minus(least(shortfall, available)), sizeStep)) {
    return { ...result, verdict: 'differs' }
  }
  // Sales of the owner's own coins need no booking.
  const { start, share } = shareOf(botId, holdings, least(shortfall, available))
  return { ...result, verdict: 'explained', executions: slice(sold, start, share) }
}

/** Which part of the sold size is the bot's: `share` after the first `start`. */
function shareOf(botId: number, holdings: SpotSizes['holdings'], sold: Decimal) {
  const ordered = holdings.toSorted((a, b) => decimal(b.size).cmp(decimal(a.size)) || a.botId - b.botId)
  let start = zero
  for (const holding of ordered) {
    const share = least(decimal(holding.size), sold.minus(start))
    if (holding.botId === botId) return { start, share }
    start = start.plus(share)
  }
  return { start, share: zero }
}

/** The executions of `size` after the first `start`, in the order of the trades. */
function slice(trades: readonly AccountTrade[], start: Decimal, size: Decimal): OutsideExecution[] {
  const executions: OutsideExecution[] = []
  let skip = start
  let left = size
  for (const trade of trades) {
    const skipped = least(skip, decimal(trade.size))
    skip = skip.minus(skipped)
    const part = least(decimal(trade.size).minus(skipped), left)
    if (!part.gt('0')) continue
    left = left.minus(part)
    executions.push(partOf(trade, part))
  }
  return executions
}

/** A trade, or a part of it with its share of the fee. */
export function partOf(trade: AccountTrade, size: Decimal): OutsideExecution {
  const { tradeId, price, fee, feeAsset, filledAt, side, kind } = trade
  const whole = decimal(trade.size)
  const share = size.eq(whole) ? decimal(fee) : decimal(fee).times(size).div(whole).round(feeDecimals)
  return {
    ...{ tradeId, price, feeAsset, filledAt, side },
    size: plain(size),
    fee: plain(share),
    kind: kind === 'order' ? 'external' : kind,
  }
}

const feeDecimals = 18

function signed({ side, size }: AccountTrade): Decimal {
  const value = decimal(size, 'size')
  return side === 'buy' ? value : value.neg()
}

function isBelowStep(difference: Decimal, sizeStep: string): boolean {
  return difference.eq('0') || difference.abs().lt(decimal(sizeStep, 'size step'))
}
