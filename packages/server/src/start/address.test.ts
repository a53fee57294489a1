import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { withDatabase } from '../../test/databases.ts'
import { startInVain, startProcess } from '../../test/process.ts'
import { checkAddress } from './address.ts'

/** As at a very first start: the service generates the password and the key. */
const nothingGiven = {
  TICKWRIGHT_ADMIN_PASSWORD: '',
  TICKWRIGHT_ADMIN_API_KEY: '',
  TICKWRIGHT_ADMIN_API_SECRET: '',
}

withDatabase(
  'a first start on a port that is in use creates nothing, and the next one shows the password',
  async (database) => {
    await using taken = createServer()
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
    const { port } = taken.address() as { port: number }
    const { exit, output } = await startInVain({ database, env: { ...nothingGiven, PORT: String(port) } })
    assert.equal(exit, 1)
    assert.equal(output, `Port ${port} is in use. Choose another: PORT=${port + 1} npm start\n`)
    await using next = await startProcess({
      database,
      env: { TICKWRIGHT_ADMIN_PASSWORD: '', TICKWRIGHT_ADMIN_EMAIL: 'first@example.com' },
    })
    assert.match(next.output(), /administrator {2}first@example\.com\n {2}password {7}\S{20}/)
  },
)

test('an address that this machine does not have is refused with a way out', async () => {
  for (const host of ['nowhere.invalid', '192.0.2.1']) {
    await assert.rejects(checkAddress({ host, port: 0 }), {
      name: 'ConfigError',
      message: `HOST must be an address or a name of this machine, got "${host}". Try 127.0.0.1, or 0.0.0.0 to listen on every address: HOST=127.0.0.1 npm start`,
    })
  }
})

test('the check leaves a usable address free', async () => {
  await checkAddress({ host: '127.0.0.1', port: 0 })
  await using server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  server.close()
  await checkAddress({ host: '127.0.0.1', port })
  await checkAddress({ host: '127.0.0.1', port })
})
