import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type BotPosition, isOrderSize, RunViolation } from '@tickwright/sandbox'
import fc from 'fast-check'
import { call, type Reply, says, startProvider } from '../../test/ai/stand-in.ts'
import { endless, recordingHost, thinkWith } from '../../test/ai/thinking.ts'
import { jsonNumber } from '../../test/json-numbers.ts'
import { Gate, type ThinkHost } from './gate.ts'
import { modelStorageByteLimit } from './stored-value.ts'
import { modelTools, type Policy, readCall, usualTools } from './tools.ts'

const long = call('open_position', { direction: 'LONG' })
const exit = call('close_position')

async function thinking(turns: Reply[], options: Parameters<typeof thinkWith>[1] = {}) {
  await using provider = await startProvider('openai', says(...turns))
  const outcome = await thinkWith(provider, options)
  return { ...outcome, questions: [...provider.questions] }
}

test('an action reaches the host with its options, and with the value stored before it', async () => {
  const value = { entry: 67_000 }
  const size = 12.5
  const { actions, action, storage, status } = await thinking([
    { calls: [call('set_storage', { value })] },
    { calls: [call('open_position', { direction: 'SHORT', size })] },
    { calls: [call('set_storage', { value: {} })] },
  ])
  assert.equal(status, 'completed')
  assert.deepEqual(actions, [{ action: 'SHORT', options: { size }, storage: JSON.stringify(value) }])
  assert.equal(action!.action, 'SHORT')
  assert.equal(storage, '{}')
})

test('a model protects the position that it opens, and a wrong level names its field and sends nothing', async () => {
  const protection = { stop_loss: '2%', take_profit: [{ at: '2R', part: 0.5 }], trailing: { by: '1%' } }
  const { actions } = await thinking([{ calls: [call('open_position', { direction: 'LONG', protection })] }])
  assert.deepEqual(actions[0]!.options, { protection })
  const wrong: [given: unknown, reason: RegExp][] = [
    [{ stop_loss: '2R' }, /open_position: protection\.stop_loss must be a price such as 50000 or a distance/],
    [{ trailing: { by: 5 } }, /protection\.trailing\.by must be/],
    [{ take_profit: [{ at: '2%', part: 2 }] }, /protection\.take_profit\[0\]\.part/],
    [{ stop: '2%' }, /\/protection/],
    [{ stop_loss: null }, /\/protection\/stop_loss/],
    [{ exit_after_seconds: 0 }, /\/protection\/exit_after_seconds/],
  ]
  for (const [given, reason] of wrong) {
    const outcome = await thinking([
      { calls: [call('open_position', { direction: 'LONG', protection: given })] },
    ])
    assert.deepEqual([outcome.actions, outcome.failure?.kind], [[], 'malformed'])
    assert.match(outcome.failure!.message, reason)
  }
  const closing = await thinking([{ calls: [call('close_position', { protection })] }])
  assert.equal(closing.failure?.kind, 'malformed')
})

test('a model enters with a limit, and a wrong entry names its field and sends nothing', async () => {
  const entry = { type: 'limit', offset: '0.5%', timeout_seconds: 60, on_timeout: 'chase' }
  const { actions } = await thinking([{ calls: [call('open_position', { direction: 'LONG', entry })] }])
  assert.deepEqual(actions[0]!.options, { entry })
  const wrong: [given: unknown, reason: RegExp][] = [
    [{ type: 'market', offset: '1%' }, /open_position: entry\.offset needs the type limit or post_only/],
    [{ type: 'limit', price: 5, offset: '1%' }, /entry\.offset cannot be given together with price/],
    [{ type: 'limit', max_slippage: '100%', on_timeout: 'market' }, /entry\.max_slippage must be less/],
    [{ type: 'stop' }, /\/entry\/type/],
    [{ offset: '1%' }, /\/entry/],
  ]
  for (const [given, reason] of wrong) {
    const outcome = await thinking([{ calls: [call('open_position', { direction: 'LONG', entry: given })] }])
    assert.deepEqual([outcome.actions, outcome.failure?.kind], [[], 'malformed'])
    assert.match(outcome.failure!.message, reason)
  }
})

test('a model reads the stored value, and the value that it has just stored', async () => {
  const { questions, storage } = await thinking(
    [{ calls: [call('get_storage'), call('set_storage', { value: { b: 2 } }), call('get_storage')] }],
    { storage: '{"a":1}' },
  )
  const [before, stored, after] = questions.at(-1)!.results
  assert.match(before!, /^<(untrusted-[0-9a-f]{24}) name="storage">\n\{"a":1\}\n<\/\1>$/)
  assert.equal(stored, '{"stored":true}')
  assert.match(after!, /\n\{"b":2\}\n/)
  assert.equal(storage, '{"b":2}')
})

test('a model appends to what earlier runs stored, and reads the part that it wants', async () => {
  const long = JSON.stringify({ log: 'x'.repeat(100_000), seen: [1, 2] })
  const { questions, storage, status } = await thinking(
    [
      {
        calls: [
          call('append_storage', { key: 'seen', entry: { id: 3 }, keep: 2 }),
          call('append_storage', { key: 'log', entry: 'the end' }),
          call('get_storage', { key: 'seen' }),
          call('get_storage', { key: 'log', last: 5 }),
          call('get_storage'),
        ],
      },
    ],
    { storage: long },
  )
  assert.equal(status, 'no_action')
  const [one, two, seen, end, whole] = questions.at(-1)!.results
  assert.deepEqual([one, two], ['{"stored":true}', '{"stored":true}'])
  assert.match(seen!, /\n\[2,\{"id":3\}\]\n/)
  assert.match(end!, /\n"e end"\n/)
  assert.match(whole!, /\n\[cut: 49152 of 100\d\d\d characters shown\]\n<\/untrusted-\w+>$/)
  assert.deepEqual(JSON.parse(storage!), { log: `${'x'.repeat(100_000)}the end`, seen: [2, { id: 3 }] })
})

test('an entry that does not fit is refused, and a run that ends with it fails without a violation', async () => {
  const full = JSON.stringify({ list: ['x'.repeat(modelStorageByteLimit - 20)] })
  const entry = { key: 'list', entry: 'more than fits' }
  const outcome = await thinking([{ calls: [call('append_storage', entry)] }], { storage: full })
  assert.deepEqual([outcome.status, outcome.storage, outcome.violation], ['failed', undefined, null])
  assert.equal(outcome.failure!.kind, 'not_allowed')
  assert.match(
    outcome.failure!.message,
    /may have 1048576 bytes of JSON; with this entry it would have 10485\d\d\./,
  )
  const next = await thinking([{ calls: [call('append_storage', { ...entry, keep: 1 })] }], { storage: full })
  assert.deepEqual([next.status, next.storage], ['no_action', '{"list":["more than fits"]}'])
})

test('a value of more than a megabyte is a violation, however the call came in', async () => {
  const { host } = recordingHost()
  const gate = new Gate({
    ...{
      host,
      policy: { actions: [], maxSize: null, tools: usualTools, mayChange: [] },
      budget: endless(),
      storage: '{"a":1}',
    },
    ...{ boundary: 'x', signal: new AbortController().signal },
  })
  const fits = { value: { a: 'x'.repeat(modelStorageByteLimit - 8) } }
  const store = (value: unknown) => gate.call({ id: '1', ...call('set_storage', value) })
  assert.equal((await store(fits)).status, 'accepted')
  const over = await store({ value: { a: `${fits.value.a}y` } })
  assert.equal(over.status, 'violation')
  assert.deepEqual(gate.violation, { rule: 'storage_size', limit: 1_048_576, actual: 1_048_577 })
  assert.equal(gate.storage, JSON.stringify(fits.value), 'the value before it stays')
})

test('what is stored has the limits of a request, and an appended entry is a text, a number or an object', async () => {
  const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
  const wrong = [
    call('set_storage', `{"value":{"a":${deep(64)}}}`),
    call('set_storage', `{"value":{"a":[${'0,'.repeat(50_000)}0]}}`),
    call('set_storage', { value: [1] }),
    call('append_storage', { key: 'a' }),
    call('append_storage', { key: 'a', entry: null }),
    call('append_storage', { key: 'a', entry: [1] }),
    call('append_storage', { key: 'x'.repeat(201), entry: 1 }),
    call('append_storage', { key: 'a', entry: 1, keep: 0 }),
    call('append_storage', { key: 7, entry: 1 }),
    call('get_storage', { last: 0 }),
  ]
  for (const one of wrong) {
    const { failure, storage } = await thinking([{ calls: [one] }])
    assert.deepEqual([failure?.kind, storage], ['malformed', undefined], one.input.slice(0, 80))
  }
})

test('a model reads the open positions, without text that a sender could have chosen', async () => {
  const { host } = recordingHost()
  const signal = { action: 'LONG', status: 'REFUSED', reason: 'Obey "$"', at: 5 } as const
  const position: BotPosition = {
    bot: { id: 3, name: 'Obey', mode: 'live' },
    ...{ symbol: 'BTC/USDT', side: 'long', size: 0.5, entryPrice: 100, unrealised: null, signal },
  }
  const flat = { ...position, symbol: 'OBEY ME', side: null, size: 0 }
  const positions = async () => [...Array.from({ length: 21 }, () => position), flat]
  const { questions } = await thinking([{ calls: [call('get_positions')] }], { host: { ...host, positions } })
  const reply = JSON.parse(questions.at(-1)!.results[0]!)
  assert.deepEqual([reply.positions.length, reply.total], [20, 21])
  assert.deepEqual(reply.positions[0], {
    ...{ bot_id: 3, mode: 'live', symbol: 'BTC/USDT', side: 'long', size: 0.5 },
    ...{ entry_price: 100, unrealised: null, signal: { action: 'LONG', status: 'REFUSED', at: 5 } },
  })
  assert.doesNotMatch(JSON.stringify(reply), /obey/i)
  const powerless = {
    policy: { actions: [], maxSize: null, tools: usualTools, mayChange: [] },
    host: { ...host, positions },
  }
  const refused = await thinking([{ calls: [call('get_positions')] }], powerless)
  assert.match(refused.questions.at(-1)!.results[0]!, /There is no tool/)
})

test('a model has the tools that its owner chose, and no others', async () => {
  const every = { actions: ['LONG', 'EXIT'], maxSize: null, tools: modelTools, mayChange: [7] } as const
  const offered = async (policy: Policy) => (await thinking([], { policy })).questions[0]!.tools
  assert.deepEqual(await offered(every), [
    ...['open_position', 'close_position', ...usualTools],
    ...['web_fetch', 'get_strategy', 'set_strategy', 'set_strategy_status'],
  ])
  const withoutNames: Policy = { ...every, mayChange: [] }
  assert.ok(!(await offered(withoutNames)).some((tool) => tool.includes('strategy')))
  assert.deepEqual(await offered({ actions: [], maxSize: null, tools: [], mayChange: [] }), [])
  const inputs = {
    url: 'https://example.com/',
    exchange: 'a',
    symbol: 'b',
    value: {},
    key: 'a',
    entry: 1,
    id: 7,
  }
  for (const tool of modelTools) {
    const policy = { ...every, tools: modelTools.filter((one) => one !== tool) }
    const { failure, questions } = await thinking([{ calls: [call(tool, inputs)] }], { policy })
    assert.deepEqual([failure?.kind, failure?.message], ['malformed', `There is no tool "${tool}".`])
    assert.ok(!questions[0]!.tools.includes(tool))
  }
})

test('a run changes strategies at most four times, and what was refused does not count', async () => {
  const { host } = recordingHost()
  const asked: string[] = []
  const change: ThinkHost['strategies']['change'] = async (_, wanted) => {
    if (wanted.kind === 'status') return { problem: 'Strategy 7 is ACTIVE.' }
    asked.push(wanted.code)
    return { awaitsApproval: asked.length > 1 }
  }
  const policy: Policy = { actions: [], maxSize: null, tools: modelTools, mayChange: [7] }
  const write = (code: string) => call('set_strategy', { id: 7, code })
  const calls = [
    call('set_strategy_status', { id: 7, status: 'ACTIVE' }),
    ...['a', 'b', 'c', 'd', 'e'].map(write),
  ]
  const outcome = await thinking([{ calls }], {
    policy,
    host: { ...host, strategies: { ...host.strategies, change } },
  })
  assert.deepEqual([outcome.changes, asked], [4, ['a', 'b', 'c', 'd']])
  // The run fails, because its last call was refused. What was asked for before stays.
  assert.equal(outcome.failure?.kind, 'not_allowed')
  const [refused, made, waits, , , fifth] = outcome.questions.at(-1)!.results
  assert.deepEqual(JSON.parse(refused!), { error: 'Strategy 7 is ACTIVE.' })
  assert.deepEqual(JSON.parse(made!), { changed: true })
  assert.equal(JSON.parse(waits!).awaits_approval, true)
  assert.match(fifth!, /A run may change strategies 4 times/)
})

test('a model fetches pages as text, under the guard of its host, and at most ten', async () => {
  const { host } = recordingHost()
  const asked: unknown[] = []
  const http: typeof host.http = async (request) => {
    asked.push(request)
    const page = '<!doctype html><title>News</title><p>Buy &lt;everything&gt;</p><script>x()</script>'
    return { status: 200, text: request.url.includes('json') ? '{"a": 1}' : page, cache: false }
  }
  const policy = { actions: [], maxSize: null, tools: ['web_fetch'], mayChange: [] } as const
  const fetch = (url: string) => call('web_fetch', { url })
  const urls = ['https://news.example/a?key=secret', 'http://[2001:db8::1]:8080/json']
  const { questions, status } = await thinking([{ calls: urls.map(fetch) }], {
    host: { ...host, http },
    policy,
  })
  assert.equal(status, 'no_action')
  const [page, json] = questions.at(-1)!.results
  const block = /^<(untrusted-[0-9a-f]{24}) name="page" from="([^"]+)" status="200">\n(.*)\n<\/\1>$/
  const inside = '"News\\nBuy \\u003ceverything\\u003e"'
  assert.deepEqual(block.exec(page!)!.slice(2), ['news.example', inside])
  assert.deepEqual(block.exec(json!)!.slice(2), ['[2001:db8::1]:8080', '{"a": 1}'])
  assert.deepEqual(asked[0], { method: 'GET', url: urls[0], params: [], headers: {}, body: null })

  for (const url of [
    'file:///etc/passwd',
    '/a',
    'ftp://a',
    'https://a b',
    `https://a/${'x'.repeat(2000)}`,
    '',
  ]) {
    const { failure } = await thinking([{ calls: [fetch(url)] }], { host: { ...host, http }, policy })
    assert.match(
      `${failure?.kind} ${failure?.message}`,
      /^malformed The arguments do not fit web_fetch: url m/,
    )
  }
  for (const input of [{ url: urls[0], method: 'POST' }, { url: [urls[0]] }, { url: urls[0], headers: {} }]) {
    const { failure } = await thinking([{ calls: [call('web_fetch', input)] }], {
      host: { ...host, http },
      policy,
    })
    assert.equal(failure?.kind, 'malformed')
  }
  asked.length = 0
  const many = Array.from({ length: 11 }, (_, n) => fetch(`https://a/${n}`))
  const { failure } = await thinking([{ calls: many }], { host: { ...host, http }, policy })
  assert.deepEqual([failure?.kind, asked.length], ['not_allowed', 10])
  assert.equal(failure?.message, 'This is page 11 of the run; at most 10 are allowed.')
})

test('EXIT after EXIT is a violation, as for code', async () => {
  const lastTrigger = { action: 'EXIT', price: 1, at: 1 } as const
  const { status, violation, actions, questions } = await thinking([{ calls: [exit] }, { calls: [long] }], {
    lastTrigger,
  })
  assert.equal(status, 'violation')
  assert.deepEqual(violation, { rule: 'consecutive_exit', limit: 1, actual: 2 })
  assert.equal(actions.length, 0)
  assert.equal(questions.length, 1)
})

test('an action beyond the account’s rate is a violation, and no later call is carried out', async () => {
  const { host, actions } = recordingHost()
  const violation = { rule: 'action_rate', limit: 5, actual: 6 } as const
  const refuse = () => Promise.reject(new RunViolation(violation, 'One more.'))
  const outcome = await thinking([{ calls: [long, call('set_storage', { value: {} }), exit] }], {
    host: { ...host, action: refuse },
  })
  assert.deepEqual(outcome.violation, violation)
  assert.equal(outcome.status, 'violation')
  assert.equal(outcome.storage, undefined)
  assert.equal(actions.length, 0)
})

test('an action whose result the host does not know counts as the one action of the run', async () => {
  const { host } = recordingHost()
  const lost = () => Promise.reject(new Error('the database is away, at postgres://secret'))
  const one = await thinking([{ calls: [long] }], { host: { ...host, action: lost } })
  assert.equal(one.status, 'failed')
  assert.equal(one.failure!.kind, 'internal')
  assert.doesNotMatch(JSON.stringify(one), /postgres/)
  const two = await thinking([{ calls: [long] }, { calls: [long] }], { host: { ...host, action: lost } })
  assert.equal(two.violation!.rule, 'actions_per_run')
})

test('a tool that the policy excludes is not offered, and a call of it is refused', async () => {
  const cases = [
    { actions: ['LONG'], maxSize: null, tried: call('open_position', { direction: 'SHORT' }) },
    { actions: ['LONG'], maxSize: null, tried: exit },
    { actions: ['LONG'], maxSize: null, tried: call('open_position', { direction: 'LONG', size: 1 }) },
    { actions: [], maxSize: 1, tried: long },
    { actions: ['EXIT'], maxSize: 10, tried: call('close_position', { size: 10.1 }) },
  ] as const
  for (const { tried, ...limits } of cases) {
    const policy = { ...limits, tools: usualTools, mayChange: [] }
    const { status, failure, actions, questions } = await thinking([{ calls: [tried] }], { policy })
    assert.equal(status, 'failed')
    assert.equal(failure!.kind, 'malformed')
    assert.equal(actions.length, 0)
    const offered = questions[0]!.tools
    assert.equal(
      offered.includes('open_position'),
      policy.actions.some((action) => action !== 'EXIT'),
    )
    assert.equal(
      offered.includes('close_position'),
      policy.actions.some((action) => action === 'EXIT'),
    )
  }
})

test('a size that no order can have is refused, and the model learns the bounds and the value', async () => {
  const policy = { actions: ['LONG', 'EXIT'], maxSize: 1e30, tools: [], mayChange: [] } as const
  const problems: string[] = []
  for (const text of ['5e-324', '0', '-0', '1.01e18', '1e400', '"5"', '[5]', 'null', '1e-400']) {
    for (const tried of ['open_position', 'close_position']) {
      const input = `{${tried === 'open_position' ? '"direction":"LONG",' : ''}"size":${text}}`
      const read = readCall({ id: 'a', name: tried, input }, policy)
      assert.ok('problem' in read, input)
      problems.push(read.problem)
    }
  }
  for (const problem of problems)
    assert.match(problem, /: size must be a number from 1e-18 to 1e18, got .+\.$/)
  const over = readCall(
    { id: 'a', name: 'close_position', input: '{"size":10.1}' },
    { ...policy, maxSize: 10 },
  )
  assert.deepEqual(over, {
    problem: 'The arguments do not fit close_position: size must be at most 10, got 10.1.',
  })
})

test('of all numbers in JSON, only sizes that an order can have pass', () => {
  fc.assert(
    fc.property(jsonNumber, (size) => {
      const read = readCall({ id: 'a', name: 'close_position', input: `{"size":${size}}` }, anySize)
      if ('problem' in read) assert.match(read.problem, /: size must be /)
      else assert.ok(read.tool === 'close_position' && isOrderSize(read.size))
    }),
    { numRuns: 1_000 },
  )
})

const anySize = { actions: ['EXIT'], maxSize: 1e18, tools: [], mayChange: [] } as const

test('a run ends at its time limit, whatever its model and its host do', async () => {
  const { host } = recordingHost()
  const never = new Promise<never>(() => {})
  const price = call('get_price', { exchange: 'a', symbol: 'c' })
  const market = { ...host.market, price: () => never }
  const turns: Reply[] = [{ calls: [price, price, long] }]
  const outcome = await thinking(turns, { host: { ...host, market }, limits: { timeoutMs: 300 } })
  assert.equal(outcome.failure!.kind, 'timeout')
  assert.equal(outcome.actions.length, 0)
})

test('a cancelled run ends at once, and says so', async () => {
  const given = new AbortController()
  await using provider = await startProvider('google', () => {
    given.abort()
    return () => {}
  })
  const outcome = await thinkWith(provider, { signal: given.signal })
  assert.equal(outcome.failure!.kind, 'cancelled')
})
