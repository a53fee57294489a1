/** The client for Python: its own tests with a real service, and the examples of its README. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { expect } from '../../packages/server/test/reaction.ts'
import { type Account, withSharedAccount } from '../../packages/server/test/shared-account.ts'
import { blocksOf } from '../../test/documents.ts'
import { whyMissing } from '../../test/programs.ts'

const execute = promisify(execFile)
const missing = whyMissing('python3')

if (missing !== false) test('the client for Python', { skip: missing }, () => {})
else {
  withSharedAccount('the module passes its own tests, with a service and without', async (account) => {
    const { stderr } = await python(account, '-m', 'unittest', '-v')
    assert.match(stderr, /^Ran \d+ tests/m)
    assert.match(stderr, /^OK$/m, stderr)
    assert.match(stderr, /\(test_tickwright\.Service.*ok$/m)
  })

  withSharedAccount('the examples of its README say what stands below them', async (account) => {
    const blocks = await blocksOf('clients/python/README.md')
    const textOf = (wanted: string) =>
      blocks.filter(({ language }) => language === wanted).map(({ text }) => text)
    const { stdout } = await python(account, '-c', textOf('python').join('\n'))
    assert.equal(stdout, textOf('text').join(''))
  })
}

/** Runs Python in the folder of the module, as a user of the service. */
async function python(account: Account, ...args: string[]): Promise<{ stdout: string; stderr: string }> {
  const settings = { name: 'Python', algorithm: 'HMAC' }
  const { api_key, api_secret } = await expect(201, account.api('POST', '/api/v2/api/key', settings))
  // Without a proxy of this environment, and without files beside the module.
  const { PATH = '', HOME = '' } = process.env
  const env = {
    ...{ PATH, HOME, PYTHONDONTWRITEBYTECODE: '1', PYTHONUTF8: '1' },
    ...{ TICKWRIGHT_URL: account.url, TICKWRIGHT_API_KEY: api_key, TICKWRIGHT_API_SECRET: api_secret },
  }
  return execute('python3', args, { cwd: import.meta.dirname, env })
}
