/** What is special about stops at Bitget futures: hedge mode, and unified accounts. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { stopsOf } from '../../../test/exchanges/stops.ts'
import type { AccountMode } from '../../../test/exchanges/trading.ts'
import { buyOf, liveServices, openLive, settled } from '../../../test/live-services.ts'
import { NoSuchMarket } from '../../market/price-source.ts'
import type { LegRequest } from '../protection/leg-venue.ts'

const futures = liveServices.find(({ exchange, service }) => exchange === 'bitget' && service === 'futures')!
const symbol = 'BTC/USDT:USDT'
const stop: LegRequest = {
  ...{ clientId: 'twabcdefgh-s1', symbol, side: 'sell', size: '0.01', price: '59000', sentAt: Date.now() },
}

/** An account with a long of 0.01 BTC. */
async function openLong(mode: Partial<AccountMode>) {
  const opened = await openLive(futures)
  opened.trading.setMode(mode)
  const order = buyOf(symbol)
  await opened.venue.place(order)
  await settled(opened.venue, order)
  return { ...opened, legs: opened.venue.legs!, stops: stopsOf(opened.standIn) }
}

describe('a stop at Bitget futures', { concurrency: 2 }, () => {
  test('names the position in hedge mode, and closes it', async () => {
    await using opened = await openLong({ position: 'hedge' })
    const { legs, stops, standIn, trading } = opened
    assert.equal((await legs.place(stop)).status, 'placed')
    assert.equal(JSON.parse(stops.requests()[0]!).holdSide, 'long')
    standIn.setPrice(symbol, 58_990)
    const found = await legs.lookUp(stop)
    assert.ok(found.status === 'found' && found.leg.state === 'triggered')
    assert.equal(trading.position(symbol), '0')
  })

  test('is not for unified accounts, whose strategy orders could not be followed', async () => {
    await using opened = await openLong({ account: 'unified' })
    const { legs, stops } = opened
    await assert.rejects(legs.priceStep(symbol), NoSuchMarket)
    assert.equal((await legs.place(stop)).status, 'busy')
    assert.deepEqual(stops.requests(), [])
  })
})
