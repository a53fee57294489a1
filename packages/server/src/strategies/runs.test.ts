import assert from 'node:assert/strict'
import { lastingFor } from '../../../sandbox/test/busy.ts'
import { expect, makeReaction } from '../../test/reaction.ts'
import { until } from '../../test/until.ts'
import { withAccount } from '../../test/with-service.ts'

const appendNumber = `
const { n } = JSON.parse($.Request.data)
const stored = (await $.Storage.get()) ?? []
await $.Storage.set([...stored, n])`

withAccount(
  'a hundred payloads for one reaction run in the order in which they were accepted',
  async (service) => {
    const reaction = await makeReaction(service, appendNumber)
    const answers = await Promise.all(Array.from({ length: 100 }, (_, n) => reaction.post({ n })))
    for (const { status } of answers) assert.equal(status, 202)
    const runs = await reaction.ended(100)
    assert.deepEqual(new Set(runs.map((run) => run.status)), new Set(['SUCCEEDED']))
    const accepted = answers.map(({ body }, n) => ({ id: body.id as number, n })).sort((a, b) => a.id - b.id)
    assert.deepEqual(
      (await reaction.read()).storage,
      accepted.map(({ n }) => n),
    )
    assert.deepEqual(
      runs.map((run) => run.delivery_id),
      accepted.map(({ id }) => id),
    )
  },
)

withAccount(
  'a burst that arrives while a node claims the reaction runs each payload once',
  async (service) => {
    const reactions = await Promise.all(Array.from({ length: 20 }, () => makeReaction(service, appendNumber)))
    const posts = 40
    await Promise.all(
      reactions.map((reaction) => Promise.all(Array.from({ length: posts }, (_, n) => reaction.post({ n })))),
    )
    for (const reaction of reactions) {
      await reaction.ended(posts)
      const { storage } = await reaction.read()
      assert.deepEqual(
        storage.toSorted((a: number, b: number) => a - b),
        Array.from({ length: posts }, (_, n) => n),
      )
    }
  },
)

withAccount(
  'two runs of one reaction never overlap, and other reactions do not wait for them',
  async (service) => {
    const slow = await makeReaction(service, lastingFor(150))
    const quick = await makeReaction(service, '$.log("quick")')
    await Promise.all([...Array.from({ length: 6 }, () => slow.post({})), quick.post({})])
    const [quickRun] = await quick.ended(1)
    const runs = await slow.ended(6)
    for (const [index, run] of runs.entries()) {
      const next = runs[index + 1]
      if (next !== undefined)
        assert.ok(run.finished_at <= next.started_at, `${run.finished_at} > ${next.started_at}`)
    }
    assert.ok(quickRun.finished_at < runs.at(-1).finished_at)
  },
)

withAccount('an accepted action is one signal, and the last trigger changes with it', async (service) => {
  const code = `
    const { action, id } = JSON.parse($.Request.data)
    const before = $.Strategy.lastTrigger
    const result = await $.Strategy.action(action, { id, size: 2.5, dilution: true })
    await $.Storage.set({ before, result })`
  const reaction = await makeReaction(service, code, { symbol: 'BTCUSDT, ETHUSDT' })
  await reaction.post({ action: 'LONG', id: 'first' })
  await reaction.post({ action: 'EXIT', id: 'second' })
  const runs = await reaction.ended(2)
  assert.deepEqual(
    runs.map((run) => run.status),
    ['SUCCEEDED', 'SUCCEEDED'],
  )
  const signals = (
    await expect(200, service.api('GET', `/api/v2/signal?strategy_id=${reaction.id}`))
  ).toReversed()
  assert.equal(signals.length, 2)
  const [long, exit] = signals
  for (const { duration_ms: ms } of runs) assert.match(`${ms}`, /^\d+(\.\d\d?)?$/)
  assert.deepEqual(
    { ...long, id: 0, created_at: '' },
    {
      id: 0,
      strategy_id: reaction.id,
      run_id: runs[0].id,
      webhook_id: null,
      sender: 'owner',
      delivery_id: null,
      origin: null,
      bots: [],
      bots_total: 0,
      flag: null,
      flags: [],
      action: 'LONG',
      symbols: ['BTCUSDT', 'ETHUSDT'],
      price: null,
      options: { id: 'first', size: 2.5, dilution: true },
      delivered: false,
      reason: 'The strategy has no bot webhook: its webhook_id is null.',
      created_at: '',
    },
  )
  assert.deepEqual(
    runs.map((run) => run.signal_id),
    [long.id, exit.id],
  )
  const { storage, last_trigger: lastTrigger } = await reaction.read()
  const longAtMs = Date.parse(long.created_at)
  const exitAtMs = Date.parse(exit.created_at)
  assert.deepEqual(storage.before, { action: 'LONG', price: null, at: longAtMs })
  assert.deepEqual(storage.result, {
    id: exit.id,
    action: 'EXIT',
    symbols: ['BTCUSDT', 'ETHUSDT'],
    price: null,
    at: exitAtMs,
    delivered: false,
  })
  assert.deepEqual(lastTrigger, { action: 'EXIT', price: null, at: exit.created_at })
})

withAccount('an action and the stored value stand if the run throws afterwards', async (service) => {
  const reaction = await makeReaction(
    service,
    `await $.Storage.set('kept')\nawait $.Strategy.action('LONG')\nthrow new RangeError('too late')`,
  )
  await reaction.post({})
  const [run] = await reaction.ended(1)
  assert.equal(run.status, 'FAILED')
  assert.deepEqual(run.error, { name: 'RangeError', message: 'too late', line: 3, column: 7 })
  assert.equal(typeof run.signal_id, 'number')
  const after = await reaction.read()
  assert.equal(after.last_trigger.action, 'LONG')
  assert.equal(after.storage, 'kept')
  assert.equal(after.status, 'ACTIVE')
})

withAccount(
  'a violation is recorded with its rule and numbers, and suspends for longer each time',
  async (service) => {
    const reaction = await makeReaction(
      service,
      `await $.Strategy.action('LONG').catch(() => {})
try { await $.Strategy.action('EXIT') } catch {}`,
    )
    const own = `/api/v2/strategy/reaction/code/${reaction.id}`
    for (const [index, minutes] of [5, 15, 60].entries()) {
      await reaction.post({})
      const runs = await reaction.ended(index + 1)
      const run = runs[index]
      assert.equal(run.status, 'VIOLATION')
      assert.deepEqual(run.violation, { rule: 'actions_per_run', limit: 1, actual: 2 })
      const suspended = await reaction.read()
      assert.equal(suspended.status, 'SUSPENDED')
      assert.deepEqual(suspended.suspension_reason, { run_id: run.id, ...run.violation })
      const lastsMs = Date.parse(suspended.suspended_until) - Date.parse(run.finished_at)
      assert.equal(Math.round(lastsMs / 1000), minutes * 60)
      const ignored = await expect(202, reaction.post({}))
      assert.equal(ignored.reactions, 0)
      await expect(200, service.api('PUT', `${own}/status`, { status: 'ACTIVE' }))
      assert.equal((await reaction.read()).status, 'ACTIVE')
    }
    const signals = await expect(200, service.api('GET', `/api/v2/signal?strategy_id=${reaction.id}`))
    assert.deepEqual(
      signals.map((signal: { action: string }) => signal.action),
      ['LONG', 'LONG', 'LONG'],
    )
  },
)

withAccount('EXIT after EXIT is a violation and sends nothing', async (service) => {
  const reaction = await makeReaction(service, `await $.Strategy.action('EXIT')`)
  await reaction.post({})
  await reaction.post({})
  const [first, second] = await reaction.ended(2)
  assert.equal(first.status, 'SUCCEEDED')
  assert.deepEqual(second.violation, { rule: 'consecutive_exit', limit: 1, actual: 2 })
  assert.equal(second.signal_id, null)
})

withAccount('queued runs end as skipped when their reaction is deactivated', async (service) => {
  const reaction = await makeReaction(service, lastingFor(300))
  await Promise.all(Array.from({ length: 30 }, () => reaction.post({})))
  await until('the first run to be under way', async () =>
    (await reaction.runs()).some((run) => run.status === 'RUNNING'),
  )
  const own = `/api/v2/strategy/reaction/code/${reaction.id}`
  await expect(200, service.api('PUT', `${own}/status`, { status: 'INACTIVE' }))
  const runs = await reaction.ended(30)
  assert.equal(runs[0].status, 'SUCCEEDED')
  assert.equal(runs[29].status, 'SKIPPED')
  assert.match(runs[29].error.message, /not active/)
})

withAccount('$.Strategy.stop lets this run end normally, and no other starts', async (service) => {
  const reaction = await makeReaction(service, `$.log(await $.Strategy.stop()); await $.Storage.set('after')`)
  await reaction.post({})
  const [run] = await reaction.ended(1)
  assert.equal(run.status, 'SUCCEEDED')
  assert.equal(run.log, 'true\n')
  const after = await reaction.read()
  assert.equal(after.status, 'INACTIVE')
  assert.equal(after.storage, 'after')
  assert.equal((await expect(202, reaction.post({}))).reactions, 0)
})

withAccount('changed code is what the next run executes', async (service) => {
  const reaction = await makeReaction(service, `$.log('old')`)
  const own = `/api/v2/strategy/reaction/code/${reaction.id}`
  for (let n = 1; n <= 5; n++) {
    await expect(200, service.api('PUT', own, { code: `$.log('version ${n}')` }))
    await reaction.post({})
    const runs = await reaction.ended(n)
    assert.equal(runs[n - 1].log, `version ${n}\n`)
  }
})

withAccount(
  'a reset deletes the last trigger and the stored value, even between queued runs',
  async (service) => {
    const reaction = await makeReaction(
      service,
      `const count = ((await $.Storage.get()) ?? 0) + 1
     await $.Storage.set(count)
     $.log(count, $.Strategy.lastTrigger.action)
     if (count === 1) await $.Strategy.action('LONG')`,
    )
    await reaction.post({})
    await reaction.post({})
    await reaction.ended(2)
    const own = `/api/v2/strategy/reaction/code/${reaction.id}`
    await expect(200, service.api('PUT', `${own}/reset`, { resetTriggers: true, resetStore: true }))
    const after = await reaction.read()
    assert.equal(after.storage, null)
    assert.deepEqual(after.last_trigger, { action: null, price: null, at: null })
    await reaction.post({})
    const runs = await reaction.ended(3)
    assert.deepEqual(
      runs.map((run) => run.log),
      ['1 null\n', '2 LONG\n', '1 null\n'],
    )
  },
)

withAccount('delay limits the runs that start in a second', async (service) => {
  const reaction = await makeReaction(service, '', { delay: 10 })
  await Promise.all(Array.from({ length: 15 }, () => reaction.post({})))
  const starts = (await reaction.ended(15)).map((run) => Date.parse(run.started_at))
  for (let index = 10; index < starts.length; index++) {
    // Times are rounded to the millisecond on both sides.
    assert.ok(
      starts[index]! - starts[index - 10]! >= 990,
      `${starts[index]! - starts[index - 10]!} ms for ten`,
    )
  }
})

withAccount('a replayed delivery runs again with the same body', async (service) => {
  const reaction = await makeReaction(
    service,
    '$.log($.Request.data, $.Request.headers["x-sender"], $.Request.ip)',
  )
  const body = '{"n": 1.50,  "text": "\\u00e9"}'
  const { id } = await expect(202, reaction.post(body, { 'X-Sender': 'a', authorization: 'secret' }))
  assert.deepEqual(await expect(202, service.api('POST', `/api/v2/delivery/${id}/replay`)), {
    id,
    reactions: 1,
  })
  const runs = await reaction.ended(2)
  assert.deepEqual(
    runs.map((run) => [run.trigger, run.log, run.delivery_id]),
    [
      ['webhook', `${body} a 127.0.0.1\n`, id],
      ['replay', `${body} a 127.0.0.1\n`, id],
    ],
  )
})

withAccount('the output of code can contain anything, and is stored', async (service) => {
  const reaction = await makeReaction(
    service,
    `$.log('nul \\0 half \\ud800 quote "')
     await $.Storage.set({ text: '\\0 \\ud800', ['__proto__']: 1 })
     await $.Strategy.action('LONG', { id: 'nul \\0 \\udfff' })
     throw new Error('\\0 \\ud800')`,
  )
  await reaction.post({})
  const [run] = await reaction.ended(1)
  assert.equal(run.status, 'FAILED')
  assert.equal(run.error.message, '\ufffd \ufffd')
  assert.equal(run.log, 'nul \ufffd half \ufffd quote "\n')
  assert.equal(typeof run.signal_id, 'number')
  assert.equal((await reaction.read()).storage.text, '\0 \ud800')
})
