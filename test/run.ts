/** `npm test`: runs every test file. Many of them share a process: see `groups/grouping.ts`. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { groupTestFiles } from './groups/grouping.ts'
import { root } from './repository.ts'

await using folder = await mkdtempDisposable(join(tmpdir(), 'tickwright-groups-'))
const { groups, alone } = await groupTestFiles()
const load = join(root, 'test/groups/load.ts')
const entries = await Promise.all(
  groups.map(async (files, index) => {
    const entry = join(folder.path, `group-${String(index).padStart(2, '0')}.test.ts`)
    const paths = JSON.stringify(files.map((file) => join(root, file)))
    await writeFile(entry, `import { loadFiles } from ${JSON.stringify(load)}\nloadFiles(${paths})\n`)
    return entry
  }),
)
/** One more than processors, because tests also wait. More of them would only make each other late. */
const atOnce = availableParallelism() + 1
const server = join(root, 'packages/server')
const options = [
  ...['--import', join(server, 'src/module-loading.ts'), '--import', join(server, 'test/lingering.ts')],
  ...['--test', `--test-global-setup=${join(server, 'test/global-setup.ts')}`],
  ...[`--test-concurrency=${atOnce}`, '--test-timeout=300000'],
]
// Arguments come last, so that they replace these.
const child = spawn(process.execPath, [...options, ...process.argv.slice(2), ...entries, ...alone], {
  cwd: root,
  stdio: 'inherit',
  // Compiled code is kept for all processes, also for those that tests start in other folders.
  env: { ...process.env, NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/node') },
})
// An interrupted run ends its files and databases by itself.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
const [code] = await once(child, 'close')
process.exitCode = code ?? 1
