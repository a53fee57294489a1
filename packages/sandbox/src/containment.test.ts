import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { type Level, levelsOf } from '../test/levels.ts'
import { executorCommand, withOwnUser } from './containment.ts'
import { syscallFilter } from './syscall-filter.ts'
import { until } from './test-support.ts'

const options = { jit: true, residentLimitBytes: 512 * 1024 * 1024 }

/** Runs a program in the containment of an executor, and returns its output. */
async function contained(program: string): Promise<string> {
  return outputOf(await executorCommand(options), program)
}

function outputOf({ program: first, args }: Pick<Level, 'program' | 'args'>, program: string): string {
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
  ['open a file as a database', `new (require('node:sqlite').DatabaseSync)('/tmp/tickwright-escape')`],
]

type Tried = { level: string; codes: string[] }
let tried: Promise<Tried[]> | undefined

/** The codes with which all of them end, at each level. One process tries them all, because its start takes the longest. */
async function tryAll(): Promise<Tried[]> {
  const program = `
    const codes = [${tries.map(([, program]) => `() => { ${program} }`).join(', ')}].map((attempt) => {
      try { attempt() } catch (error) { return error.code }
      return 'done'
    })
    console.log(JSON.stringify(codes))`
  return levelsOf(await executorCommand(options)).map((level) => ({
    level: level.name,
    codes: JSON.parse(outputOf(level, program)),
  }))
}

for (const [index, [what]] of tries.entries()) {
  test(`an executor cannot ${what}`, async () => {
    tried ??= tryAll()
    for (const { level, codes } of await tried) assert.match(codes[index]!, /^ERR_[A-Z_]+$/, level)
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

const linux = { skip: process.platform === 'linux' ? false : 'there are no namespaces here' }

/** The result of `executorCommand` in a separate process, which a shell script starts with fewer rights or tools. */
function foundAfter(script: string): { level: string; layers: string[]; missing: { layer: string }[] } {
  const program = `
    const { executorCommand } = await import(${JSON.stringify(new URL('containment.ts', import.meta.url).href)})
    const { level, layers, missing } = await executorCommand(${JSON.stringify(options)})
    console.log(JSON.stringify({ level, layers, missing }))`
  const node = [process.execPath, ...process.execArgv, '--input-type=module', '--eval', program]
  const { stdout, stderr } = spawnSync(
    'unshare',
    ['-Urm', 'sh', '-c', `${script}; exec "$@"`, 'sh', ...node],
    {
      encoding: 'utf8',
    },
  )
  assert.notEqual(stdout, '', stderr)
  return JSON.parse(stdout)
}

test(
  'what the machine does not allow is missing, and named with what the machine says',
  linux,
  async (context) => {
    if ((await executorCommand(options)).level !== 'full')
      return context.skip('this machine itself lacks something')
    const forbid = 'echo 0 > /proc/sys/user/max_mnt_namespaces'
    if (spawnSync('unshare', ['-Urm', 'sh', '-c', forbid]).status !== 0)
      return context.skip('in a container, /proc/sys is read-only')
    const { level, layers, missing } = foundAfter(forbid)
    assert.equal(level, 'partial')
    assert.deepEqual(
      missing.map(({ layer }) => layer),
      ['root'],
    )
    assert.match(JSON.stringify(missing), /unshare/)
    assert.ok(layers.includes('processes') && layers.includes('syscalls'))
  },
)

test('a separate user does not count as missing if there is only one user', linux, async (context) => {
  if ((await executorCommand(options)).level !== 'full')
    return context.skip('this machine itself lacks something')
  const { level, layers } = foundAfter(':')
  assert.equal(level, 'full')
  assert.ok(!layers.includes('user'))
})

test('each executor has a separate user', async () => {
  const command = await executorCommand(options)
  const users = [command, withOwnUser(command), withOwnUser(command)].map(({ user }) => user)
  assert.equal(new Set(users).size, command.layers.includes('user') ? 3 : 1)
  if (command.user === null) return
  const other = withOwnUser(command)
  assert.ok(other.args.includes(`--reuid=${other.user}`) && other.args.includes(`--regid=${other.user}`))
  assert.ok(!other.args.join(' ').includes(String(command.user)))
})

test('a stuck executor dies when its service is killed', linux, async () => {
  const program = `
    const { openSandbox } = await import(${JSON.stringify(new URL('index.ts', import.meta.url).href)})
    const sandbox = await openSandbox({ executors: 1, timeoutMs: 600_000 })
    const input = { strategy: { id: 1, type: 'code-strategy', signal: null }, storage: null, request: null, price: null, env: {} }
    const code = '[].indexOf.call({ length: 2 ** 53 - 1 }, 1)'
    void sandbox.run({ strategyId: 1, code, input, host: {} })
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), 200)`
  const service = spawn(process.execPath, [...process.execArgv, '--input-type=module', '--eval', program])
  const known = new Set<number>()
  // The executor and the process that waits for it. The bundler and the probes end by themselves.
  for (; service.exitCode === null && service.signalCode === null; await setImmediate()) {
    for (const pid of descendantsOf(service.pid!)) known.add(pid)
  }
  assert.equal(service.signalCode, 'SIGKILL')
  assert.ok(known.size > 1)
  await until('all its processes have gone', () => [...known].every((pid) => !isRunning(pid)))
})

function descendantsOf(pid: number): number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1')
      .split(' ')
      .filter((id) => id.trim())
    return children.map(Number).flatMap((child) => [child, ...descendantsOf(child)])
  } catch {
    // The process has ended in the meantime.
    return []
  }
}

function isRunning(pid: number): boolean {
  try {
    return !/^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, 'latin1'))
  } catch {
    return false
  }
}

test('the kernel accepts the filter of each processor that has one', () => {
  for (const jit of [true, false]) {
    for (const processor of ['x64', 'arm64']) {
      const filter = syscallFilter(jit, processor)!
      assert.equal(filter.length % 8, 0)
      assert.ok(filter.length / 8 <= 4_096)
    }
  }
  assert.equal(syscallFilter(true, 'riscv64'), null)
})
