/** What a deployment leaves alone: what is active, holds something, or is still used. */
import assert from 'node:assert/strict'
import { makeBot } from '../../test/bot.ts'
import { deploy, results, type Sent, send } from '../../test/deploying.ts'
import { expect } from '../../test/reaction.ts'
import { withSharedAccount } from '../../test/shared-account.ts'

withSharedAccount('a deployment of what is not active changes nothing that is', async (account) => {
  const objects = ['acts', 'rests'].map((key) => ({ kind: 'code-strategy', key, settings: { code: '// 1' } }))
  const [acts, rests] = await deploy(account, objects)
  const path = (id: number) => `/api/v2/strategy/code/${id}`
  await expect(200, account.api('PUT', `${path(acts.id)}/status`, { status: 'ACTIVE' }))
  const changed = objects.map((each) => ({ ...each, settings: { code: '// 2' } }))
  const more = { project: 'mine', inactive_only: true }
  const refused = await expect(409, send(account, changed, more))
  assert.match(refused.error, /active: code-strategy acts\./)
  assert.equal((await expect(200, account.api('GET', path(rests.id)))).code, '// 1')
  // What is the same there is no change.
  assert.deepEqual(results(await deploy(account, [objects[0]!, changed[1]!], more)), ['unchanged', 'changed'])
})

withSharedAccount(
  'what has no file any more is deleted in the same transaction, unless it acts, holds, is used, or is newer',
  async (account, stranger) => {
    const bot = await makeBot(account, { name: 'Holder' })
    await bot.send({ symbol: 'BTCUSDT', side: 'BUY' })
    await bot.followed(1)
    await expect(200, account.api('PUT', `/api/v2/bot/signal/cex/${bot.id}/status`, { status: 'INACTIVE' }))
    const own = '/api/v2/strategy/code'
    const made = await deploy(account, [
      { kind: 'signal-bot', key: 'holder', id: bot.id, settings: { name: 'Holder' } },
      { kind: 'bot-webhook', key: 'used', settings: {} },
      { kind: 'data-webhook', key: 'free', settings: {} },
      { kind: 'code-strategy', key: 'stays', settings: { code: '// 1', webhook_id: 'bot-webhook/used' } },
      { kind: 'code-strategy', key: 'goes', settings: { code: '// 1' } },
      { kind: 'code-strategy', key: 'acts', settings: { code: '// 1' } },
    ])
    const idOf = (key: string) => made.find((each: { key: string }) => each.key === key).id
    await expect(200, account.api('PUT', `${own}/${idOf('acts')}/status`, { status: 'ACTIVE' }))
    const unwanted = (kind: string, key: string, more: object = {}) => ({ kind, key, id: idOf(key), ...more })
    const prune = [
      unwanted('signal-bot', 'holder'),
      unwanted('bot-webhook', 'used'),
      unwanted('data-webhook', 'free'),
      unwanted('code-strategy', 'goes'),
      unwanted('code-strategy', 'acts'),
      unwanted('code-strategy', 'stays', { key: 'other' }),
    ]
    const results = ['spared', 'spared', 'deleted', 'deleted', 'spared', 'spared']
    const become = (body: { pruned: { result: string }[] }) => body.pruned.map(({ result }) => result)
    const more = { project: 'mine', prune }
    const tried = await expect(200, send(account, [], { ...more, dry_run: true }))
    assert.deepEqual(become(tried), results)
    assert.match(tried.pruned[0].reason, /long/)
    await expect(200, account.api('GET', `${own}/${idOf('goes')}`))

    // What has changed since the base is a conflict, and then nothing is saved either.
    await expect(200, account.api('PUT', `${own}/${idOf('goes')}`, { code: '// 2' }))
    const fresh: Sent = { kind: 'data-webhook', key: 'fresh', settings: {} }
    const refused = await expect(409, send(account, [fresh], more))
    assert.deepEqual(
      refused.details.map(({ field }: { field: string }) => field),
      ['body.prune.3'],
    )
    assert.deepEqual(
      await expect(200, account.api('GET', '/api/v2/webhook/data?limit=50')).then(({ total }) => total),
      1,
    )
    assert.deepEqual(
      become(await expect(200, send(account, [fresh], { ...more, dry_run: true })))[3],
      'conflict',
    )

    const twice = { project: 'mine', prune: [prune[2], prune[2]] }
    await expect(400, send(account, [], twice))
    await expect(400, send(account, [], { project: 'mine' }))
    assert.deepEqual(
      become(await expect(200, send(stranger, [], more))),
      prune.map(() => 'absent'),
    )
    const forced = prune.map((each) => ({ ...each, force: true }))
    const done = await expect(200, send(account, [fresh], { project: 'mine', prune: forced }))
    assert.deepEqual(become(done), results)
    await expect(404, account.api('GET', `${own}/${idOf('goes')}`))
    await expect(200, account.api('GET', `${own}/${idOf('stays')}`))
    assert.equal((await bot.positions()).length, 1)
    // Sent again, as after a lost answer, it does no more.
    const again = await expect(200, send(account, [fresh], { project: 'mine', prune: forced }))
    assert.deepEqual(become(again), ['spared', 'spared', 'absent', 'absent', 'spared', 'spared'])
  },
)
