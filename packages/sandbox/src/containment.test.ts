import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { executorCommand } from './containment.ts'

const options = { jit: true, residentLimitBytes: 512 * 1024 * 1024 }

/** Runs a program as executors are run, and returns what it printed. */
async function contained(program: string): Promise<string> {
  const { program: first, args } = await executorCommand(options)
  const { stdout, stderr, status } = spawnSync(first, args, {
    cwd: '/',
    env: {},
    input: program,
    encoding: 'utf8',
  })
  assert.equal(status, 0, stderr)
  return stdout
}

const tries: [what: string, program: string][] = [
  ['read a file', `require('node:fs').readFileSync('/etc/passwd')`],
  ['list a folder', `require('node:fs').readdirSync('/')`],
  ['write a file', `require('node:fs').writeFileSync('/tmp/tickwright-escape', 'x')`],
  ['start a process', `require('node:child_process').execFileSync('/bin/true')`],
  ['start a worker', `new (require('node:worker_threads').Worker)('0', { eval: true })`],
  ['open the inspector', `require('node:inspector').open(0)`],
]

for (const [what, program] of tries) {
  test(`an executor cannot ${what}`, async () => {
    const printed = await contained(
      `try { ${program}; console.log('done') } catch (error) { console.log(error.code) }`,
    )
    assert.match(printed, /^(ERR_ACCESS_DENIED|ERR_[A-Z_]+)\n$/)
  })
}

test('an executor sees no environment', async () => {
  assert.equal(await contained('console.log(JSON.stringify(process.env))'), '{}\n')
})

test('an executor has no network', async () => {
  const printed = await contained(`
    const report = (word) => { console.log(word); process.exit() }
    try {
      require('node:net').connect(80, '127.0.0.1').on('connect', () => report('connected')).on('error', (e) => report(e.code))
    } catch (error) { report(error.code) }`)
  assert.equal(printed, 'ERR_ACCESS_DENIED\n')
})

test('every layer that was reached does what its name says', async () => {
  const { layers, level } = await executorCommand(options)
  assert.equal(level === 'permission', layers.length === 0)
  const seen = JSON.parse(
    await contained(`console.log(JSON.stringify({
      uid: process.getuid(), groups: process.getgroups(), interfaces: Object.keys(require('node:os').networkInterfaces()),
      limits: process.report.getReport().userLimits }))`),
  )
  if (layers.includes('user'))
    assert.deepEqual([seen.uid, seen.groups.filter((id: number) => id !== 65_534)], [65_534, []])
  if (layers.includes('namespaces')) assert.deepEqual(seen.interfaces, [])
  if (layers.includes('limits')) {
    assert.equal(Number(seen.limits.open_files.soft), 64)
    assert.equal(Number(seen.limits.file_size_blocks.hard), 0)
  }
})
