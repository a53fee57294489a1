/** Many objects in one transaction, and never over what somebody else has changed. */
import assert from 'node:assert/strict'
import { makeBot } from '../../test/bot.ts'
import type { Client } from '../../test/client.ts'
import { deploy, path, results, type Sent, send } from '../../test/deploying.ts'
import { expect } from '../../test/reaction.ts'
import { type Account, withSharedAccount } from '../../test/shared-account.ts'

type Item = {
  id: number
  revision: string
  deployed: { key: string; revision: string } | null
  settings: Record<string, unknown>
}

const listed = (account: Client, kind: string): Promise<Item[]> =>
  expect(200, account.api('GET', `${path}?kind=${kind}&project=mine`))

/** One of each kind, which refer to each other. */
const everything: Sent[] = [
  {
    kind: 'signal-bot',
    key: 'bot',
    settings: { exchange_id: 3, webhook_id: 'bot-webhook/out', amount: '50' },
  },
  {
    kind: 'llm-reaction',
    key: 'judge',
    settings: { prompt: 'Buy?', may_change: ['code-strategy/rsi', 'code-reaction/rsi'] },
  },
  { kind: 'llm-session', key: 'judge', settings: { prompt: 'Sell?', cron_interval: '4h' } },
  {
    kind: 'code-reaction',
    key: 'rsi',
    settings: { code: '// 1\n', data_webhook_id: 'data-webhook/in', webhook_id: 'bot-webhook/out' },
  },
  { kind: 'code-strategy', key: 'rsi', settings: { code: '// 1\n', name: 'RSI', symbol: 'BTCUSDT' } },
  { kind: 'data-webhook', key: 'in', settings: { is_safe: true } },
  { kind: 'bot-webhook', key: 'out', settings: { description: 'Out' } },
]

withSharedAccount(
  'objects of every kind are created inactive, with their references, and then are unchanged',
  async (account) => {
    const tried = await deploy(account, everything, { project: 'mine', dry_run: true })
    assert.deepEqual(
      results(tried),
      everything.map(() => 'created'),
    )
    assert.ok(tried.every(({ id }: { id: unknown }) => id === null))
    assert.deepEqual(await listed(account, 'code-strategy'), [])

    const made = await deploy(account, everything)
    assert.ok(
      made.every(
        (each: { status: string; result: string }) => each.status === 'INACTIVE' && each.result === 'created',
      ),
    )
    const id = Object.fromEntries(made.map((each: { kind: string; id: number }) => [each.kind, each.id]))
    const bot = await expect(200, account.api('GET', `/api/v2/bot/signal/cex/${id['signal-bot']}`))
    assert.deepEqual(
      [bot.name, bot.webhook_id, bot.amount, bot.status, bot.mode],
      ['bot', id['bot-webhook'], '50', 'INACTIVE', 'paper'],
    )
    const judge = await expect(200, account.api('GET', `/api/v2/strategy/reaction/llm/${id['llm-reaction']}`))
    assert.deepEqual(judge.may_change, [id['code-strategy'], id['code-reaction']])
    const reaction = await expect(
      200,
      account.api('GET', `/api/v2/strategy/reaction/code/${id['code-reaction']}`),
    )
    assert.deepEqual(
      [reaction.code, reaction.data_webhook_id, reaction.webhook_id],
      ['// 1\n', id['data-webhook'], id['bot-webhook']],
    )
    const hook = await expect(200, account.api('GET', `/api/v2/webhook/data/${id['data-webhook']}`))
    assert.deepEqual([hook.is_safe, hook.has_key, hook.status], [true, true, 'INACTIVE'])

    // Neither ids nor bases: what came by the last deployment is the base.
    assert.deepEqual(
      results(await deploy(account, everything)),
      everything.map(() => 'unchanged'),
    )
    const versions = await expect(
      200,
      account.api('GET', `/api/v2/strategy/code/${id['code-strategy']}/versions`),
    )
    assert.equal(versions.length, 1)
    // A list has the revision, the key, and no text.
    const [item] = await listed(account, 'code-strategy')
    assert.deepEqual(
      [item!.id, item!.deployed],
      [id['code-strategy'], { key: 'rsi', revision: item!.revision }],
    )
    assert.deepEqual([item!.settings.code, item!.settings.symbol], [undefined, 'BTCUSDT'])
    // What it lists can be sent back.
    for (const kind of new Set(everything.map((each) => each.kind)))
      for (const { id, settings } of await listed(account, kind))
        assert.deepEqual(
          results(await deploy(account, [{ kind, key: 'again', id, settings }], {})),
          ['unchanged'],
          kind,
        )
  },
)

withSharedAccount(
  'what is newer on the service is a conflict that shows both sides and changes nothing',
  async (account) => {
    const strategy = (code: string, more: object = {}): Sent => ({
      kind: 'code-strategy',
      key: 'rsi',
      settings: { code, symbol: 'BTCUSDT' },
      ...more,
    })
    const other: Sent = { kind: 'data-webhook', key: 'in', settings: { description: 'new' } }
    const [{ id, revision: base }] = await deploy(account, [strategy('// 1\n')])
    const own = `/api/v2/strategy/code/${id}`
    await expect(200, account.api('PUT', own, { code: '// theirs\n' }))
    const refused = await expect(409, send(account, [other, strategy('// 2\n')]))
    assert.equal(refused.code, 'resource_conflict')
    const [{ conflict, field, key, differences, ...detail }, ...rest] = refused.details
    assert.deepEqual(
      [conflict, field, key, detail.base, rest],
      ['changed', 'body.objects.1', 'rsi', base, []],
    )
    assert.notEqual(detail.revision, base)
    assert.match(differences[0].diff, /^-\/\/ theirs\n\+\/\/ 2$/m)
    assert.deepEqual(await listed(account, 'data-webhook'), [])
    // Without any base, with an old one, and from another project, which never had it.
    for (const [more, why] of [
      [{ base }, 'changed'],
      [{ base: 'nonsense' }, 'changed'],
    ] as const)
      assert.equal(
        (await expect(409, send(account, [strategy('// 2\n', { id, ...more })], {}))).details[0].conflict,
        why,
      )
    assert.equal(
      (await expect(409, send(account, [strategy('// 2\n')], { project: 'other' }))).details[0].conflict,
      'exists',
    )
    const shown = await deploy(account, [strategy('// 2\n')], { project: 'mine', dry_run: true })
    assert.deepEqual([shown[0].result, shown[0].conflict], ['conflict', 'changed'])
    // What is the same already is no conflict. Nor is what is based on what the service has.
    assert.deepEqual(results(await deploy(account, [strategy('// theirs\n')])), ['unchanged'])
    const [{ revision }] = await deploy(account, [strategy('// 3\n', { base: detail.revision })])
    // By force, one object is overwritten, and its versions stay.
    await expect(200, account.api('PUT', own, { code: '// theirs again\n', symbol: 'ETHUSDT' }))
    assert.deepEqual(results(await deploy(account, [strategy('// 4\n', { base: revision, force: true })])), [
      'changed',
    ])
    const versions = await expect(200, account.api('GET', `${own}/versions`))
    assert.equal(versions.length, 5)
    // What somebody has deleted does not come back by itself.
    await expect(200, account.api('DELETE', own))
    assert.equal((await expect(409, send(account, [strategy('// 5\n')]))).details[0].conflict, 'deleted')
    assert.deepEqual(results(await deploy(account, [strategy('// 5\n', { force: true })])), ['created'])
  },
)

withSharedAccount('of several deployments at once, one wins, and nothing exists twice', async (account) => {
  const objects = (n: number): Sent[] => [
    { kind: 'bot-webhook', key: 'out', settings: { description: `${n}` } },
    { kind: 'code-strategy', key: 'rsi', settings: { code: `// ${n}`, webhook_id: 'bot-webhook/out' } },
  ]
  const numbers = [0, 1, 2, 3]
  const first = await Promise.all(numbers.map((n) => send(account, objects(n))))
  // The others may come later, based on what the first one has left: a fresh clone knows nothing older.
  assert.ok(first.some(({ status, body }) => status === 200 && body.objects[0].result === 'created'))
  const [strategy, ...more] = await listed(account, 'code-strategy')
  assert.deepEqual([more, (await listed(account, 'bot-webhook')).length], [[], 1])
  const third = await Promise.all(
    numbers.map((n) =>
      send(account, [
        {
          kind: 'code-strategy',
          key: 'rsi',
          id: strategy!.id,
          base: strategy!.revision,
          settings: { code: `// ${n + 20}` },
        },
      ]),
    ),
  )
  assert.deepEqual(third.map(({ status }) => status).sort(), [200, 409, 409, 409])
})

withSharedAccount(
  'what is active stays active, nothing else is switched on, and the answer names the bots that follow',
  async (account) => {
    const bot = await makeBot(account, { name: 'Follower' })
    const code = { kind: 'code-strategy', key: 'rsi' }
    const [{ id }] = await deploy(account, [
      { ...code, settings: { code: '// 1', webhook_id: bot.webhookId } },
    ])
    const own = `/api/v2/strategy/code/${id}`
    const [off] = await deploy(account, [{ ...code, settings: { code: '// 2' } }])
    assert.deepEqual([off.result, off.status, off.bots], ['changed', 'INACTIVE', []])
    await expect(200, account.api('PUT', `${own}/status`, { status: 'ACTIVE' }))
    const follower = { id: bot.id, name: 'Follower', mode: 'paper', demo: false, status: 'ACTIVE' }
    const [on] = await deploy(account, [{ ...code, settings: { code: '// 3' } }], {
      project: 'mine',
      dry_run: true,
    })
    assert.deepEqual([on.status, on.bots], ['ACTIVE', [follower]])
    const [itself] = await listed(account, 'signal-bot')
    const [changed] = await deploy(account, [
      { kind: 'signal-bot', key: 'follower', id: bot.id, base: itself!.revision, settings: { amount: '20' } },
    ])
    assert.deepEqual([changed.status, changed.bots], ['ACTIVE', [follower]])
    for (const status of ['ACTIVE', 'INACTIVE'])
      for (const kind of ['code-strategy', 'signal-bot', 'bot-webhook'])
        await expect(400, send(account, [{ kind, key: 'x', settings: { status } }]))
  },
)

withSharedAccount('a key for deploying changes everything except bots', async (account) => {
  const bot = await makeBot(account, { name: 'Follower' })
  const made = await expect(
    201,
    account.api('POST', '/api/v2/api/key', { name: 'CI', algorithm: 'HMAC', scope: 'deploy' }),
  )
  const ci = (account as Account & { as(key: object): Client }).as({
    key: made.api_key,
    secret: made.api_secret,
  })
  const strategy = { kind: 'code-strategy', key: 'rsi', settings: { code: '// 1' } }
  const same = { kind: 'signal-bot', key: 'follower', id: bot.id, settings: { name: 'Follower' } }
  assert.deepEqual(results(await deploy(ci, [strategy, same])), ['created', 'unchanged'])
  for (const more of [{ base: 'any' }, { force: true }]) {
    const refused = await expect(
      403,
      send(ci, [strategy, { ...same, ...more, settings: { amount: '9000' } }]),
    )
    assert.match(refused.error, /changes no bot.*follower/)
  }
  await expect(403, send(ci, [{ kind: 'signal-bot', key: 'another', settings: { exchange_id: 3 } }]))
  // A key that may only read tries all of it, and keeps nothing.
  const changed = [strategy, { ...same, settings: { amount: '9000' } }]
  await expect(200, account.api('PUT', `/api/v2/api/key/${made.id}`, { scope: 'read' }))
  assert.deepEqual(results(await deploy(ci, changed, { project: 'mine', dry_run: true })), [
    'unchanged',
    'changed',
  ])
  for (const more of [{}, { dry_run: false }]) await expect(403, send(ci, changed, more))
  assert.notEqual((await bot.read()).amount, '9000')
  await expect(200, account.api('PUT', `/api/v2/api/key/${made.id}`, { scope: 'deploy' }))
  // Nor does it publish anything, whatever the route.
  const published = await expect(403, send(ci, [{ ...strategy, settings: { visibility: 'PUBLIC' } }]))
  assert.match(published.error, /publishes nothing.*rsi/)
  await expect(403, ci.api('POST', '/api/v2/strategy/code', { visibility: 'PUBLIC' }))
  await expect(201, ci.api('POST', '/api/v2/strategy/code', { visibility: 'PRIVATE' }))
})

withSharedAccount(
  'what no single route would save, no deployment saves, and it says which object',
  async (account, stranger) => {
    const fine: Sent = { kind: 'data-webhook', key: 'in', settings: {} }
    const theirs = await expect(201, stranger.api('POST', '/api/v2/webhook/bot', {}))
    const [{ id: foreign }] = await deploy(stranger, [
      { kind: 'code-strategy', key: 'theirs', settings: { code: '// 1' } },
    ])
    const wrong: [number, RegExp, Sent[]][] = [
      [
        400,
        /body.objects.1.settings.code/,
        [fine, { kind: 'code-strategy', key: 'a', settings: { code: 'if (' } }],
      ],
      [
        400,
        /body.objects.1.settings.cod\b/,
        [fine, { kind: 'code-strategy', key: 'a', settings: { cod: '' } }],
      ],
      [400, /cron_interval/, [{ kind: 'code-strategy', key: 'a', settings: { cron_interval: 'often' } }]],
      [400, /amount/, [{ kind: 'signal-bot', key: 'a', settings: { exchange_id: 3, amount: '-5' } }]],
      [
        400,
        /is yours or shared|yours/,
        [fine, { kind: 'code-strategy', key: 'a', settings: { webhook_id: theirs.id } }],
      ],
      [
        400,
        /webhook_id/,
        [fine, { kind: 'code-strategy', key: 'a', settings: { webhook_id: 'data-webhook/in' } }],
      ],
      [
        400,
        /webhook_id/,
        [fine, { kind: 'code-strategy', key: 'a', settings: { webhook_id: 'bot-webhook/none' } }],
      ],
      [400, /has_key/, [{ kind: 'data-webhook', key: 'a', settings: { has_key: 'secret' } }]],
      [400, /folder_id/, [{ kind: 'code-strategy', key: 'a', settings: { folder_id: null } }]],
      [400, /same key/, [fine, fine]],
      [400, /same name/, [fine, { kind: 'data-webhook', key: 'b', settings: { name: 'IN' } }]],
      [400, /key/, [{ ...fine, key: 'Rsi' }]],
      [400, /key/, [{ ...fine, key: '../in' }]],
      [400, /objects/, []],
      [400, /objects/, Array.from({ length: 501 }, (_, n) => ({ ...fine, key: `k${n}` }))],
      [
        409,
        /no longer exists/,
        [{ kind: 'code-strategy', key: 'a', id: foreign, base: 'any', settings: { code: '' } }],
      ],
      [
        409,
        /no longer exists/,
        [{ kind: 'code-strategy', key: 'a', id: 999_999_999, settings: { code: '' } }],
      ],
    ]
    for (const [status, pattern, objects] of wrong) {
      const { status: actual, body } = await send(account, objects)
      assert.equal(actual, status, `${pattern}: ${JSON.stringify(body)}`)
      assert.match(JSON.stringify(body), pattern)
    }
    const both = await expect(
      400,
      send(account, [
        { kind: 'code-strategy', key: 'a', settings: { code: 'if (' } },
        { kind: 'code-strategy', key: 'b', settings: { symbol: 1 } },
      ]),
    )
    assert.deepEqual(
      both.details.map(({ key }: { key: string }) => key),
      ['a', 'b'],
    )
    for (const kind of new Set(everything.map((each) => each.kind)))
      assert.deepEqual(await listed(account, kind), [])
    // Names that differ only by case are one name, also on the service.
    await expect(201, account.api('POST', '/api/v2/webhook/data', { name: 'Alerts' }))
    assert.equal(
      (await expect(409, send(account, [{ ...fine, key: 'alerts', settings: { description: 'x' } }])))
        .details[0].conflict,
      'exists',
    )
    await expect(201, account.api('POST', '/api/v2/webhook/data', { name: 'ALERTS' }))
    assert.equal(
      (
        await expect(
          409,
          send(account, [{ ...fine, key: 'alerts', force: true, settings: { description: 'x' } }]),
        )
      ).details[0].conflict,
      'ambiguous',
    )
  },
)
