// Runs a native program in the containment of an executor, as root and as another user. It also runs outside, where it
// must succeed, since otherwise it would prove nothing.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { tool } from '../../src/containment-chain.ts'
import type { Report } from './service.ts'

const isLinux = process.platform === 'linux'
const isRoot = process.getuid?.() === 0
const otherUser = 61_000

/** Runs the simulated service, with a command that may change the user. */
function reportOf(...command: string[]): Report {
  const service = fileURLToPath(new URL('service.ts', import.meta.url))
  const [program, ...args] = [...command, process.execPath, ...process.execArgv, service]
  const { stdout, stderr, status } = spawnSync(program!, args, {
    encoding: 'utf8',
    env: { TMPDIR: tmpdir() },
  })
  assert.equal(status, 0, stderr)
  return JSON.parse(stdout)
}

/** Attempts that need root, or another user. */
const ofRoot = ['become root', 'mount']
/** The filter of a container refuses these to all its processes, as Docker's and ours do. */
const ofContainers = [
  ...['read the memory of a neighbour', 'read the memory of the service', 'trace a neighbour'],
  'make a user namespace',
]
const hasFilter = isLinux && /^Seccomp:\s*2$/m.test(readFileSync('/proc/self/status', 'latin1'))

function assertHeld(
  { level, layers, missing, contained, unfiltered, outside }: Report,
  asRoot: boolean,
): void {
  for (const [attempt, outcome] of Object.entries(outside)) {
    if (hasFilter && ofContainers.includes(attempt) && outcome === 'EPERM') continue
    if (asRoot || !ofRoot.includes(attempt)) assert.equal(outcome, 'done', `outside: ${attempt}`)
  }
  // A machine without all layers must report that. The filter alone refuses all of these.
  assert.equal(level === 'full', missing.length === 0)
  if (layers.includes('syscalls')) {
    for (const [attempt, outcome] of Object.entries(contained)) assert.notEqual(outcome, 'done', attempt)
  }
  if (level !== 'full') return
  // The namespaces hold without the filter. Only the filter prevents a new user namespace, in which the program would be
  // a root without power. If the service is not root, it already is in such a namespace.
  const empty = ['make a user namespace', ...(asRoot ? [] : ['become root'])]
  for (const [attempt, outcome] of Object.entries(unfiltered)) {
    if (!empty.includes(attempt)) assert.notEqual(outcome, 'done', `without the filter: ${attempt}`)
  }
  assert.equal(layers.includes('user'), asRoot)
}

test('native code in an executor reaches nothing if the service is root', {
  skip: !isLinux || !isRoot ? 'only root can be root' : false,
}, () => {
  assertHeld(reportOf(), true)
})

test('native code in an executor reaches nothing if the service is not root', {
  skip: isLinux ? false : 'there are no namespaces here',
}, (context) => {
  if (!isRoot) return assertHeld(reportOf(), false)
  const become = [tool('setpriv'), `--reuid=${otherUser}`, `--regid=${otherUser}`, '--clear-groups', '--']
  const canRead = spawnSync(become[0]!, [
    ...become.slice(1),
    process.execPath,
    '--check',
    fileURLToPath(import.meta.url),
  ])
  if (!existsSync(become[0]!) || canRead.status !== 0)
    return context.skip('another user cannot read these files')
  assertHeld(reportOf(...become), false)
})
