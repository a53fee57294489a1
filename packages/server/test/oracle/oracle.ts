/**
 * Calculates what a paper bot must do with a list of signals. It is independent of the service: it follows only the
 * documents, calculates in fractions, and uses no code of `src`. Holdings are signed: a short is negative.
 */

import {
  add,
  compare,
  divide,
  type Fraction,
  fraction,
  multiply,
  negate,
  rounded,
  size,
  smaller,
  stepsOf,
  subtract,
  text,
  zero,
} from './fractions.ts'

export type OracleMarket = {
  service: 'spot' | 'futures'
  sizeStep: string
  minSize: string
  minNotional: string
}

/** `amountUnit: 'base'`: the amount is a size. `sizeUnit`: the same for sizes that open; `null`: the documents say what then. */
export type OracleSettings = {
  amount: string
  amountUnit?: 'quote' | 'base'
  sizeUnit?: 'quote' | 'base' | null
  strictAmount: boolean
  feeRate: string
  slippageRate: string
  startBalance: string
  maxPosition: string | null
  maxDailyLoss: string | null
  cooldownSeconds: number | null
  maxSignalAgeSeconds: number | null
}

/** `at` is the time of sending, `followedAt` the time of following; `prices` are the prices at `followedAt`, by symbol. */
export type OracleSignal = {
  symbol: string
  action: 'LONG' | 'SHORT' | 'EXIT'
  options: { size?: number | string; dilution?: boolean; forceSize?: boolean }
  at: number
  followedAt: number
  prices: Record<string, string>
  /** Moments before it at which the service looked at the daily loss. */
  watched?: { at: number; prices: Record<string, string> }[]
}

export type OracleOrder = {
  symbol: string
  side: 'buy' | 'sell'
  purpose: 'open' | 'close'
  size: string
  status: 'FILLED' | 'REJECTED'
}
export type OracleFill = Omit<OracleOrder, 'purpose' | 'status'> & {
  price: string
  fee: string
  realised: string
}
export type OracleEnd = 'DONE' | 'IGNORED' | 'REFUSED' | 'FAILED'

/** `cost` is the money paid for the holding, with the sign of the holding. */
export type Holding = {
  held: Fraction
  cost: Fraction
  realised: Fraction
  fees: Fraction
  lossAt: number | null
}

export type OracleBooks = {
  ends: OracleEnd[]
  orders: OracleOrder[]
  fills: OracleFill[]
  holdings: Map<string, Holding>
  realisedAt: { at: number; realised: Fraction }[]
  /** When the loss of a day last reached the limit. */
  limitAt: number | null
  /** One point after each fill. It values the filled symbol at the price of the fill, the others at current prices. */
  points: { balance: string; unrealised: string }[]
  /** Money received minus money paid, with fees, over all executions. */
  cash: Fraction
}

type Scene = {
  settings: OracleSettings
  market: OracleMarket
  books: OracleBooks
  signal: OracleSignal
  price: Fraction
}

const one = fraction('1')

/** Follows signals in their order, starting with empty books. */
export function workOut(
  settings: OracleSettings,
  market: OracleMarket,
  signals: readonly OracleSignal[],
): OracleBooks {
  const books: OracleBooks = {
    ends: [],
    orders: [],
    fills: [],
    holdings: new Map(),
    realisedAt: [],
    limitAt: null,
    points: [],
    cash: zero,
  }
  for (const signal of signals) {
    for (const { at, prices } of signal.watched ?? []) watchLoss(settings, books, at, prices)
    const price = fraction(signal.prices[signal.symbol]!)
    books.ends.push(followed({ settings, market, books, signal, price }))
  }
  return books
}

function followed(scene: Scene): OracleEnd {
  const { action } = scene.signal
  const held = holdingOf(scene).held
  const isFlat = compare(closeable(scene, size(held)), zero) === 0
  const direction = isFlat ? 0 : held.over > 0n ? 1 : -1
  if (action === 'EXIT') return isFlat ? 'IGNORED' : closed(scene, effectiveSize(scene))
  const wanted = action === 'LONG' ? 1 : -1
  const mayOpen = wanted === 1 || scene.market.service === 'futures'
  if (direction === wanted) return scene.signal.options.dilution === true ? opened(scene, wanted) : 'IGNORED'
  if (!isFlat) {
    const end = closed(scene, mayOpen ? null : effectiveSize(scene))
    if (end !== 'DONE' || !mayOpen) return end
  }
  return mayOpen ? opened(scene, wanted) : 'REFUSED'
}

/** The size of the signal; `null` if it has none or the bot ignores it. */
function effectiveSize({ settings, signal: { options } }: Scene): Fraction | null {
  if (options.size === undefined || (settings.strictAmount && options.forceSize !== true)) return null
  return fraction(String(options.size))
}

/** How much of `wanted` an order can close: nothing if that is too small for an order. */
function closeable({ market, price }: Scene, wanted: Fraction): Fraction {
  const stepped = stepsOf(wanted, fraction(market.sizeStep))
  const isTooSmall = compare(stepped, fraction(market.minSize)) < 0
  const isTooCheap =
    market.service === 'spot' && compare(multiply(stepped, price), fraction(market.minNotional)) < 0
  return isTooSmall || isTooCheap ? zero : stepped
}

function closed(scene: Scene, part: Fraction | null): OracleEnd {
  const { held } = holdingOf(scene)
  const wanted = part === null ? size(held) : smaller(part, size(held))
  const closing = closeable(scene, wanted)
  if (compare(closing, zero) === 0) return 'REFUSED'
  execute(scene, held.over > 0n ? -1 : 1, closing, 'close')
  return 'DONE'
}

function opened(scene: Scene, direction: 1 | -1): OracleEnd {
  const { market, price } = scene
  const wanted = wantedSize(scene)
  if (wanted === null) return 'REFUSED'
  const opening = stepsOf(wanted, fraction(market.sizeStep))
  if (compare(opening, zero) === 0 || compare(opening, fraction(market.minSize)) < 0) return 'REFUSED'
  if (compare(multiply(opening, price), fraction(market.minNotional)) < 0) return 'REFUSED'
  if (isLimited(scene, direction, opening)) return 'REFUSED'
  if (!isCovered(scene, direction, opening)) {
    scene.books.orders.push(orderOf(scene, direction, opening, 'open', 'REJECTED'))
    return 'FAILED'
  }
  execute(scene, direction, opening, 'open')
  return 'DONE'
}

/** In base currency; `null` if nobody has said what the size of the signal is in. */
function wantedSize(scene: Scene): Fraction | null {
  const { settings, price } = scene
  const { amountUnit = 'quote', sizeUnit = null } = settings
  const asked = effectiveSize(scene)
  if (asked !== null && sizeUnit === null && amountUnit === 'base') return null
  const unit = asked === null ? amountUnit : (sizeUnit ?? 'quote')
  const amount = asked ?? fraction(settings.amount)
  return unit === 'base' ? amount : divide(amount, price)
}

function isLimited(scene: Scene, direction: 1 | -1, opening: Fraction): boolean {
  const { settings, signal, price, books } = scene
  const { held, lossAt } = holdingOf(scene)
  const now = signal.followedAt
  watchLoss(settings, books, now, signal.prices)
  const { maxSignalAgeSeconds: age, cooldownSeconds: cooldown, maxDailyLoss, maxPosition } = settings
  if (age !== null && now - signal.at > age * 1000) return true
  if (cooldown !== null && lossAt !== null && now - lossAt < cooldown * 1000) return true
  if (maxDailyLoss !== null && books.limitAt !== null && books.limitAt >= midnightBefore(now)) return true
  const after = size(add(held, signed(direction, opening)))
  return maxPosition !== null && compare(multiply(after, price), fraction(maxPosition)) > 0
}

const midnightBefore = (at: number) => at - (at % 86_400_000)

/** The loss of a day is what was realised on it, plus what open positions have lost, without the gains of others. */
function watchLoss(
  { maxDailyLoss }: OracleSettings,
  books: OracleBooks,
  now: number,
  prices: Record<string, string>,
): void {
  if (maxDailyLoss === null) return
  const today = books.realisedAt.filter(({ at }) => at >= midnightBefore(now))
  let won = today.reduce((sum, each) => add(sum, each.realised), zero)
  for (const [symbol, { held, cost }] of books.holdings) {
    if (held.over === 0n) continue
    const gain = subtract(multiply(held, fraction(prices[symbol]!)), cost)
    if (compare(gain, zero) < 0) won = add(won, gain)
  }
  if (compare(won, negate(fraction(maxDailyLoss))) <= 0) books.limitAt = now
}

/** Whether the equity minus the value of all positions, longs and shorts alike, covers an opening with its fee. */
function isCovered(scene: Scene, direction: 1 | -1, opening: Fraction): boolean {
  const { settings, signal, books } = scene
  let free = equity(settings, books, signal.prices)
  for (const [symbol, { held }] of books.holdings) {
    if (held.over !== 0n) free = subtract(free, multiply(size(held), fraction(signal.prices[symbol]!)))
  }
  const worth = multiply(opening, executionPrice(scene, direction))
  return compare(multiply(worth, add(one, fraction(settings.feeRate))), free) <= 0
}

export function balance(settings: OracleSettings, { holdings }: OracleBooks): Fraction {
  const realised = [...holdings.values()].map((each) => each.realised)
  return realised.reduce(add, fraction(settings.startBalance))
}

/** The balance plus the profit of closing everything at these prices, before fees. */
export function equity(
  settings: OracleSettings,
  books: OracleBooks,
  prices: Record<string, string>,
): Fraction {
  let sum = balance(settings, books)
  for (const [symbol, { held, cost }] of books.holdings) {
    if (held.over !== 0n) sum = add(sum, subtract(multiply(held, fraction(prices[symbol]!)), cost))
  }
  return sum
}

const signed = (direction: 1 | -1, amount: Fraction) => (direction === 1 ? amount : negate(amount))

function holdingOf({ books, signal: { symbol } }: Scene): Holding {
  return books.holdings.get(symbol) ?? { held: zero, cost: zero, realised: zero, fees: zero, lossAt: null }
}

function executionPrice({ settings, price }: Scene, direction: 1 | -1): Fraction {
  return multiply(price, add(one, signed(direction, fraction(settings.slippageRate))))
}

function orderOf(
  { signal }: Scene,
  direction: 1 | -1,
  amount: Fraction,
  purpose: OracleOrder['purpose'],
  status: OracleOrder['status'],
): OracleOrder {
  return {
    symbol: signal.symbol,
    side: direction === 1 ? 'buy' : 'sell',
    purpose,
    size: text(amount),
    status,
  }
}

function execute(scene: Scene, direction: 1 | -1, amount: Fraction, purpose: OracleOrder['purpose']): void {
  const { settings, books, signal } = scene
  const order = orderOf(scene, direction, amount, purpose, 'FILLED')
  const price = executionPrice(scene, direction)
  const fee = multiply(multiply(amount, price), fraction(settings.feeRate))
  const before = holdingOf(scene)
  const { held, cost, brought } = moved(before, signed(direction, amount), price)
  const realised = subtract(brought, fee)
  const hasClosed = compare(before.held, zero) * direction < 0
  books.orders.push(order)
  const { symbol, side } = order
  books.fills.push({
    symbol,
    side,
    size: order.size,
    price: text(price),
    fee: text(fee),
    realised: text(realised),
  })
  books.realisedAt.push({ at: signal.followedAt, realised })
  books.cash = subtract(books.cash, add(multiply(signed(direction, amount), price), fee))
  books.holdings.set(symbol, {
    held,
    cost,
    realised: add(before.realised, realised),
    fees: add(before.fees, fee),
    lossAt: hasClosed && realised.over < 0n ? signal.followedAt : before.lossAt,
  })
  const total = balance(settings, books)
  const worth = equity(settings, books, { ...signal.prices, [symbol]: text(price) })
  books.points.push({ balance: text(total), unrealised: text(subtract(worth, total)) })
}

/** The holding after an execution, and the gain of the execution over the entry price, before its fee. */
function moved({ held, cost }: Holding, change: Fraction, price: Fraction) {
  const after = add(held, change)
  if (held.over === 0n || held.over > 0n === change.over > 0n) {
    return { held: after, cost: add(cost, multiply(change, price)), brought: zero }
  }
  if (after.over !== 0n && after.over > 0n === held.over > 0n) {
    const rest = rounded(divide(multiply(cost, size(after)), size(held)), 24)
    const brought = subtract(negate(multiply(change, price)), subtract(cost, rest))
    return { held: after, cost: rest, brought }
  }
  return { held: after, cost: multiply(after, price), brought: subtract(multiply(held, price), cost) }
}
