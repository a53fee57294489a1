/** The rules for orders that a paper bot has instead of those of its market. */
import assert from 'node:assert/strict'
import { makeBot } from '../../test/bot.ts'
import { withDatabase } from '../../test/databases.ts'
import { inBacktest, onPaper, type Step } from '../../test/paper-and-backtest.ts'
import { expect } from '../../test/reaction.ts'
import { withAccount } from '../../test/with-service.ts'

const own = { sizeStep: '0.5', minSize: '1.5', minNotional: '160' }
const costs = { feeRate: '0.0007', slippageRate: '0.0003', spreadRate: '0.0011', amount: '199' }

withDatabase(
  'with the rules of its settings, a paper bot has the books of a backtest with these rules',
  async (database) => {
    const steps: Step[] = [
      { price: '101.3', signal: 'LONG' },
      { price: '97.1', signal: 'SHORT' },
      // 199 buys 1.5 here, worth 199.5, and at 133.9 only 1, which is below the minimum size.
      { price: '133.9', signal: 'LONG' },
      { price: '88.7', signal: 'LONG' },
      // 1.5 is possible, and worth less than the minimum.
      { price: '120', signal: 'SHORT', options: { size: 159, forceSize: true } },
      { price: '104.2', signal: 'EXIT' },
    ]
    const paper = await onPaper(database, { ...costs, ...own }, steps)
    assert.deepEqual(paper, await inBacktest(costs, steps, { rules: own }))
    assert.equal(paper.fills.length, 4)
    const plain = await inBacktest(costs, steps)
    assert.notDeepEqual(paper.fills, plain.fills)
  },
)

withAccount('a paper bot refuses what its own rules do not allow, and previews it', async (client) => {
  const rules = { size_step: '0.5', min_size: '2', min_notional: null }
  const bot = await makeBot(client, { symbol: 'BTC/USDT', amount: '100', ...rules })
  const path = `/api/v2/bot/signal/cex/${bot.id}`
  const shown = await bot.read()
  assert.deepEqual([shown.size_step, shown.min_size, shown.min_notional], ['0.5', '2', null])
  await bot.send({ symbol: 'BTCUSDT', side: 'BUY' })
  const [signal] = await bot.followed(1)
  assert.equal(signal!.status, 'REFUSED')
  assert.match(String(signal!.reason), /minimum order size is 2 BTC|rounds down to 0|below/i)
  const preview = { exchange_id: 3, symbol: 'BTC/USDT', amount: '100', ...rules }
  const { previews } = await expect(200, client.api('POST', '/api/v2/bot/signal/cex/size', preview))
  // The price moves on meanwhile.
  const withoutPrice = (reason: unknown) => String(reason).replace(/price of [\d.,]+/, 'price')
  assert.equal(previews[0].status, 'REFUSED')
  assert.equal(withoutPrice(previews[0].reason), withoutPrice(signal!.reason))
  await expect(200, client.api('PUT', path, { size_step: null, min_size: null }))
  await bot.send({ symbol: 'BTCUSDT', side: 'BUY' })
  assert.equal((await bot.followed(2))[1]!.status, 'DONE')
  const wrong = { size_step: '0', min_size: '-1', min_notional: 'NaN' }
  const { details } = await expect(400, client.api('PUT', path, wrong))
  assert.deepEqual(
    details.map(({ field }: { field: string }) => field),
    ['body.size_step', 'body.min_size', 'body.min_notional'],
  )
})
