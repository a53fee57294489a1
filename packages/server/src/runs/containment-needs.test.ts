import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ContainmentLayer } from '@tickwright/sandbox'
import { containmentRemedy, layerNeeds } from './containment-needs.ts'

const lostWithNamespaces: ContainmentLayer[] = ['namespaces', 'processes', 'root']

/** A machine whose kernel says this, and nothing else. */
const machine =
  (files: Record<string, string>) =>
  (path: string): string =>
    files[path] ?? ''

const cases: [what: string, files: Record<string, string>, remedy: RegExp][] = [
  [
    'no user namespaces',
    { '/proc/sys/user/max_user_namespaces': '0\n' },
    /^This kernel .*max_user_namespaces=/,
  ],
  [
    'them for root only',
    { '/proc/sys/kernel/unprivileged_userns_clone': '0\n' },
    /unprivileged_userns_clone=1/,
  ],
  [
    'a filter of a container',
    { '/proc/self/status': 'NoNewPrivs:\t1\nSeccomp:\t2\n' },
    /seccomp=deploy\/seccomp\.json/,
  ],
  [
    'the restriction of Ubuntu',
    { '/proc/sys/kernel/apparmor_restrict_unprivileged_userns': '1\n', '/proc/self/status': 'Seccomp:\t0\n' },
    /deploy\/apparmor\/tickwright/,
  ],
  [
    'nothing',
    { '/proc/sys/user/max_user_namespaces': '96551\n' },
    /^The layers need the right to create namespaces; /,
  ],
]

for (const [what, files, remedy] of cases) {
  test(`the remedy for missing namespaces follows from what the kernel reports: ${what}`, () => {
    assert.match(containmentRemedy(lostWithNamespaces, machine(files)), remedy)
  })
}

test('with the right filter of system calls, what is left is the AppArmor profile of a container', () => {
  const files = {
    '/proc/self/status': 'Seccomp:\t2\n',
    '/proc/self/attr/current': 'docker-default (enforce)\n',
  }
  assert.match(
    containmentRemedy(['root'], machine(files)),
    /^The AppArmor profile docker-default is in the way/,
  )
  const free = { ...files, '/proc/self/attr/current': 'unconfined\n' }
  assert.match(containmentRemedy(['root'], machine(free)), /^The layers need the right to create namespaces/)
})

test('a remedy never speaks of namespaces if they are not missing', () => {
  const files = { '/proc/self/status': 'Seccomp:\t2\n' }
  assert.equal(
    containmentRemedy(['privileges'], machine(files)),
    `The layers need ${layerNeeds.privileges} (docs/operations.md#containment)`,
  )
})
