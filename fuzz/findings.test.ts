/** Tries all earlier findings again, and the inputs that the fuzzer starts from. */
import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { relative } from 'node:path'
import { after, test } from 'node:test'
import { replay } from './fuzzer.ts'
import { findingsFolder, readCorpus, readFindings, readTargets } from './inputs.ts'
import { WorkerProcess } from './worker-process.ts'

const targets = await readTargets()
const worker = new WorkerProcess({ coverage: false })
after(() => worker[Symbol.dispose]())

for (const named of targets) {
  const { name, target } = named
  const findings = await readFindings(name)
  for (const { path, input } of findings) {
    test(`${relative(process.cwd(), path)} no longer fails`, async () => {
      assert.equal((await replay(named, worker, input))?.text, undefined)
    })
  }
  if (target.format === 'json') continue
  test(`${name} holds for its seeds and its corpus`, async () => {
    const corpus = await readCorpus(name)
    assert.ok(target.seeds.length > 0)
    for (const input of [...target.seeds, ...corpus]) {
      const problem = await replay(named, worker, input)
      assert.equal(problem?.text, undefined, JSON.stringify(input.toString()))
    }
  })
}

test('every finding belongs to a target', async () => {
  const folders = await readdir(findingsFolder)
  const names = targets.map(({ name }) => name)
  assert.deepEqual(
    folders.filter((folder) => !names.includes(folder)),
    [],
  )
})
