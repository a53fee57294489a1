import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { sql } from 'drizzle-orm'
import { lookInto } from '../../test/accounts.ts'
import { makeBot } from '../../test/bot.ts'
import { createEmbeddedDatabase } from '../../test/databases.ts'
import { expect, makeReaction } from '../../test/reaction.ts'
import { startService } from '../../test/service.ts'
import { until } from '../../test/until.ts'

test('a start on the embedded server waits for no lease of an earlier process', async () => {
  await using database = await createEmbeddedDatabase()
  let runs: string
  let signals: string
  {
    // It stores work, and does none.
    await using service = await startService({ database, env: { ROLES: 'api' } })
    const reaction = await makeReaction(service, '$.log(1)')
    await expect(202, reaction.post({}))
    const bot = await makeBot(service)
    await expect(202, bot.send({ side: 'buy', symbol: 'BTCUSDT' }))
    runs = `${reaction.own}/runs`
    signals = `/api/v2/bot/signal/cex/${bot.id}/signals`
  }
  // A process that never counts as dead, so that nobody could take over from it.
  const holder = randomUUID()
  await lookInto(database, async ({ db }) => {
    await db.execute(sql`insert into nodes (id, heartbeat_at) values (${holder}, 'infinity')`)
    for (const table of ['strategy_state', 'bots']) {
      await db.execute(sql`update ${sql.identifier(table)} set holder = ${holder}`)
    }
  })
  await using service = await startService({ database })
  for (const [path, status] of [
    [runs, 'SUCCEEDED'],
    [signals, 'DONE'],
  ] as const) {
    await until(`the work in ${path}`, async () => {
      const answer = await expect(200, service.api('GET', path))
      return (answer.items ?? answer)[0].status === status
    })
  }
})
