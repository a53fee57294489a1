/**
 * Leverage and margin mode of Bitget's classic futures. The shapes are those of the pages "Get Single Account", "Change
 * Leverage" and "Change Margin Mode".
 */
import { type BitgetMarket, failure, marketOf, type Request, success } from './bitget-request.ts'
import type { Reply } from './stand-in.ts'
import type { HeldPosition } from './trading.ts'

export function modes({ book }: Request) {
  return {
    marginMode: book.mode.margin === 'isolated' ? 'isolated' : 'crossed',
    posMode: book.mode.position === 'hedge' ? 'hedge_mode' : 'one_way_mode',
  }
}

/** With isolated margin, each side has its own. */
export function leverages({ book }: Request, { symbol }: BitgetMarket) {
  return {
    crossedMarginLeverage: Number(book.leverageOf(symbol)),
    isolatedLongLever: Number(book.leverageOf(`${symbol} long`)),
    isolatedShortLever: Number(book.leverageOf(`${symbol} short`)),
  }
}

/** As on the page "Change Leverage": with isolated margin in hedge mode, it names the side. */
export function setLeverage(request: Request, product: string): Reply {
  const { sent, clock, book } = request
  const { leverage = '', holdSide } = sent
  const market = marketOf(request, product)
  const isOfSide = book.mode.margin === 'isolated' && book.mode.position === 'hedge'
  if (market === undefined || isOfSide !== (holdSide === 'long' || holdSide === 'short'))
    return failure(clock, '40034', 'Parameter does not exist')
  if (!(Number(leverage) >= 1 && Number(leverage) <= 125))
    return failure(clock, '40797', 'Exceeded the maximum settable leverage')
  const sides = isOfSide ? [` ${holdSide}`] : book.mode.margin === 'isolated' ? [' long', ' short'] : ['']
  for (const side of sides) book.setLeverage(`${market.symbol}${side}`, leverage)
  return success(clock, {
    symbol: market.id,
    marginCoin: market.quote,
    marginMode: modes(request).marginMode,
  })
}

/** The leverage of an open position, as text. */
export function leverageHeld(
  { book }: Request,
  { symbol }: BitgetMarket,
  side: HeldPosition['side'],
): string {
  return book.leverageOf(book.mode.margin === 'isolated' ? `${symbol} ${side}` : symbol)
}

/**
 * An order sets the margin mode of its symbol. With an open position that is refused with 45117, as users report in
 * https://github.com/CryptoRobotFr/Live-Tools-V2/issues/2.
 */
export function adjustMargin({ sent, clock, book }: Request, { symbol }: BitgetMarket): Reply | undefined {
  const { marginMode } = sent
  if (marginMode !== 'isolated' && marginMode !== 'crossed')
    return failure(clock, '40019', 'Parameter marginMode cannot be empty')
  const wanted = marginMode === 'isolated' ? 'isolated' : 'cross'
  if (wanted === book.mode.margin) return undefined
  if (book.positions().some((held) => held.symbol === symbol)) {
    return failure(
      clock,
      '45117',
      'Currently holding positions or orders, the margin mode cannot be adjusted',
    )
  }
  book.setMargin(wanted)
  return undefined
}
