/** The list of runs across strategies, through the whole service. */
import assert from 'node:assert/strict'
import type { Client } from '../../test/client.ts'
import { expect, makeReaction, strategyAt } from '../../test/reaction.ts'
import { withSharedAccount } from '../../test/shared-account.ts'

type Listed = { id: number; strategy_id: number }

const path = '/api/v2/run'
const list = (client: Client, query = ''): Promise<Listed[]> =>
  expect(200, client.api('GET', `${path}?${query}`))
const idsOf = (runs: Listed[]) => runs.map(({ id }) => id)

const failing = `
const { n, text } = JSON.parse($.Request.data)
$.log('payload', n)
if (n % 2 === 1) throw new Error('odd ' + n)`

/** Two reactions on two webhooks, with six runs of the first and four of the second, newest first. */
async function fill(client: Client) {
  const first = await makeReaction(client, failing)
  const second = await makeReaction(client, failing)
  for (let n = 0; n < 4; n++) {
    await expect(202, first.post({ n }))
    await expect(202, second.post({ n: n * 10, text: `50%_off\\path ${n}` }))
  }
  await expect(202, first.post({ n: 4 }))
  await expect(202, first.post({ n: 5, text: 'ÄRGER' }))
  const runs = [...(await first.ended(6)), ...(await second.ended(4))].sort((a, b) => b.id - a.id)
  return { first, second, runs }
}

withSharedAccount(
  'runs of all strategies are listed newest first, as their own lists have them',
  async (client) => {
    const { first, second, runs } = await fill(client)
    assert.deepEqual(await list(client), runs)
    const page = await expect(200, client.api('GET', `${path}?limit=3`))
    assert.deepEqual(page, {
      ...{ items: runs.slice(0, 3), total: 10 },
      ...{ page: 1, limit: 3 },
    })
    const read: Listed[] = []
    for (let next = runs[0].id + 1; next !== null; ) {
      const part = await expect(200, client.api('GET', `${path}?limit=3&before=${next}`))
      read.push(...part.items)
      next = part.next
    }
    assert.deepEqual(read, runs)
    const newer = await expect(200, client.api('GET', `${path}?limit=3&after=${runs[5].id}`))
    assert.deepEqual([newer.items, newer.next], [runs.slice(2, 5), runs[2].id])
    assert.deepEqual(
      idsOf(await list(client, `strategy_id=${first.id}`)),
      idsOf(await first.runs()).reverse(),
    )
    assert.equal((await list(client, `webhook_id=${second.webhookId}`)).length, 4)
    assert.deepEqual(await list(client, `webhook_id=${second.webhookId}&strategy_id=${first.id}`), [])
  },
)

withSharedAccount('runs are found by status, trigger, time and text', async (client) => {
  const { second, runs } = await fill(client)
  const count = async (query: string) => (await list(client, query)).length
  assert.deepEqual([await count('status=FAILED'), await count('status=SUCCEEDED')], [3, 7])
  assert.deepEqual([await count('status=QUEUED'), await count('status=RUNNING')], [0, 0])
  assert.deepEqual([await count('trigger=webhook'), await count('trigger=tick')], [10, 0])
  await expect(202, client.api('POST', `/api/v2/delivery/${runs[0].delivery_id}/replay`))
  assert.equal(await count('trigger=replay'), 1)

  const middle = runs[5].queued_at
  const from = runs.filter(({ queued_at: at }) => at >= middle)
  const upTo = runs.filter(({ queued_at: at }) => at <= middle)
  assert.deepEqual(idsOf(await list(client, `trigger=webhook&since=${middle}`)), idsOf(from))
  assert.deepEqual(idsOf(await list(client, `until=${middle}`)), idsOf(upTo))
  assert.ok((await count(`since=${middle}&until=${middle}`)) >= 1)
  assert.equal(await count('trigger=webhook&since=1970-01-01T00:00:00Z&until=2100-01-01T00:00:00Z'), 10)
  assert.equal(await count('since=2100-01-01T00:00:00Z'), 0)
  assert.equal(await count('until=1970-01-01T00:00:00Z'), 0)

  const found = (text: string) => count(`strategy_id=${second.id}&q=${encodeURIComponent(text)}`)
  assert.equal(await found('PAYLOAD'), 4, 'the log')
  assert.equal(await found('50%_off\\\\path 3'), 1, 'the payload, as its JSON has it')
  assert.equal(await found('%'), 4)
  assert.equal(await found('_off'), 4)
  assert.deepEqual([await found('5_%'), await found('.*'), await found('\\\\\\')], [0, 0, 0])
  assert.equal(await count('q=odd%203'), 1, 'the error')
  assert.equal(await count('trigger=webhook&q=%C3%A4rger'), 1, 'letters beyond ASCII')
  assert.equal(await count('q=%ED%A0%80'), 0, 'half a character')
})

withSharedAccount(
  'a strategy with a schedule is in the list, and in no search for a webhook',
  async (client) => {
    const code = '/api/v2/strategy/code'
    const { id } = await expect(201, client.api('POST', code, { code: '$.log(1)', cron_interval: '10S' }))
    const strategy = strategyAt(client, code, id)
    await strategy.setStatus('ACTIVE')
    const [run] = await strategy.ended(1)
    assert.ok(idsOf(await list(client, 'trigger=schedule')).includes(run.id))
    assert.deepEqual(await list(client, 'trigger=webhook'), [])
  },
)

withSharedAccount('nobody sees the runs of another user, whatever they ask for', async (client, service) => {
  const { first, runs } = await fill(client)
  const id = runs[0].id
  for (const query of ['', `strategy_id=${first.id}`, `webhook_id=${first.webhookId}`, `before=${id + 1}`]) {
    const answers = await expect(200, service.api('GET', `${path}?limit=200&q=odd&${query}`))
    assert.ok(!idsOf(answers.items).includes(id), query)
  }
  const absent = await expect(200, service.api('GET', `${path}?strategy_id=9007199254740991&limit=1`))
  const theirs = await expect(200, service.api('GET', `${path}?strategy_id=${first.id}&limit=1`))
  assert.deepEqual(theirs, absent)
})

withSharedAccount(
  'a request that makes no sense is refused with the field and the reason',
  async (client) => {
    for (const [query, field] of [
      ['since=2026-02-01T00:00:00Z&until=2026-01-01T00:00:00Z', 'since'],
      ['since=2026-12-31T23:59:60Z', 'since'],
      ['until=yesterday', 'until'],
      ['page=1&before=3', 'page'],
      ['before=3&after=3', 'before'],
      ['page=201&limit=50', 'page'],
      ['before=0', 'before'],
      ['after=x', 'after'],
      ['status=SOLD', 'status'],
      ['trigger=click', 'trigger'],
      ['q=', 'q'],
      ['q=a%00b', 'q'],
      [`q=${'x'.repeat(10_240)}`, 'q'],
      ['bot_id=1', 'bot_id'],
    ] as const) {
      const { details } = await expect(400, client.api('GET', `${path}?${query}`))
      assert.equal(details[0].field, `querystring.${field}`, query)
    }
  },
)
