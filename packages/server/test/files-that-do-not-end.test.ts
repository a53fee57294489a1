/** A test file that does not end fails, and does not delay the others. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { patienceMs } from './patience.ts'

const here = (name: string) => new URL(name, import.meta.url).href

/** Runs one test file as `npm test` does, with this limit, which is long enough for its start. */
async function runFile(code: string, limitMs = patienceMs): Promise<{ exit: number | null; output: string }> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'tickwright-test-'))
  const setup = join(folder.path, 'setup.ts')
  const file = join(folder.path, 'x.test.ts')
  await writeFile(
    setup,
    `import { limitFiles } from '${here('file-limit.ts')}'\nexport const globalSetup = () => limitFiles(${limitMs})`,
  )
  await writeFile(file, `import { test } from 'node:test'\ntest('x', () => { ${code} })`)
  const args = ['--import', here('lingering.ts'), '--test', `--test-global-setup=${setup}`, file]
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const child = spawn(process.execPath, args, {
    env: { ...env, TEST_FILE_GRACE_MS: '100' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  const [exit, ...output] = await Promise.all([ended, text(child.stdout), text(child.stderr)])
  return { exit, output: output.join('') }
}

test('a file that ends passes', async () => {
  const { exit, output } = await runFile('')
  assert.equal(exit, 0, output)
})

test('a file that keeps something open after its tests fails and names it', async () => {
  const { exit, output } = await runFile('setInterval(() => {}, 1000)')
  assert.equal(exit, 1, output)
  assert.match(output, /x\.test\.ts have ended, but left open: .*Timeout/)
})

test('a file that never ends is killed and named', async () => {
  const { exit, output } = await runFile('for (;;);', 4_000)
  assert.equal(exit, 1, output)
  assert.match(output, /x\.test\.ts did not end within 4 s and was killed/)
})
