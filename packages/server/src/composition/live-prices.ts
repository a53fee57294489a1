import { AppError } from '../base/errors.ts'
import type { FollowPrice } from '../live/prices.ts'
import type { Parts } from './parts.ts'

/** Prices for live streams: a symbol is watched once, however many streams show it. */
export function livePrices({ feed, catalogue }: Parts['market']): FollowPrice {
  return ({ exchangeId, symbol }, onPrice) => {
    const venue = catalogue.find(exchangeId)
    if (venue === undefined || !venue.enabled) {
      const message = `names exchange ${exchangeId}, which ${venue === undefined ? 'does not exist' : 'is not enabled on this installation'}`
      throw new AppError('request_invalid', `Invalid request: querystring.symbols ${message}.`, {
        details: [{ field: 'querystring.symbols', message }],
      })
    }
    let hasEnded = false
    const unfollow = feed.follow(venue, symbol, onPrice)
    // It never rejects.
    void feed.price(venue, symbol).then((answer) => {
      if (!hasEnded) onPrice('quote' in answer ? answer.quote : { reason: answer.reason })
    })
    return () => {
      hasEnded = true
      unfollow()
    }
  }
}
