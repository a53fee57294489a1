import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { olderNodePath, oldestNode } from '../../../test/older-node.ts'
import { root } from '../../../test/repository.ts'
import { createClient } from '../../server/test/client.ts'
import { createTestDatabase } from '../../server/test/databases.ts'
import { emptyFolder } from '../../server/test/embedded.ts'
import { administratorKey, testEnvironment } from '../../server/test/environment.ts'
import { freePort } from '../../server/test/free-port.ts'
import { longPatienceMs } from '../../server/test/patience.ts'
import { until } from '../../server/test/until.ts'

const program = join(root, 'packages/cli/bin/tickwright.js')

test(`with Node ${oldestNode}, start serves with all its settings, and the example makes its first trade`, async () => {
  const node = await olderNodePath()
  await using database = await createTestDatabase()
  const port = await freePort()
  const settings = testEnvironment(database, {
    PORT: String(port),
    LOG_LEVEL: 'info',
    TICKWRIGHT_EXAMPLE: '1',
  })
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const env = { PATH, NODE_COMPILE_CACHE, ...settings }
  {
    await using service = started(node, ['start'], env)
    const { api, send } = createClient(`http://127.0.0.1:${port}`, administratorKey)
    await service.until('the welcome', async () => service.output().includes('A lower price closes'))

    const [hook] = /http\S+\/data-webhook\/\S+/.exec(service.output())!
    assert.equal((await send('POST', hook, { body: { price: 100 } })).status, 202)
    await service.until('a position', async () => {
      const { body } = await api('GET', '/api/v2/position?symbol=ETH/USDT')
      return body.length === 1 && body[0].side === 'long'
    })

    // What this Node cannot do is said, and not counted as if nobody could have it.
    const { parts } = (await send('GET', '/health/ready')).body
    const { containment, containmentMissing } = parts.worker
    assert.ok(containmentMissing.includes('syscalls'), JSON.stringify(parts.worker))
    assert.notEqual(containment, 'full')
    assert.match(service.output(), /has no node:ffi/)
  }

  // The service kept its compiled code when it ended.
  const doctor = promisify(execFile)(node, [program, 'doctor', '--json'], { env, timeout: longPatienceMs })
  const { stdout } = await doctor.catch((error: { stdout: string }) => error)
  const findings = stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
  assert.deepEqual(
    findings.find(({ about }) => about === 'node'),
    { about: 'node', state: 'good', text: `Node ${oldestNode}.` },
  )
})

test(`with Node ${oldestNode}, nobody reads that SQLite is experimental, and every other warning is there`, async () => {
  const node = await olderNodePath()
  await using folder = await emptyFolder()
  const lock = pathToFileURL(join(root, 'packages/server/src/db/data-folder.ts'))
  const code = `
    const { lockDataFolder } = await import(${JSON.stringify(lock.href)})
    for (const _ of [1, 2]) await (await lockDataFolder(${JSON.stringify(folder.path)}))()
    process.emitWarning('Something else is experimental', 'ExperimentalWarning')`
  const { stderr } = await promisify(execFile)(node, ['--input-type=module', '--eval', code])
  assert.doesNotMatch(stderr, /SQLite/)
  assert.match(stderr, /ExperimentalWarning: Something else/)
})

type Started = AsyncDisposable & {
  output(): string
  until(what: string, condition: () => Promise<boolean>): Promise<void>
}

function started(node: string, args: string[], env: NodeJS.ProcessEnv): Started {
  const child = spawn(node, [program, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(child, 'close')
  let written = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      written += text
    })
  return {
    output: () => written,
    async until(what, condition) {
      const holds = async () => {
        assert.equal(child.exitCode, null, written)
        return condition()
      }
      // Nothing has compiled the code for this Node before.
      await until(what, holds, 2 * longPatienceMs).catch((cause) => {
        throw new Error(written, { cause })
      })
    },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}
