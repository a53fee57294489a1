/** Test files that share a process run as if each had its own. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { groupTestFiles, whyAlone } from './groups/grouping.ts'
import { repositoryFiles, root } from './repository.ts'

test('npm test runs every test file once', async () => {
  const { groups, alone } = await groupTestFiles()
  const every = (await repositoryFiles()).filter((file) => file.endsWith('.test.ts'))
  assert.deepEqual([...groups.flat(), ...alone].sort(), every)
  assert.ok(groups.length > 10)
})

test('files with services share a process too, and fewer of them do, because each takes longer', async () => {
  const { groups } = await groupTestFiles()
  const groupOf = (file: string) => groups.find((files) => files.includes(file)) ?? []
  const withService = groupOf('packages/server/src/webhooks/sharing.test.ts')
  const without = groupOf('packages/server/src/signals/action-options.test.ts')
  assert.ok(withService.length > 1 && withService.length < without.length, `${withService.length}`)
})

test('a file that changes its process, measures time or starts processes has a process of its own', () => {
  for (const text of [
    'process.env.NAME = "1"',
    'context.mock.timers.enable()',
    'const before = performance.now()',
    "import { startProcess } from './process.ts'",
    "import { spawn } from 'node:child_process'",
  ])
    assert.ok(whyAlone(text), text)
  assert.equal(whyAlone("withService('a', async ({ api }) => { await api('GET', '/') })"), undefined)
})

/** Runs files that share a process, and a helper in `test/helper.ts`. */
async function run(files: Record<string, string>): Promise<{ passed: boolean; output: string }> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'tickwright-groups-'))
  await mkdir(join(folder.path, 'test'))
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder.path, name), text)
  const paths = Object.keys(files).filter((name) => name.endsWith('.test.ts'))
  const load = join(root, 'test/groups/load.ts')
  const entry = join(folder.path, 'group.test.ts')
  await writeFile(
    entry,
    `import { loadFiles } from ${JSON.stringify(load)}
loadFiles(${JSON.stringify(paths.map((name) => join(folder.path, name)))})`,
  )
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  return await new Promise((resolve) =>
    execFile(process.execPath, ['--test', '--test-reporter=spec', entry], { env }, (error, stdout, stderr) =>
      resolve({ passed: error === null, output: stdout + stderr }),
    ),
  )
}

const helper = `
import { writeSync } from 'node:fs'
import { after } from 'node:test'
export const state = { uses: 0 }
export const say = (text) => writeSync(2, text + '\\n')
after(() => { say('released after ' + state.uses) })`

test('each file has the helpers of tests for itself, and what they hold ends before the next file', async () => {
  const file = (uses: number) => `
import { test } from 'node:test'
import { say, state } from './test/helper.ts'
for (let n = 1; n <= ${uses}; n += 1) test('use ' + n, () => {
  state.uses += 1
  say('used ' + state.uses)
})`
  const { passed, output } = await run({
    'test/helper.ts': helper,
    'a.test.ts': file(2),
    'b.test.ts': file(1),
  })
  assert.ok(passed, output)
  const order = [...output.matchAll(/^(?:used|released after) \d$/gm)].map(([line]) => line)
  assert.deepEqual(order, ['used 1', 'used 2', 'released after 2', 'used 1', 'released after 1'])
})

test('a test that fails names its file, and so does a file that cannot be loaded; the others still run', async () => {
  const { passed, output } = await run({
    'a.test.ts': `throw new Error('broken')`,
    'b.test.ts': `import { test } from 'node:test'\ntest('wrong', () => { throw new Error('failed') })`,
    'c.test.ts': `import { test } from 'node:test'\ntest('right', () => {})`,
  })
  assert.equal(passed, false)
  assert.match(output, /✖ \S*a\.test\.ts/)
  assert.match(output, /test at \S*b\.test\.ts:2:1/)
  assert.match(output, /✔ right/)
})
