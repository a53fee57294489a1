import { describe } from 'node:test'
import { liveServices, nameOf, openLive } from '../../../test/live-services.ts'
import { testVenueContract } from '../../../test/venue-contract.ts'

describe('what all venues hold', { concurrency: 10 }, () => {
  for (const service of liveServices) {
    testVenueContract(nameOf(service), async () => {
      const opened = await openLive(service, { absentAfterMs: 100 })
      // What is bought is then what can be sold: fees of spot are mostly taken from it.
      opened.trading.setFee('0')
      return { ...opened, symbol: service.symbol, size: '0.01', tooSmall: '0.0000001' }
    })
  }
})
