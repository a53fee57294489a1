/** Fails if `schema.ts` has a change that no migration makes yet. Writes nothing. */
import { execFileSync } from 'node:child_process'
import { cp, mkdtempDisposable, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { migrationsFolder } from '../packages/server/src/db/migrations-folder.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const server = join(root, 'packages/server')

await using copy = await mkdtempDisposable(join(tmpdir(), 'tickwright-migrations-'))
await cp(migrationsFolder, copy.path, { recursive: true })
const before = await readdir(copy.path)
const settings = ['--dialect=postgresql', '--schema=./src/db/schema.ts', '--casing=snake_case']
execFileSync(
  process.execPath,
  [
    join(root, 'node_modules/drizzle-kit/bin.cjs'),
    'generate',
    ...settings,
    `--out=${relative(server, copy.path)}`,
  ],
  { cwd: server, stdio: ['ignore', 'ignore', 'inherit'] },
)
const missing = (await readdir(copy.path)).filter((file) => !before.includes(file))
if (missing.length > 0) {
  console.error(
    'The schema has changed and no migration says so. Run `npm run migration` and commit what it makes.',
  )
  process.exitCode = 1
}
