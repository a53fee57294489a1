import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { SyntaxChecker } from './index.ts'

const checker = new SyntaxChecker()
after(() => checker.close())

const tooLong = { message: 'The code takes too long to parse.', line: 1, column: 1 }

/** Code that keeps a parser busy for seconds: it looks up each name among all names before it. */
const manyNames = `let ${Array.from({ length: 51_000 }, (_, n) => `$${n.toString(36)}`).join(',')}`
/** Code that fills the memory of a parser, which records each variable in every block around it. */
const manyScopes = `${'{'.repeat(85)}var ${'a,'.repeat(130_000)}a${'}'.repeat(85)}`
/** Code whose regular expression would take V8 minutes and gigabytes to create. */
const hugeSet = `/[${'\\p{RGI_Emoji}'.repeat(18_000)}]/v`

/** The most processor time that this thread used without a pause during `work`, in ms. A busy machine does not count. */
async function longestPauseDuring(work: () => Promise<unknown>): Promise<number> {
  let longestMs = 0
  let last = process.threadCpuUsage()
  const tick = () => {
    const { user, system } = process.threadCpuUsage(last)
    longestMs = Math.max(longestMs, (user + system) / 1000)
    last = process.threadCpuUsage()
  }
  const timer = setInterval(tick, 5)
  await work()
  clearInterval(timer)
  tick()
  return longestMs
}

test('a text is checked unchanged', async () => {
  assert.equal(await checker.check('return 1', 1), null)
  assert.deepEqual(await checker.check('const a = ;', 1), {
    message: 'Unexpected token',
    line: 1,
    column: 11,
  })
})

test('many checks at a time each get their own result', async () => {
  const problems = await Promise.all(
    Array.from({ length: 50 }, (_, n) => checker.check(n % 2 === 0 ? 'return' : `${'\n'.repeat(n)})`, n % 3)),
  )
  assert.deepEqual(
    problems.map((problem) => problem?.line ?? 0),
    Array.from({ length: 50 }, (_, n) => (n % 2 === 0 ? 0 : n + 1)),
  )
})

for (const [what, code] of Object.entries({ time: manyNames, memory: manyScopes })) {
  test(`a text that takes too much ${what} is given up, and delays nobody`, async () => {
    let problem: unknown
    const pauseMs = await longestPauseDuring(async () => {
      problem = await checker.check(code, 1)
    })
    assert.deepEqual(problem, tooLong)
    assert.ok(pauseMs < 250, `${pauseMs} ms`)
    assert.equal(await checker.check('return 1', 1), null)
  })
}

test('a regular expression is validated, not created', async () => {
  const before = process.memoryUsage.rss()
  assert.equal(await checker.check(hugeSet, 1), null)
  assert.match((await checker.check(hugeSet.replace(']/v', '/v'), 1))!.message, /^Unterminated regular/)
  const grownMb = (process.memoryUsage.rss() - before) / 1024 ** 2
  assert.ok(grownMb < 200, `${grownMb} MB`)
})

test('a text over the limit is not parsed', async () => {
  await assert.rejects(checker.check(' '.repeat(256 * 1024 + 1), 1), RangeError)
  assert.equal(await checker.check(' '.repeat(256 * 1024), 1), null)
})

test('owners take turns: one text does not wait for all texts of another owner', async () => {
  const order: string[] = []
  const check = (name: string, code: string, owner: number) =>
    checker.check(code, owner).then(() => order.push(name))
  await Promise.all([
    check('first of many', manyNames, 1),
    check('second of many', 'return', 1),
    check('third of many', 'return', 1),
    check('the only one', 'return', 2),
  ])
  assert.deepEqual(order, ['first of many', 'second of many', 'the only one', 'third of many'])
})

test('a thread that answers in time does not fail because the main thread was busy', async () => {
  assert.equal(await checker.check('return', 1), null)
  // After an immediate, due timers run before answers arrive.
  await setImmediate()
  const check = checker.check('return', 1)
  const untilMs = performance.now() + 1_200
  while (performance.now() < untilMs);
  assert.equal(await check, null)
})

test('closing ends the current check, at once and for good', async () => {
  const closing = new SyntaxChecker()
  await closing.check('return', 1)
  const checks = [closing.check(manyNames, 1), closing.check('return', 1)]
  const outcomes = Promise.allSettled(checks)
  await Promise.all([closing.close(), closing.close()])
  for (const outcome of await outcomes) assert.equal(outcome.status, 'rejected')
  await assert.rejects(closing.check('return', 1), /closed/)
})

test('closing also ends a thread that is starting', async () => {
  const closing = new SyntaxChecker()
  const check = assert.rejects(closing.check('return', 1), /closed/)
  await closing.close()
  await check
})

test('an idle checker keeps no process alive', async () => {
  const program = `
    import { SyntaxChecker } from '${new URL('./index.ts', import.meta.url)}'
    console.log(await new SyntaxChecker().check('return 1', 1))`
  const output = await new Promise<string>((resolve, reject) => {
    const args = ['--input-type=module', '--eval', program]
    execFile(process.execPath, args, { timeout: 60_000 }, (error, stdout) =>
      error === null ? resolve(stdout) : reject(error),
    )
  })
  assert.equal(output, 'null\n')
})
