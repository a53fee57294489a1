/** Pushes that delete, are killed, or happen on each save. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from '../../server/test/reaction.ts'
import { withSharedAccount } from '../../server/test/shared-account.ts'
import { until } from '../../server/test/until.ts'
import { clone } from './clone.ts'
import { openLine } from './line.ts'
import { login } from './login.ts'
import { makeHome, records } from './run.ts'

const program = fileURLToPath(new URL('../bin/tickwright.js', import.meta.url))

withSharedAccount(
  'push --prune deletes what has no file any more, and spares what is active, newer or not from this project',
  async (account) => {
    await using home = await makeHome()
    await login(home, account)
    const names = ['gone', 'active', 'newer', 'renamed']
    const mine = await clone(home, 'mine', {
      'tickwright.yaml': 'project: tests\n',
      'webhooks/out.yaml': 'kind: bot\n',
      'bots/follower.yaml': 'exchange_id: 3\nwebhook: webhooks/out.yaml\n',
      ...Object.fromEntries(
        names.flatMap((name) => [
          [`strategies/${name}.yaml`, `name: ${name}\n`],
          [`strategies/${name}.js`, '// 1\n'],
        ]),
      ),
    })
    const made = records(await mine.run('push --json'))
    const idOf = (file: string) => made.find((each) => each.file === file).id
    const path = '/api/v2/strategy/code'
    await expect(201, account.api('POST', path, { name: 'by hand' }))
    const active = `${path}/${idOf('strategies/active.yaml')}`
    await expect(200, account.api('PUT', `${active}/status`, { status: 'ACTIVE' }))
    const newer = `${path}/${idOf('strategies/newer.yaml')}`
    await expect(200, account.api('PUT', newer, { code: '// 2' }))
    await rename(join(mine.folder, 'strategies/renamed.js'), join(mine.folder, 'strategies/other.js'))
    await rename(join(mine.folder, 'strategies/renamed.yaml'), join(mine.folder, 'strategies/other.yaml'))
    for (const file of [
      'bots/follower.yaml',
      ...names.slice(0, 3).flatMap((name) => [`strategies/${name}.js`, `strategies/${name}.yaml`]),
    ])
      await rm(join(mine.folder, file))
    const left = async () =>
      (await expect(200, account.api('GET', path))).map(({ name }: { name: string }) => name)

    // Without the word, nothing goes. With it, what is newer is a conflict, and then nothing goes either.
    assert.equal((await mine.run('push')).code, 0)
    assert.equal((await mine.run('push --prune --dry-run')).code, 4)
    assert.equal((await mine.run('push --prune --yes')).code, 4)
    await expect(200, account.api('PUT', newer, { code: '// 1\n' }))
    records(await mine.run('pull --json'))
    for (const file of [
      'strategies/newer.js',
      'strategies/newer.yaml',
      'strategies/gone.js',
      'strategies/gone.yaml',
      'strategies/active.js',
      'strategies/active.yaml',
      'bots/follower.yaml',
    ])
      await rm(join(mine.folder, file))
    assert.equal((await left()).length, 5)
    const unasked = await mine.run('push --prune')
    assert.deepEqual([unasked.code, unasked.out], [2, ''])
    assert.match(unasked.err, /It deletes code-strategy \d+ \(gone\).*--yes/)
    assert.equal((await left()).length, 5)
    const pruned = records(await mine.run('push --prune --yes --json')).filter((each) => 'reason' in each)
    assert.deepEqual(pruned.map(({ key, result }) => [key, result]).sort(), [
      ['active', 'spared'],
      ['follower', 'deleted'],
      ['gone', 'deleted'],
      ['newer', 'deleted'],
    ])
    assert.deepEqual((await left()).sort(), ['active', 'by hand', 'renamed'])
    assert.match((await mine.run('push --prune --yes')).out, /spared\tcode-strategy active.*It is active/)
    const empty = await clone(home, 'empty', { 'tickwright.yaml': 'project: tests\n' })
    assert.match((await empty.run('push --prune --yes')).err, /deletes nothing/)
  },
)

withSharedAccount(
  'a push that is killed half-way has sent all or nothing, and the next one makes it whole',
  async (account) => {
    await using home = await makeHome()
    await login(home, account)
    const names = Array.from({ length: 30 }, (_, n) => `s${n}`)
    const mine = await clone(home, 'mine', {
      'tickwright.yaml': 'project: tests\n',
      ...Object.fromEntries(
        names.flatMap((name) => [
          [`strategies/${name}.yaml`, 'symbol: BTCUSDT\n'],
          [`strategies/${name}.js`, `// ${name}\n`],
        ]),
      ),
    })
    const key = await expect(201, account.api('POST', '/api/v2/api/key', { name: 'x', algorithm: 'HMAC' }))
    let child: ChildProcess | undefined
    // The kill falls between the request and its answer.
    await using line = await openLine(Number(new URL(account.url).port), (bytes) => {
      if (bytes.includes('POST /api/v2/deploy')) child?.kill('SIGKILL')
    })
    child = spawn(process.execPath, [program, 'push', '--yes'], {
      cwd: mine.folder,
      env: {
        PATH: process.env.PATH,
        HOME: home.path,
        TICKWRIGHT_URL: `http://127.0.0.1:${line.port}`,
        TICKWRIGHT_API_KEY: key.api_key,
        TICKWRIGHT_API_SECRET: key.api_secret,
      },
      stdio: 'ignore',
    })
    const [, signal] = await once(child, 'close')
    assert.equal(signal, 'SIGKILL')
    const total = async () => (await expect(200, account.api('GET', '/api/v2/strategy/code/total'))).total
    assert.ok([0, names.length].includes(await total()))
    const again = await mine.run('push')
    assert.equal(again.code, 0, again.err)
    assert.equal(await total(), names.length)
    await mine.write('strategies/s1.js', '// changed\n')
    const [changed, ...more] = records(await mine.run('push --json'))
    assert.deepEqual([changed.file, changed.result, more], ['strategies/s1.yaml', 'changed', []])
  },
)

withSharedAccount('watch tests each save, and pushes only to what is not active', async (account) => {
  await using home = await makeHome()
  await login(home, account)
  const mine = await clone(home, 'mine', {
    'tickwright.yaml': 'project: tests\n',
    'strategies/idle.yaml': 'symbol: BTCUSDT\n',
    'strategies/idle.js': '// 1\n',
    'strategies/acting.yaml': 'cron_interval: 0 0 29 2 *\n',
    'strategies/acting.js': '// 1\n',
    'tests/idle/calm.json': '{"expect":{"action":null}}',
  })
  const made = records(await mine.run('push --json'))
  const pathOf = (file: string) => `/api/v2/strategy/code/${made.find((each) => each.file === file).id}`
  const [idle, acting] = [pathOf('strategies/idle.yaml'), pathOf('strategies/acting.yaml')]
  const codeOf = async (path: string) => (await expect(200, account.api('GET', path))).code
  await expect(200, account.api('PUT', `${acting}/status`, { status: 'ACTIVE' }))
  const child = spawn(process.execPath, [program, 'watch'], {
    cwd: mine.folder,
    env: { PATH: process.env.PATH, HOME: home.path },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'close')
  try {
    let said = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => {
        said += text
      })
    const says = (what: RegExp) => until(`watch to say ${what}`, async () => what.test(said))
    await says(/Watching/)
    await mine.write('strategies/idle.js', '// 2\n')
    await says(/changed\tstrategies\/idle.yaml/)
    assert.equal(await codeOf(idle), '// 2\n')
    await mine.write('strategies/acting.js', '// 2\n')
    await says(/strategies\/acting.yaml is active/)
    await mine.write('strategies/idle.js', 'await $.Strategy.action($.Action.LONG)\n')
    await says(/1 of 1 tests differ: nothing is pushed/)
    assert.deepEqual([await codeOf(idle), await codeOf(acting)], ['// 2\n', '// 1\n'])
  } finally {
    child.kill()
    await ended
  }
})
