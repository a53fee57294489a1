/** What live streams are told of protection at the exchange, with a stand-in of it. */
import assert from 'node:assert/strict'
import { withDatabase } from '../../../test/databases.ts'
import { openBench } from '../../../test/reconciliation.ts'
import { until } from '../../../test/until.ts'
import { protectionLegs } from '../../db/schema.ts'
import { noProtection } from '../../trading/protection/settings.ts'

withDatabase('a stop is announced when the database says that it rests at the exchange', async (place) => {
  const database = await place.open()
  const statuses = async () => {
    const legs = await database.db.select().from(protectionLegs)
    return legs.map(({ status }) => status)
  }
  const readings: Promise<string[]>[] = []
  await using bench = await openBench(
    database,
    {
      service: 'futures',
      legs: { change: (legs) => legs },
      onChange: ({ kind }) => {
        if (kind === 'position') readings.push(statuses())
      },
    },
    { protection: { ...noProtection, stop_loss: '2%' } },
  )
  await bench.follow(bench.owner, 'LONG')
  await until('the stop to be announced', async () => readings.length > 0)
  assert.deepEqual(await readings[0], ['OPEN'])
})
