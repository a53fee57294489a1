/** Runs the commands of the documentation against a real service, and compares the answers. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { makeBot } from '../packages/server/test/bot.ts'
import type { Client } from '../packages/server/test/client.ts'
import { createEmbeddedDatabase } from '../packages/server/test/databases.ts'
import { administratorKey } from '../packages/server/test/environment.ts'
import { freePort } from '../packages/server/test/free-port.ts'
import { startMailbox } from '../packages/server/test/mailbox.ts'
import { longPatienceMs } from '../packages/server/test/patience.ts'
import { startProcess } from '../packages/server/test/process.ts'
import { makeReaction } from '../packages/server/test/reaction.ts'
import { startReceivers } from '../packages/server/test/receiver.ts'
import { startService } from '../packages/server/test/service.ts'
import { makeStrategy } from '../packages/server/test/strategy.ts'
import { until } from '../packages/server/test/until.ts'
import { type Block, blocksOf, likeness } from './documents.ts'
import { read } from './repository.ts'
import { missing, openShell, type Shell } from './shell.ts'
import { rowsOf } from './tables.ts'

const options = { skip: missing('sh', 'curl', 'openssl') }
const execute = promisify(execFile)

/** A service that documents are compared with. */
type Documented = Client & { url: string }

test('everything that authentication.md shows works unchanged', options, async () => {
  await using service = await startDocumented()
  using shell = openShell()
  const blocks = await blocksOf('docs/authentication.md')
  await runBlocks(shell, service, blocks)

  const [hmac, mlDsa, pair] = blocks.filter(({ language }) => language === 'js')
  const renamed = await runScript(hmac!, service, administratorKey)
  assert.match(renamed, /name: 'Named in JavaScript'/)

  const made = await service.api('POST', '/api/v2/api/key', { name: 'ML-DSA', algorithm: 'ML-DSA' })
  const mlDsaKey = { key: made.body.api_key, secret: made.body.api_secret }
  assert.match(await runScript(mlDsa!, service, mlDsaKey), /name: 'ML-DSA'/)

  const brought = JSON.parse(await runScript(pair!, service, administratorKey))
  const registered = await service.api('POST', '/api/v2/api/key', brought)
  assert.equal(registered.status, 201, JSON.stringify(registered.body))
  assert.equal('api_secret' in registered.body, false)
})

test('everything that mcp.md shows works unchanged', options, async () => {
  await using service = await startDocumented()
  using shell = openShell()
  await signIn(shell, service)
  const blocks = await blocksOf('docs/mcp.md')
  const answer = await runBlocks(shell, service, blocks)
  assert.match(answer, /"key\\":\{\\"id\\":2,\\"mcp\\":\\"read\\"\}/)
})

test('everything that webhooks.md shows works unchanged', options, async () => {
  await using service = await startDocumented()
  using shell = openShell()
  await signIn(shell, service)
  await runBlocks(shell, service, await blocksOf('docs/webhooks.md'))
})

test('everything that strategies.md shows works unchanged', options, async () => {
  await using service = await startDocumented()
  using shell = openShell()
  await signIn(shell, service)
  await runBlocks(shell, service, await blocksOf('docs/strategies.md'))
})

test('everything that signals.md shows works unchanged', options, async () => {
  await using service = await startDocumented()
  using shell = openShell()
  await signIn(shell, service)
  await runBlocks(shell, service, await blocksOf('docs/signals.md'))
})

test('everything that bots.md shows works unchanged', options, async () => {
  await using service = await startDocumented()
  using shell = openShell()
  await signIn(shell, service)
  await runBlocks(shell, service, await blocksOf('docs/bots.md'))
})

test('everything that operations.md shows works unchanged', options, async () => {
  // The default number, which the document shows.
  await using database = await createEmbeddedDatabase()
  await using service = await startProcess({ database, env: { SANDBOX_EXECUTORS: '2' } })
  using shell = openShell()
  await runBlocks(shell, service, await blocksOf('docs/operations.md'))
})

test('the metrics that operations.md names exist and count', async () => {
  await using mailbox = await startMailbox()
  await using receivers = await startReceivers()
  const env = { SMTP_URL: mailbox.url, HTTP_ALLOW: receivers.host }
  await using service = await startService({ env })
  const receiver = receivers.add()
  receiver.answers(500)
  const endpoint = { url: receiver.url, events: ['run.failed'] }
  await service.api('POST', '/api/v2/notification/endpoint', endpoint)
  await (await makeReaction(service, 'throw new Error()')).post({})
  // The mail about the first suspension is sent. The next one has to wait.
  const tooMuch = "await $.Storage.set('x'.repeat(30_000))"
  for (const code of [tooMuch, tooMuch]) {
    await (await makeReaction(service, code)).post({})
    await until('the first mail', async () => mailbox.received.length > 0)
  }
  const reaction = await makeReaction(service, '$.log(1)')
  await reaction.post({})
  await reaction.ended(1)
  const market = { use_price: true, exchange_id: 2, price_symbol: 'BTCUSDT' }
  await makeStrategy(service, '', { ...market, cron_interval: 'TICK' })
  await makeStrategy(service, '', { cron_interval: '10S' })
  await (await makeBot(service)).send({ symbol: 'BTCUSDT', side: 'BUY' })
  const documented = rowsOf(await read('docs/operations.md'), 'metric')
  // A run is counted shortly after its end is visible.
  let figures = ''
  // Only live positions count there.
  const stays0 = 'tickwright_unprotected_seconds_total'
  const counted = ([name]: string[]) =>
    new RegExp(`^${name}(_count)?(\\{.*\\})? ${name === stays0 ? 0 : '[1-9]'}`, 'm').test(figures)
  const haveCounted = async () => {
    figures = (await service.send('GET', '/metrics')).body
    return documented.every(counted)
  }
  await until('every documented metric to count', haveCounted)
  assert.ok(documented.length > 3)
})

/** A service whose answers have its URL, so it has to know its port before it listens. */
async function startDocumented() {
  return startService({ env: { PORT: String(await freePort()) } })
}

/** Defines the function `api` that other pages use. */
async function signIn(shell: Shell, service: Documented): Promise<void> {
  const [definition] = (await blocksOf('docs/authentication.md')).filter(({ language }) => language === 'sh')
  await shell.run(filledIn(definition!.text, service, ''))
}

/** Runs the `sh` blocks in order. If a `json` block follows, the answer must match it. Resolves to the last answer. */
async function runBlocks(shell: Shell, service: Documented, blocks: Block[]): Promise<string> {
  let answer = ''
  let compared = 0
  for (const [index, { language, text, line }] of blocks.entries()) {
    if (language !== 'sh') continue
    answer = await shell.run(filledIn(text, service, answer))
    const told = blocks[index + 1]
    if (told?.language !== 'json') continue
    const documented = JSON.parse(told.text.replaceAll('http://127.0.0.1:3000', service.url))
    assert.deepEqual(likeness(JSON.parse(answer), documented), documented, `line ${line}: ${answer}`)
    compared++
  }
  assert.ok(compared > 0)
  return answer
}

/** Fills in what a reader would: the key, the address, and for `name=...` the value in the last answer. */
function filledIn(script: string, service: Documented, lastAnswer: string): string {
  const known: Record<string, string> = {
    TICKWRIGHT_API_KEY: administratorKey.key,
    TICKWRIGHT_API_SECRET: administratorKey.secret,
  }
  return script
    .replaceAll('http://127.0.0.1:3000', service.url)
    .replaceAll(/^(\w+)=\.\.\./gm, (_all, name: string) => {
      const value = known[name] ?? JSON.parse(lastAnswer)[name] ?? JSON.parse(lastAnswer).id
      return `${name}='${value}'`
    })
}

async function runScript(
  block: Block,
  service: Documented,
  { key, secret }: { key: string; secret: string },
): Promise<string> {
  const env = { TICKWRIGHT_URL: service.url, TICKWRIGHT_API_KEY: key, TICKWRIGHT_API_SECRET: secret }
  const { stdout } = await execute(process.execPath, ['--input-type=module', '--eval', block.text], {
    env,
    timeout: longPatienceMs,
  })
  return stdout
}
