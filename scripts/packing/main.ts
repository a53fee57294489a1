/**
 * Writes the four packages for npm as tarballs, and says what they take with all that they need:
 * npm run pack -- FOLDER [--repository URL]
 */
import { execFileSync } from 'node:child_process'
import { mkdir, mkdtempDisposable, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { writeCli } from './cli.ts'
import { writeClient, writeTypes } from './libraries.ts'
import type { Manifest } from './manifest.ts'
import { writeServer } from './server.ts'
import { hasLimit, sizeOf } from './sizes.ts'

const { positionals, values } = parseArgs({
  allowPositionals: true,
  // Where the packages come from: npm compares it with the provenance.
  options: { repository: { type: 'string' } },
})
const [folder, ...others] = positionals
if (folder === undefined || others.length > 0) {
  process.stderr.write('Name one folder for the tarballs: npm run pack -- FOLDER\n')
  process.exit(2)
}
const tarballs = resolve(folder)
await mkdir(tarballs, { recursive: true })
await using work = await mkdtempDisposable(join(tmpdir(), 'tickwright-pack-'))
for (const write of [writeClient, writeTypes, writeCli, writeServer]) {
  const built = join(work.path, write.name)
  await write(built)
  await pack(built)
}

async function pack(built: string): Promise<void> {
  const file = join(built, 'package.json')
  const manifest = JSON.parse(await readFile(file, 'utf8')) as Manifest
  const { repository } = values
  if (repository !== undefined) {
    const located = { ...manifest, repository: { type: 'git', url: `git+${repository}.git` } }
    await writeFile(file, `${JSON.stringify(located, null, 2)}\n`)
  }
  const args = ['pack', built, '--silent', '--pack-destination', tarballs]
  process.stdout.write(execFileSync('npm', args))
  if (!hasLimit(manifest.name)) return
  const { bytes, most } = await sizeOf(manifest, built)
  const sizes = `${(bytes / 1e6).toFixed(1)} MB with all that it needs; at most ${most / 1e6} MB are allowed`
  process.stdout.write(`  ${sizes}\n`)
  if (bytes > most) process.exitCode = 1
}
