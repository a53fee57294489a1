import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempDisposable, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { answerTo } from './command-line.ts'

const main = fileURLToPath(new URL('../main.ts', import.meta.url))

test('help and version are answered without starting anything', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'tickwright-test-'))
  const ask = (argument: string) =>
    promisify(execFile)(process.execPath, [main, argument], { cwd: folder.path, env: {} })
  assert.match((await ask('--help')).stdout, /npm start[\s\S]*PORT=3001/)
  assert.match((await ask('--version')).stdout, /^\d+\.\d+\.\d+\n$/)
  assert.deepEqual(await readdir(folder.path), [])
})

test('an unknown argument is refused with a way out', () => {
  assert.deepEqual(answerTo(['--prot=3001']), {
    text: "Unknown option '--prot'. Try: npm start -- --help\n",
    exitCode: 1,
  })
  assert.equal(answerTo(['start'])?.exitCode, 1)
  assert.equal(answerTo([]), undefined)
})
