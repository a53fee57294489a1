import assert from 'node:assert/strict'
import { makeBot, withBotService } from '../../../test/bots.ts'
import { noNote } from '../../accounts/audit-log.ts'
import { reconciliationEvents, reconciliations } from '../../db/schema.ts'
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
