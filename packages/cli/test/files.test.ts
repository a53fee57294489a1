/** Strategies as files, against a real service. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeBot } from '../../server/test/bot.ts'
import { expect } from '../../server/test/reaction.ts'
import { withSharedAccount } from '../../server/test/shared-account.ts'
import { isKey, keyFor } from '../src/files/layout.ts'
import { secretIn } from '../src/files/secrets.ts'
import { changedSource, variablesIn } from '../src/files/writing.ts'
import { clone } from './clone.ts'
import { login } from './login.ts'
import { makeHome, records } from './run.ts'

const code = '// ключ\r\n$.log($.Env.TOKEN)\t\n\n'
const project = {
  'tickwright.yaml': 'project: tests\n',
  'webhooks/in.yaml': 'kind: data\n',
  'webhooks/out.yaml': 'kind: bot\ndescription: Out # where it goes\n',
  'reactions/breakout.js': code,
  'reactions/breakout.yaml': 'name: Breakout\ndata_webhook: webhooks/in.yaml\nwebhook: webhooks/out\n',
  'strategies/rsi.js': '',
  'strategies/rsi.yaml': '',
  'ai/judge.md': 'Buy?\n',
  'ai/judge.yaml': 'kind: reaction\nmay_change: [reactions/breakout.yaml]\n',
  'bots/follower.yaml': 'exchange_id: 3\nwebhook: webhooks/out.yaml\namount: 50\n',
}

withSharedAccount(
  'files reach the service in one push, and come back without a changed byte',
  async (account) => {
    await using home = await makeHome()
    await login(home, account)
    const mine = await clone(home, 'mine', project)
    const before = await mine.all()
    assert.match((await mine.run('check')).out, /ok/)
    const pushed = await mine.run('push --json')
    const made = records(pushed)
    assert.match(pushed.err, /no variable TOKEN/)
    assert.deepEqual(
      made.map(({ result, status }) => [result, status]),
      made.map(() => ['created', 'INACTIVE']),
    )
    assert.match((await mine.run('push')).err, /Nothing to push/)
    assert.deepEqual(
      records(await mine.run('pull --json')).filter(({ result }) => result !== 'unchanged'),
      [],
    )
    assert.deepEqual(await mine.all(), before)
    assert.equal((await mine.run('diff')).out, '')
    const id = made.find(({ kind }) => kind === 'code-reaction').id
    const reaction = await expect(200, account.api('GET', `/api/v2/strategy/reaction/code/${id}`))
    assert.equal(reaction.code, code)

    // A fresh clone knows from the service what came by the last push.
    const fresh = await clone(home, 'fresh', { ...project, 'strategies/rsi.js': '$.log(2)' })
    const [changed, ...more] = records(await fresh.run('push --json')).filter(
      ({ result }) => result !== 'unchanged',
    )
    assert.deepEqual([changed.file, changed.result, more], ['strategies/rsi.yaml', 'changed', []])
    // The first clone has nothing of its own there, so it takes that over.
    assert.match((await mine.run('pull')).out, /changed\tstrategies\/rsi.yaml/)
    assert.equal(await mine.read('strategies/rsi.js'), '$.log(2)')

    // An empty folder gets everything, and nothing that is secret.
    const empty = await clone(home, 'empty', { 'tickwright.yaml': 'project: tests\n' })
    assert.equal((await empty.run('pull')).code, 0)
    assert.equal(await empty.read('reactions/breakout.js'), code)
    assert.match(
      await empty.read('reactions/breakout.yaml'),
      /data_webhook: webhooks\/in.yaml\nwebhook|webhook: webhooks\/out.yaml/,
    )
    assert.match(await empty.read('reactions/breakout.yaml'), /variables:\n {2}- TOKEN/)
    assert.match(await empty.read('ai/judge.yaml'), /may_change:\n {2}- reactions\/breakout.yaml/)
    assert.equal(
      JSON.parse(await empty.read('.tickwright/schemas/code-reaction.json')).properties.status,
      undefined,
    )
    for (const [path, text] of Object.entries(await empty.all())) {
      assert.equal(secretIn(text), undefined, path)
      assert.doesNotMatch(text, /^(status|url|has_key)/m, path)
    }
    const unchanged = await empty.all()
    assert.match((await empty.run('push')).err, /Nothing to push/)
    assert.deepEqual(await empty.all(), unchanged)
  },
)

withSharedAccount(
  'a push never overwrites what somebody else has changed, unless it names the file',
  async (account) => {
    await using home = await makeHome()
    await login(home, account)
    const files = {
      'tickwright.yaml': 'project: tests\n',
      'strategies/rsi.yaml': 'symbol: BTCUSDT\n',
      'strategies/rsi.js': '// 1\n',
    }
    const mine = await clone(home, 'mine', files)
    const theirs = await clone(home, 'theirs', files)
    const [{ id }] = records(await mine.run('push --json'))
    const own = `/api/v2/strategy/code/${id}`
    records(await theirs.run('pull --json'))
    await theirs.write('strategies/rsi.js', '// theirs\n')
    await mine.write('strategies/rsi.js', '// mine\n')
    await mine.write('webhooks/new.yaml', 'kind: data\n')
    records(await theirs.run('push --json'))
    const refused = await mine.run('push')
    assert.deepEqual([refused.code, refused.out], [4, ''])
    assert.match(
      refused.err,
      /strategies\/rsi.yaml: conflict: it has changed[\s\S]*-\/\/ theirs\n {2}\+\/\/ mine/,
    )
    assert.equal((await mine.run('diff')).code, 4)
    const pulled = await mine.run('pull')
    assert.equal(pulled.code, 4)
    assert.equal(await mine.read('strategies/rsi.js'), '// mine\n')
    assert.equal((await expect(200, account.api('GET', own))).code, '// theirs\n')
    assert.deepEqual(await expect(200, account.api('GET', '/api/v2/webhook/data')), [])
    assert.equal((await mine.run('push --force strategies/none')).code, 2)
    records(await mine.run('push --force strategies/rsi.yaml --json'))
    assert.equal((await expect(200, account.api('GET', own))).code, '// mine\n')
    assert.equal((await expect(200, account.api('GET', `${own}/versions`))).length, 3)
    const versions = records(await mine.run(`versions ${id} --json`))
    assert.deepEqual(
      versions.map(({ changed }) => changed),
      [['code'], ['code'], []],
    )

    // A missing file deletes nothing, and comes back with the next pull.
    await rm(join(mine.folder, 'strategies'), { recursive: true })
    records(await mine.run('push --json'))
    await expect(200, account.api('GET', own))
    records(await mine.run('pull --json'))
    assert.equal(await mine.read('strategies/rsi.js'), '// mine\n')
    // Two at once: one wins, the other one is told.
    await theirs.run('pull --force rsi')
    await theirs.write('strategies/rsi.js', '// 5\n')
    await mine.write('strategies/rsi.js', '// 6\n')
    const both = await Promise.all([mine.run('push'), theirs.run('push')])
    assert.deepEqual(both.map((each) => each.code).sort(), [0, 4])
  },
)

withSharedAccount(
  'a push that live or paper bots follow names them, and asks in production',
  async (account) => {
    await using home = await makeHome()
    await login(home, account, ' --production')
    const bot = await makeBot(account, { name: 'Follower' })
    const mine = await clone(home, 'mine', { 'tickwright.yaml': 'project: tests\n' })
    records(await mine.run('pull --json'))
    const source = await mine.read('bots/follower.yaml')
    await mine.write('bots/follower.yaml', source.replace(/^amount: .*$/m, 'amount: "20" # less'))
    const unasked = await mine.run('push')
    assert.deepEqual([unasked.code, unasked.out], [2, ''])
    assert.match(unasked.err, /push 1 changes of tests.*--yes/)
    const [pushed] = records(await mine.run('push --yes --json'))
    assert.deepEqual([pushed.status, pushed.bots[0].id], ['ACTIVE', bot.id])
    assert.equal((await bot.read()).amount, '20')
    assert.equal((await mine.run('pull')).code, 0)
    assert.match(await mine.read('bots/follower.yaml'), /^amount: "20" # less$/m)
  },
)

withSharedAccount(
  'files that are wrong, secret or elsewhere are refused, with their place',
  async (account) => {
    await using home = await makeHome()
    await login(home, account)
    const hook = await expect(201, account.api('POST', '/api/v2/webhook/bot', { name: 'Mine' }))
    const { secret } = await expect(
      201,
      account.api('POST', '/api/v2/notification/endpoint', {
        url: 'https://example.com',
        events: ['run.failed'],
      }),
    )
    const files = {
      'tickwright.yaml': 'project: tests\n',
      'strategies/rsi.yaml': '',
      'strategies/rsi.js': '// 1\n',
    }
    const wrong: [RegExp, Record<string, string>][] = [
      [/strategies\/rsi.js:2:\d+: /, { 'strategies/rsi.js': '\nif (' }],
      [/strategies\/rsi.yaml: cron_interval /, { 'strategies/rsi.yaml': 'cron_interval: often' }],
      [/strategies\/rsi.yaml: .*Did you mean/, { 'strategies/rsi.yaml': 'symbl: BTC' }],
      [
        /strategies\/rsi.js:2: this looks like the URL of a webhook/,
        { 'strategies/rsi.js': `\n// ${hook.url}` },
      ],
      [/status does not belong/, { 'strategies/rsi.yaml': 'status: ACTIVE' }],
      [/webhook must be the file/, { 'strategies/rsi.yaml': 'webhook: webhooks/none.yaml' }],
      [/kind must be data or bot/, { 'webhooks/x.yaml': '' }],
      [/lower-case/, { 'strategies/RSI.yaml': '' }],
      [/con and nul/, { 'webhooks/con.yaml': 'kind: data' }],
      [/has no settings/, { 'strategies/other.js': '' }],
      [
        /strategies\/rsi.js:1: this looks like the secret of notifications/,
        { 'strategies/rsi.js': `// ${secret}` },
      ],
      [/strategies\/rsi.yaml: << is unknown/, { 'strategies/rsi.yaml': '<<: { name: x }' }],
      [/it must be one document/, { 'strategies/rsi.yaml': 'name: a\n---\nname: b\n' }],
      [/aliases/, { 'strategies/rsi.yaml': 'name: &a x\nsymbol: *a\n' }],
      [/no AI connection|no exchange connection/, { 'bots/x.yaml': 'exchange_id: 3\nconnection: none\n' }],
    ]
    for (const [index, [pattern, more]] of wrong.entries()) {
      const mine = await clone(home, `wrong-${index}`, { ...files, ...more })
      for (const command of ['check', 'push']) {
        const { code, out, err } = await mine.run(command)
        assert.deepEqual([code, out], [1, ''], `${pattern} ${err}`)
        assert.match(err, pattern)
      }
    }
    const linked = await clone(home, 'linked', files)
    await symlink('/etc/hostname', join(linked.folder, 'strategies', 'link.yaml'))
    await writeFile(join(linked.folder, 'strategies', 'link.js'), '')
    assert.match((await linked.run('push')).err, /is a link/)
    const folder = await clone(home, 'folder', { 'tickwright.yaml': 'project: tests\n' })
    await symlink(home.path, join(folder.folder, 'webhooks'))
    assert.match((await folder.run('pull')).err, /is a link/)
    assert.deepEqual(await expect(200, account.api('GET', '/api/v2/strategy/code')), [])
    assert.equal((await home.run('push')).code, 2)

    // Code with a secret is not written.
    await expect(201, account.api('POST', '/api/v2/strategy/code', { name: 'Leaky', code: `// ${hook.url}` }))
    const clean = await clone(home, 'clean', { 'tickwright.yaml': 'project: tests\n' })
    const leaky = await clean.run('pull')
    assert.deepEqual([leaky.code, leaky.out.includes('what looks like the URL')], [1, true])
    assert.deepEqual(
      Object.keys(await clean.all()).map((path) => path.slice(clean.folder.length + 1)),
      ['tickwright.yaml', 'webhooks/mine.yaml'],
    )
  },
)

withSharedAccount('tests run the code of files, and say what differs', async (account) => {
  await using home = await makeHome()
  await login(home, account)
  const fixture = (given: object) => JSON.stringify(given)
  const code =
    'const { side } = JSON.parse($.Request.data); $.log((await $.Storage.get())?.n ?? 0)\nif (side) await $.Strategy.action(side)'
  const mine = await clone(home, 'mine', {
    'tickwright.yaml': 'project: tests\n',
    'reactions/breakout.js': code,
    'reactions/breakout.yaml': 'symbol: BTCUSDT\nsend_signal: true\n',
    'tests/breakout/spike.json': fixture({ payload: { side: 'LONG' }, expect: { action: 'LONG' } }),
    'tests/breakout/symbols.json': fixture({
      payload: { side: 'EXIT' },
      expect: { action: { action: 'EXIT', symbols: ['BTCUSDT'] } },
    }),
    'tests/breakout/calm.json': fixture({ payload: {}, expect: { action: null, log: '0\n' } }),
  })
  const passed = await mine.run('test --json')
  assert.equal(passed.code, 0, passed.out)
  assert.deepEqual(
    records(passed).map(({ same }) => same),
    [true, true, true],
    passed.out,
  )
  await mine.write('tests/breakout/calm.json', fixture({ payload: {}, expect: { action: 'SHORT' } }))
  await mine.write('tests/breakout/broken.json', fixture({ payload: null, expect: { action: null } }))
  const differing = await mine.run('test breakout')
  assert.equal(differing.code, 5)
  assert.match(differing.out, /differs\ttests\/breakout\/calm.json\taction: expected "SHORT", got null/)
  assert.match(
    differing.out,
    /differs\ttests\/breakout\/broken.json\tstatus: expected "SUCCEEDED", got "FAILED"; error/,
  )
  assert.match(differing.err, /2 of 4 tests differ/)
  assert.equal((await mine.run('test none')).code, 1)
  for (const wrong of [
    '[]',
    '{',
    '{"expect":{}}',
    '{"expect":{"acton":"LONG"}}',
    '{"paylod":1,"expect":{"action":null}}',
  ]) {
    await mine.write('tests/breakout/broken.json', wrong)
    const { code, out, err } = await mine.run('test')
    assert.deepEqual([code, out], [1, ''], wrong)
    assert.match(err, /tests\/breakout\/broken.json: /)
  }
  assert.deepEqual(await expect(200, account.api('GET', '/api/v2/signal')), [])
})

test('a test that is interrupted ends its own service, and leaves nothing of it', async () => {
  await using home = await makeHome()
  const mine = await clone(home, 'mine', {
    'tickwright.yaml': 'project: tests\n',
    'reactions/a.js': '',
    'reactions/a.yaml': '',
    'tests/a/one.json': '{ "expect": { "action": null } }',
  })
  const temporary = join(home.path, 'temporary')
  await mkdir(temporary)
  const program = join(import.meta.dirname, '../bin/tickwright.js')
  const child = spawn(process.execPath, [program, 'test', '--local'], {
    cwd: mine.folder,
    env: { PATH: process.env.PATH, HOME: home.path, TMPDIR: temporary },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = once(child, 'exit')
  let said = ''
  for await (const text of child.stderr.setEncoding('utf8')) {
    if (said === '') child.kill('SIGTERM')
    said += text
  }
  assert.deepEqual([await ended, await readdir(temporary)], [[1, null], []], said)
  assert.match(said, /^Starting a service.*\n/)
  assert.match(said, /Interrupted by SIGTERM\./)
})

test('init makes a folder a project, once', async () => {
  await using home = await makeHome()
  const [made] = records(await home.run('init my-strategies --json'))
  assert.equal(made.project, 'my-strategies')
  assert.equal(await readFile(join(home.path, '.tickwright', '.gitignore'), 'utf8'), '*\n')
  assert.equal((await home.run('init')).code, 2)
  // An editor finds the types, without a network.
  const { extends: base, compilerOptions } = JSON.parse(
    await readFile(join(home.path, 'jsconfig.json'), 'utf8'),
  )
  assert.match(await readFile(join(home.path, base), 'utf8'), /noEmit/)
  assert.match(
    await readFile(join(home.path, compilerOptions.types[0], 'index.d.ts'), 'utf8'),
    /HostedClient/,
  )
})

test('every name on the service gets one of a file that each system can have', () => {
  const taken = new Set<string>()
  const names = [
    'RSI',
    'rsi',
    '../../etc/passwd',
    'CON',
    '',
    'стратегия',
    'x'.repeat(300),
    'a.b',
    '-rf',
    'rsi-2',
  ]
  for (const [id, name] of names.entries()) {
    const key = keyFor(name, 'code-strategy', id, taken)
    assert.ok(isKey(key) && !taken.has(key), `${name}: ${key}`)
    taken.add(key)
  }
  for (const key of ['', '.', '..', 'a/b', 'A', 'nul', 'com1', 'a.b', 'a\n', 'x'.repeat(101)])
    assert.ok(!isKey(key), key)
})

test('a changed file keeps its comments, and names the variables that code reads', () => {
  const source = '# mine\nsymbol: BTCUSDT # why\ncron_interval: 5M\n'
  const changed = changedSource(source, { symbol: 'BTCUSDT', cron_interval: '1H' }, '$.Env.B; $.Env["A"]')
  assert.equal(changed, '# mine\nsymbol: BTCUSDT # why\ncron_interval: 1H\nvariables:\n  - A\n  - B\n')
  assert.deepEqual(variablesIn('$.env.X $.Envy.Z $.Env.B1'), ['B1'])
  assert.equal(secretIn(`sha256: ${'0a'.repeat(32)} and ${'x'.repeat(43)}`), undefined)
})
