import assert from 'node:assert/strict'
import { expect } from '../../test/reaction.ts'
import { withSharedAccount } from '../../test/shared-account.ts'

const path = '/api/v2/strategy/code'
const dayMs = 86_400_000

withSharedAccount('a strategy shows when it runs next, in a list too', async (account) => {
  const own = `${path}/${(await expect(201, account.api('POST', path, { cron_interval: '1D' }))).id}`
  const shown = async () => {
    const { next_run_at, next_run_reason } = await expect(200, account.api('GET', own))
    const [listed] = await expect(200, account.api('GET', path))
    assert.deepEqual([listed.next_run_at, listed.next_run_reason], [next_run_at, next_run_reason])
    return [next_run_at, next_run_reason]
  }
  assert.deepEqual(await shown(), [null, 'inactive'])
  const before = Date.now()
  await expect(200, account.api('PUT', `${own}/status`, { status: 'ACTIVE' }))
  const [at, reason] = await shown()
  assert.equal(reason, null)
  const midnights = [before, Date.now()].map((ms) => (Math.floor(ms / dayMs) + 1) * dayMs)
  assert.ok(midnights.includes(Date.parse(at)), at)

  // A record that was read can be sent back.
  await expect(200, account.api('PUT', own, await expect(200, account.api('GET', own))))
  const market = { cron_interval: 'TICK', exchange_id: 2, price_symbol: 'BTCUSDT' }
  assert.equal((await expect(200, account.api('PUT', own, market))).next_run_reason, 'tick')
  assert.deepEqual(await shown(), [null, 'tick'])
})

withSharedAccount('a reaction, active or not, says that it has no schedule', async (account) => {
  for (const kind of ['code', 'llm']) {
    const reactions = `/api/v2/strategy/reaction/${kind}`
    const made = await expect(201, account.api('POST', reactions, {}))
    assert.deepEqual([made.next_run_at, made.next_run_reason], [null, 'no_schedule'])
  }
})
