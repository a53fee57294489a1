/** Shows that the fuzzer finds faults, with targets that have planted ones. */
import assert from 'node:assert/strict'
import { mkdtempDisposable, readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { runFuzzer } from './command.ts'
import { fuzz, replay } from './fuzzer.ts'
import { readTarget } from './inputs.ts'
import { WorkerProcess } from './worker-process.ts'

/** Fuzzes a toy target, and tries its finding again. */
async function findingsOf(toy: string, executions: number) {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'findings-'))
  const named = await readTarget(toy, new URL(`toys/${toy}.ts`, import.meta.url))
  using worker = new WorkerProcess({ coverage: true, busyLimitMs: 300 })
  const options = { seed: 1, milliseconds: Number.POSITIVE_INFINITY, executions, faults: 1 }
  const result = await fuzz(named, worker, { ...options, findings: pathToFileURL(`${folder.path}/`) })
  const [finding] = result.findings
  assert.ok(finding !== undefined, `nothing after ${result.executions} executions`)
  const saved = await readFile(finding.path)
  using another = new WorkerProcess({ coverage: false, busyLimitMs: 300 })
  return { finding, saved, replayed: await replay(named, another, saved) }
}

test('a fault behind three bytes is found, shrunk, and fails again', async () => {
  const { finding, saved, replayed } = await findingsOf('throws', 60_000)
  assert.match(finding.problem.text, /TypeError: planted/)
  assert.deepEqual(saved, Buffer.from([0x61, 0xe9, 0x3f]))
  assert.equal(replayed?.place, finding.problem.place)
})

test('an endless loop is found, with its input', async () => {
  const { finding, saved, replayed } = await findingsOf('loops', 20_000)
  assert.match(finding.problem.text, /busy for more than/)
  assert.equal(saved.toString().split('"').length % 2, 0, `an odd number of quotation marks: ${saved}`)
  assert.equal(replayed?.place, finding.problem.place)
})

test('a stack overflow is found', async () => {
  const { finding, replayed } = await findingsOf('overflows', 20_000)
  assert.match(finding.problem.text, /Maximum call stack/)
  assert.equal(replayed?.place, finding.problem.place)
})

test('an input that ends the process is found', async () => {
  const { finding, saved, replayed } = await findingsOf('aborts', 5_000)
  assert.match(finding.problem.text, /SIGABRT/)
  assert.ok(JSON.parse(saved.toString()).includes(7))
  assert.equal(replayed?.place, finding.problem.place)
})

test('a value that breaks a property is found, and shrunk', async () => {
  const { saved, replayed } = await findingsOf('wrong', 5_000)
  assert.deepEqual(JSON.parse(saved.toString()), { size: 1000, name: '' })
  assert.match(replayed!.text, /too large/)
})

test('the command prints and saves a finding, and exits with 1', async (context) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'findings-'))
  const { mock } = context.mock.method(console, 'log', () => undefined)
  const places = { targets: new URL('toys/', import.meta.url), findings: pathToFileURL(`${folder.path}/`) }
  assert.equal(await runFuzzer(['--target', 'aborts', '--seconds', '60', '--seed', '1'], places), 1)
  const printed = mock.calls.map(({ arguments: [line] }) => String(line)).join('\n')
  const [file] = await readdir(join(folder.path, 'aborts'))
  const input = await readFile(join(folder.path, 'aborts', file!), 'utf8')
  assert.match(printed, /^1 targets, 60 s, --seed 1$/m)
  assert.match(printed, /^aborts .* executions, .* 1 findings$/m)
  assert.ok(printed.includes(file!) && printed.includes(JSON.stringify(input)), printed)
})

for (const [given, message] of [
  [['--target', 'nothing'], /There is no target "nothing"\. There are .*\nUsage: /],
  [['--seconds', 'long'], /--seconds must be a whole number from 1 to 1000000, got "long"/],
  [['--wrong'], /Unknown option '--wrong'[\s\S]*Usage: npm run fuzz/],
] as const) {
  test(`${given.join(' ')} is refused with a hint`, async (context) => {
    const { mock } = context.mock.method(console, 'error', () => undefined)
    assert.equal(await runFuzzer([...given]), 2)
    assert.match(String(mock.calls[0]?.arguments[0]), message)
  })
}
