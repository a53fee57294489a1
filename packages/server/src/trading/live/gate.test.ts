import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buyOf as buy, liveServices, openLive } from '../../../test/live-services.ts'
import { checkCredentials } from './credentials.ts'

const spot = liveServices.find(({ exchange, service }) => exchange === 'gate' && service === 'spot')!
const futures = liveServices.find(({ exchange, service }) => exchange === 'gate' && service === 'futures')!
/** More than Gate accepts as a difference between two clocks. */
const skewMs = 120_000

for (const service of [spot, futures]) {
  test(`${service.service}: REQUEST_EXPIRED says that the clocks differ: they are compared, and the order is sent again`, async () => {
    await using opened = await openLive(service)
    const { venue, standIn, trading } = opened
    await venue.rules(service.symbol)
    standIn.skewClock(skewMs)
    const refused = await venue.place(buy(service.symbol))
    assert.ok(refused.status === 'busy', JSON.stringify(refused))
    assert.match(refused.reason, /clock/)
    assert.equal((await venue.place(buy(service.symbol))).status, 'placed')
    assert.equal(trading.orders().length, 1)
    standIn.skewClock(-skewMs)
    assert.equal((await venue.lookUp(buy(service.symbol))).status, 'unknown')
    assert.equal((await venue.lookUp(buy(service.symbol))).status, 'found')
    standIn.skewClock(0)
    await assert.rejects(venue.account.balances(), /did not say/)
    assert.ok((await venue.account.balances()).length > 0)
  })

  test(`${service.service}: credentials are not called wrong if only the clocks differ`, async () => {
    await using opened = await openLive(service)
    const { standIn, trading } = opened
    standIn.skewClock(skewMs)
    standIn.failRest({ status: 404, body: '{}' }, /\/time$/)
    const check = await checkCredentials({
      venue: { exchange: 'gate', service: service.service },
      credentials: trading.credentials,
      endpoints: { gate: standIn.endpoints },
    })
    assert.ok(!check.ok)
    assert.match(check.reason, /clock/)
  })
}
