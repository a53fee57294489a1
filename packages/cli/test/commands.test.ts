/** Commands against a real service. Most run in this process; the file that npm links runs as a process of its own. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { missing } from '../../../test/shell.ts'
import { makeBot } from '../../server/test/bot.ts'
import { longPatienceMs } from '../../server/test/patience.ts'
import { expect, makeReaction } from '../../server/test/reaction.ts'
import { type Account, withSharedAccount } from '../../server/test/shared-account.ts'
import { login, password } from './login.ts'
import { type Done, makeHome, records } from './run.ts'
import { openTerminal } from './terminal.ts'

const execute = promisify(execFile)
const program = fileURLToPath(new URL('../bin/tickwright.js', import.meta.url))

test('--help and --version load neither the client nor any command', async () => {
  const shown = 'process.stderr.write(url+"\\n");return next(url,context)'
  const hook = `import{registerHooks}from"node:module";registerHooks({load(url,context,next){${shown}}})`
  const env = {
    PATH: process.env.PATH,
    HOME: '/nonexistent',
    NODE_OPTIONS: `--import ${JSON.stringify(`data:text/javascript,${encodeURIComponent(hook)}`)}`,
  }
  for (const option of ['--help', '--version']) {
    const { stdout, stderr } = await execute(process.execPath, [program, option], {
      env,
      timeout: longPatienceMs,
    })
    assert.match(stdout, option === '--help' ? /^Usage: tickwright[\s\S]*Exit codes/ : /^\d+\.\d+\.\d+\n$/)
    assert.match(stderr, /\/commander\//)
    assert.doesNotMatch(stderr, /packages\/client|src\/commands|src\/profiles|clack/)
  }
})

test('wrong use has exit code 2, and nothing of it reaches the terminal raw', async () => {
  await using home = await makeHome()
  for (const args of [['nonsense\u001b[2J'], ['bots', 'x'], ['runs', '-n', '0'], ['why'], ['status']]) {
    const { code, out, err } = await home.run(args)
    assert.deepEqual([code, out], [2, ''], args.join(' '))
    assert.notEqual(err, '')
    assert.ok(!err.includes('\u001b'))
  }
  const half = await home.run('status', { env: { TICKWRIGHT_URL: 'http://127.0.0.1:1' } })
  assert.equal(half.code, 2)
  assert.match(half.err, /set all three/)
  const key = { TICKWRIGHT_URL: 'http://127.0.0.1:1', TICKWRIGHT_API_KEY: 'k', TICKWRIGHT_API_SECRET: 's' }
  assert.equal((await home.run('status --profile other', { env: key })).code, 2)
  assert.equal((await home.run('whoami', { env: key })).code, 6)
})

withSharedAccount('login makes a key for this machine, and logout revokes it', async (account) => {
  await using home = await makeHome()
  const keys = () => expect(200, account.api('GET', '/api/v2/api/key'))
  const { email } = await login(home, account)
  assert.deepEqual(
    (await keys()).map(({ name }: { name: string }) => name),
    ['tests', 'tickwright on laptop'],
  )
  const [me] = records(await home.run('whoami --json'))
  assert.deepEqual([me.user.email, me.profile, me.production], [email, 'default', false])
  assert.equal((await expect(200, account.api('GET', '/api/v2/user/sessions'))).length, 1)

  await login(home, account, ' --production')
  assert.equal((await keys()).length, 2)
  const wrong = await home.run(`login --email ${email} --password-stdin`, { input: 'wrong\n' })
  assert.deepEqual([wrong.code, wrong.out], [3, ''])
  const elsewhere = await home.run('login https://other.example.com')
  assert.match(elsewhere.err, /belongs to/)

  const unasked = await home.run('logout')
  assert.equal(unasked.code, 2)
  assert.match(unasked.err, /default \(http.*--yes/)
  assert.equal((await keys()).length, 2)
  assert.equal((await home.run('logout --yes')).code, 0)
  assert.equal((await keys()).length, 1)
  assert.equal((await home.run('whoami')).code, 2)
})

withSharedAccount(
  'the environment takes precedence over the profile, and a revoked key is not allowed',
  async (account) => {
    await using home = await makeHome()
    await login(home, account)
    const key = await expect(201, account.api('POST', '/api/v2/api/key', { name: 'env', algorithm: 'HMAC' }))
    const env = {
      TICKWRIGHT_URL: account.url,
      TICKWRIGHT_API_KEY: key.api_key,
      TICKWRIGHT_API_SECRET: key.api_secret,
    }
    // What a profile calls production stays so, by any name of this machine.
    records(await home.run('profile default --production --json'))
    const elsewhere = { ...env, TICKWRIGHT_URL: account.url.replace('127.0.0.1', '127.0.0.2') }
    await writeFile(join(home.path, 'tickwright.yaml'), 'project: tests\n')
    const asked = await home.run('watch', { env: elsewhere })
    assert.deepEqual([asked.code, asked.out], [2, ''])
    assert.match(asked.err, /^production \(http:\/\/127\.0\.0\.2.*--yes/)
    records(await home.run('profile default --no-production --yes --json'))
    assert.equal(records(await home.run('whoami --json', { env }))[0].profile, null)
    await expect(200, account.api('DELETE', `/api/v2/api/key/${key.id}`))
    assert.equal((await home.run('whoami', { env })).code, 3)
  },
)

withSharedAccount(
  'the looking commands show what there is, also what hostile senders wrote',
  async (account) => {
    await using home = await makeHome()
    await login(home, account)
    const bot = await makeBot(account, { name: 'Follower\u001b[2J' })
    await bot.send({ symbol: 'BTCUSDT', side: 'BUY' })
    await bot.send({ symbol: 'BTCUSDT', side: 'BUY' })
    await bot.followed(2)
    await bot.send({ symbol: 'BTCUSDT', side: 'sideways' })
    const reaction = await makeReaction(account, '$.log("seen \\u001b]0;title\\u0007")')
    await reaction.post({})
    await reaction.ended(1)

    const [named] = records(await home.run('bots --json'))
    assert.equal(named.id, bot.id)
    const all: Record<string, Done> = {}
    for (const command of [
      'status',
      'bots',
      `positions --bot ${bot.id}`,
      'orders',
      'fills',
      'signals',
      'runs',
      'logs',
      'refusals',
      'why btcusdt',
    ]) {
      const done = await home.run(command)
      assert.equal(done.code, 0, `${command}: ${done.err}`)
      assert.doesNotMatch(done.out + done.err, /[^\P{Cc}\n\t]/u, command)
      all[command.split(' ')[0]!] = done
    }
    assert.match(all.status!.out, /^bots +1 of 1 active, 0 of them live$/m)
    assert.match(all.bots!.out, /Follower\\x1b\[2J\tACTIVE\tpaper/)
    assert.match(all.positions!.out, /BTC\/USDT.*\tlong\t/)
    assert.match(all.orders!.out, /\tbuy\topen\t.*FILLED/)
    assert.match(all.fills!.out, /\tbuy\t/)
    assert.match(all.signals!.out, /LONG\tBTCUSDT/)
    assert.match(all.logs!.out, /SUCCEEDED\n {2}seen \\x1b]0;title\\x07\n/)
    assert.match(all.refusals!.out, /bot webhook \d+ .*side/)
    assert.match(all.why!.out, /\tIGNORED\t\S/)
    assert.match(all.why!.out, /\tDONE\t/)
    const filtered = await home.run(['orders', '--bot', named.name, '--symbol', 'ETH/USDT', '--json'])
    assert.deepEqual(records(filtered), [])
    assert.match((await home.run('orders --bot nobody')).err, /no bot with the id or the name 'nobody'/)
  },
)

withSharedAccount('health says what each part of a service does, without a key', async ({ url }) => {
  await using home = await makeHome()
  const parts = records(await home.run(`health ${url} --json`))
  assert.deepEqual(parts.find(({ part }) => part === 'database').ready, true)
  const shown = await home.run('health', { env: { TICKWRIGHT_URL: url } })
  assert.match(shown.out, /^part\tready\tfacts\n/)
  assert.match(shown.out, /^worker\tyes\t.*containment: \w+/m)
  assert.equal((await home.run('health http://127.0.0.1:1')).code, 6)
  assert.equal((await home.run('health')).code, 2)
})

test('commands of the machine run the server that is installed there', async () => {
  await using home = await makeHome()
  const env = { PATH: process.env.PATH, HOME: home.path, DATA_DIR: home.path }
  const run = execute(process.execPath, [program, 'backup', `${home.path}/b`], {
    env,
    timeout: longPatienceMs,
  })
  await assert.rejects(run, ({ code, stderr }: { code: number; stderr: string }) => {
    assert.equal(code, 1, stderr)
    assert.match(stderr, /There is no database in .* yet/)
    return true
  })
})

test('shells complete commands and their options', async () => {
  const env = { PATH: process.env.PATH, HOME: '/nonexistent' }
  const run = async (...args: string[]) =>
    (await execute(process.execPath, [program, 'complete', ...args], { env, timeout: longPatienceMs })).stdout
  const commands = await run('--', 'pu')
  assert.match(commands, /^push\b/m)
  assert.match(commands, /^pull\b/m)
  assert.doesNotMatch(commands, /^bots\b/m)
  assert.match(await run('--', 'push', '--p'), /^--prune\b/m)
})

const atTerminal = missing('script') === false ? withSharedAccount : test.skip

atTerminal(
  'at a terminal, login asks without showing the password, and a change in production asks',
  async (account: Account) => {
    await using home = await makeHome()
    const { email } = await expect(200, account.api('GET', '/api/v2/user/me'))
    const node = `'${process.execPath}' '${program}'`
    const env = { HOME: home.path }
    using signingIn = openTerminal(`${node} login ${account.url} --production`, env, 60)
    await signingIn.answer(/E-mail address/, `${email}\r`)
    await signingIn.answer(/Password/, `${password}\r`)
    const { code, screen } = await signingIn.ended()
    assert.equal(code, 0, screen)
    assert.ok(!screen.includes(password))
    assert.match(screen, /^production +yes/m)

    using refusing = openTerminal(`${node} logout`, env, 60)
    await refusing.answer(/default \(http.*sign out, and/, 'n')
    const refused = await refusing.ended()
    assert.equal(refused.code, 1, refused.screen)
    assert.match(refused.screen, /Nothing was changed/)
    assert.equal((await home.run('whoami')).code, 0)
  },
)
