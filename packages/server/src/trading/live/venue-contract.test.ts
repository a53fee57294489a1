import { describe } from 'node:test'
import { liveServices, liveVariants, nameOf, openLive } from '../../../test/live-services.ts'
import { testVenueContract } from '../../../test/venue-contract.ts'

describe('the contract of all venues', { concurrency: 10 }, () => {
  for (const service of [...liveServices, ...liveVariants]) {
    testVenueContract(nameOf(service), async () => {
      const opened = await openLive(service, { absentAfterMs: 100 })
      // Without this, spot fees would reduce the bought size, and the contract could not sell all of it.
      opened.trading.setFee('0')
      return { ...opened, symbol: service.symbol, size: '0.01', tooSmall: '0.0000001' }
    })
  }
})
