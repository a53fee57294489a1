/** What `deploy/` promises, as far as it can be checked without a machine of its own (`npm run try:image` does more). */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { isNeverLoaded, type Lock, packagesToRemove } from '../deploy/image/removable.ts'
import { type Program, whyMissing } from './programs.ts'
import { read, root } from './repository.ts'

/** Runs a program, and returns what it prints. It must succeed. */
function outputOf(
  program: Program,
  args: string[],
  options: { cwd?: string; env?: Record<string, string> } = {},
) {
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd: join(root, options.cwd ?? '.'),
    env: { PATH: process.env.PATH, ...options.env },
    encoding: 'utf8',
  })
  assert.equal(status, 0, stdout + stderr)
  return { stdout, stderr }
}

const needs = (program: Program) => ({ skip: whyMissing(program) })

test('systemd accepts the unit, and finds at most 2.5 of 10 exposed', needs('systemd-analyze'), async () => {
  const unit = 'deploy/systemd/tickwright.service'
  const security = ['security', '--offline=true', '--threshold=25', '--no-pager']
  const { stdout } = outputOf('systemd-analyze', [...security, unit])
  assert.match(stdout, /Overall exposure level for tickwright.service: [\d.]+/)
  // The program is not installed here.
  await using folder = await mkdtempDisposable(join(tmpdir(), 'tickwright-unit-'))
  const copy = join(folder.path, 'tickwright.service')
  const text = await read(unit)
  assert.match(text, /^ExecStart=\/opt\/tickwright\//m)
  await writeFile(
    copy,
    text.replace(/^ExecStart=.*$/m, 'ExecStart=/bin/true').replace(/^(User|Group)=.*\n/gm, ''),
  )
  assert.deepEqual(outputOf('systemd-analyze', ['verify', '--man=no', copy]), { stdout: '', stderr: '' })
})

type Rule = { names: string[]; action: string; comment?: string; args?: object[]; errnoRet?: number }

test('our filter allows of namespaces and mounts what executors need, and nothing else', async () => {
  const profile = JSON.parse(await read('deploy/seccomp.json')) as { defaultAction: string; syscalls: Rule[] }
  assert.equal(profile.defaultAction, 'SCMP_ACT_ERRNO')
  const allowing = profile.syscalls.filter(({ action }) => action !== 'SCMP_ACT_ERRNO')
  const [ours, others] = [true, false].map((own) =>
    allowing.filter(({ comment = '' }) => comment.startsWith('Tickwright') === own),
  )
  assert.deepEqual(
    ours!.map(({ names, args }) => [names.join(' '), args]),
    [
      // All flags must be absent except those of user, mount, process, network, IPC and host-name namespaces.
      ['unshare', [{ index: 0, value: ~0x7c02_0000 >>> 0, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' }]],
      ['chroot mount pivot_root umount2', undefined],
    ],
  )
  const forbidden =
    /^(unshare|setns|mount.*|umount.*|fs(open|config|mount|pick)|move_mount|open_tree.*|pivot_root|chroot|ptrace|process_vm_.*|bpf|kexec.*|.*_module|reboot|swapo.*|keyctl|add_key|request_key|perf_event_open|userfaultfd|io_uring.*|open_by_handle_at|sethostname|syslog)$/
  assert.deepEqual(
    others!.flatMap(({ names }) => names).filter((name) => forbidden.test(name)),
    [],
  )
  const clone = others!.filter(({ names }) => names.includes('clone'))
  assert.deepEqual(
    clone.map(({ args }) => args),
    [[{ index: 0, value: 0x7e02_0000, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' }]],
  )
  assert.ok(!others!.some(({ names }) => names.includes('clone3')))
})

test('the image keeps every package that its programs load, and none of the dashboard', async () => {
  const lock = JSON.parse(await read('package-lock.json')) as Lock
  const removed = new Set(packagesToRemove(lock))
  for (const name of ['lucide-react', 'react-dom', '@biomejs/biome'])
    assert.ok(removed.has(`node_modules/${name}`), name)
  for (const program of ['packages/server', 'packages/sandbox', 'packages/cli']) {
    for (const name of Object.keys(lock.packages[program]!.dependencies!)) {
      if (name === 'esbuild') continue
      const folders = [`${program}/node_modules/${name}`, `node_modules/${name}`]
      const installed = folders.find((folder) => folder in lock.packages)
      assert.ok(installed !== undefined && !removed.has(installed), name)
    }
  }
  for (const name of ['node', 'pg-protocol', 'undici']) assert.ok(!removed.has(`node_modules/${name}`), name)
})

test('the image drops files of packages that never load, and keeps licences', () => {
  const dropped = ['zod/src/index.ts', 'a/index.d.mts', 'a/index.js.map', 'a/README.md', 'pg/lib/libpq.a']
  const kept = [
    'zod/index.js',
    'a/LICENSE.md',
    'a/Notice.md',
    'a/b.mjs',
    'a/c.cjs',
    'a/d.node',
    'a/package.json',
    'a/tsx/ts',
  ]
  assert.deepEqual([...dropped, ...kept].filter(isNeverLoaded), dropped)
})

test('Prometheus accepts the alerts, and they fire when they should', needs('promtool'), () => {
  outputOf('promtool', ['check', 'rules', 'rules.yaml'], { cwd: 'deploy/monitoring' })
  outputOf('promtool', ['test', 'rules', 'rules.test.yaml'], { cwd: 'deploy/monitoring' })
})

test('Prometheus accepts the query of each panel of the dashboard', needs('promtool'), async () => {
  const queries = await queriesOfDashboard()
  assert.ok(queries.length > 20)
  await using folder = await mkdtempDisposable(join(tmpdir(), 'tickwright-queries-'))
  const file = join(folder.path, 'queries.yaml')
  // Grafana puts in the period and the chosen nodes.
  const rules = queries.map((query, index) => ({
    record: `query:${index}`,
    expr: query.replaceAll('$__rate_interval', '1m').replaceAll('$instance', '.*'),
  }))
  await writeFile(file, JSON.stringify({ groups: [{ name: 'queries', rules }] }))
  outputOf('promtool', ['check', 'rules', file])
})

test('the table of alerts has exactly those of the rules', async () => {
  const alerts = [...(await read('deploy/monitoring/rules.yaml')).matchAll(/- alert: (\w+)/g)].map(
    ([, name]) => name!,
  )
  const documented = [...(await read('docs/install.md')).matchAll(/^\| `(Tickwright\w+)` \|/gm)].map(
    ([, name]) => name!,
  )
  assert.deepEqual(documented, alerts)
})

/** Every query of the dashboard. */
async function queriesOfDashboard(): Promise<string[]> {
  const dashboard = JSON.parse(await read('deploy/monitoring/dashboard.json'))
  return dashboard.panels.flatMap(({ targets = [] }: { targets?: { expr: string }[] }) =>
    targets.map(({ expr }) => expr),
  )
}
