import assert from 'node:assert/strict'
import { eq, sql } from 'drizzle-orm'
import { makeBot, withBotService } from '../../../test/bots.ts'
import { until } from '../../../test/until.ts'
import { noNote } from '../../accounts/audit-log.ts'
import { bots, reconciliationEvents, reconciliations } from '../../db/schema.ts'
import { Reconciliations } from './reconciliations.ts'

withBotService(
  'a decision about several symbols that fit is refused and names them',
  async (account, service) => {
    const { owner } = await makeBot(service, account)
    const { db } = service.database
    const now = new Date()
    const times = { differsSince: now, knownUntil: now, fundingUntil: now, checkedAt: now }
    const symbols = ['BTC/USDT:USDT', 'BTC/USDT:USDT-261225', 'ETH/USDT:USDT']
    const rows = symbols.map((symbol) => ({
      ...owner,
      symbol,
      status: 'DIFFERS' as const,
      booksSize: '1',
      ...times,
    }))
    await db.insert(reconciliations).values(rows)
    const all = new Reconciliations(service.database)
    const decide = (symbol: string, decision: 'ADOPTED' | 'IGNORED' = 'ADOPTED') =>
      all.decide(owner.userId, owner.botId, symbol, decision, noNote)
    for (const decision of ['ADOPTED', 'IGNORED'] as const) {
      await assert.rejects(decide('btc-usdt', decision), {
        status: 409,
        message: /can mean: BTC\/USDT:USDT, BTC\/USDT:USDT-261225\. Name one of them in full/,
      })
    }
    await assert.rejects(decide('BTC/USDT:USDT-260327'), { status: 409, message: /do not differ now/ })
    await decide('BTC/USDT:USDT-261225')
    await decide('ethusdt')
    const decided = (await db.select().from(reconciliationEvents)).filter(
      ({ botId }) => botId === owner.botId,
    )
    assert.deepEqual(
      decided.map(({ symbol, type }) => `${type} ${symbol}`),
      ['ADOPTED BTC/USDT:USDT-261225', 'ADOPTED ETH/USDT:USDT'],
    )
  },
)

withBotService('a decision waits for a comparison that is being written', async (account, service) => {
  const { owner } = await makeBot(service, account)
  const { db } = service.database
  const now = new Date()
  const times = { differsSince: now, knownUntil: now, fundingUntil: now, checkedAt: now }
  const symbol = 'BTC/USDT:USDT'
  await db.insert(reconciliations).values({ ...owner, symbol, status: 'DIFFERS', booksSize: '1', ...times })
  let decided: Promise<void> | undefined
  await db.transaction(async (tx) => {
    await tx.select().from(bots).where(eq(bots.id, owner.botId)).for('update')
    decided = new Reconciliations(service.database).decide(
      owner.userId,
      owner.botId,
      symbol,
      'ADOPTED',
      noNote,
    )
    await until('the decision to wait', async () => {
      const { rowCount } = (await tx.execute(
        sql`select 1 from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))`,
      )) as { rowCount: number }
      return rowCount > 0
    })
    await tx.update(reconciliations).set({ accountSize: '2' }).where(eq(reconciliations.botId, owner.botId))
  })
  await decided
  const events = await db
    .select()
    .from(reconciliationEvents)
    .where(eq(reconciliationEvents.botId, owner.botId))
  assert.deepEqual(
    events.map(({ type }) => type),
    ['ADOPTED'],
  )
})
