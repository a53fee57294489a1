/** Writes the four packages for npm as tarballs, and says what they take with all that they need: npm run pack -- FOLDER */
import { execFileSync } from 'node:child_process'
import { mkdir, mkdtempDisposable, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { writeCli } from './cli.ts'
import { root } from './javascript.ts'
import type { Manifest } from './manifest.ts'
import { writeServer } from './server.ts'
import { sizeOf } from './sizes.ts'

const [folder] = process.argv.slice(2)
if (folder === undefined) {
  process.stderr.write('Name a folder for the tarballs: npm run pack -- FOLDER\n')
  process.exit(2)
}
const tarballs = resolve(folder)
await mkdir(tarballs, { recursive: true })
await using work = await mkdtempDisposable(join(tmpdir(), 'tickwright-pack-'))
const [cli, server] = [join(work.path, 'cli'), join(work.path, 'server')]
await writeCli(cli)
await writeServer(server)
pack('--workspace', 'packages/client', '--workspace', 'packages/runtime-types')
pack(cli, server)
for (const built of [cli, server]) {
  const manifest = JSON.parse(await readFile(join(built, 'package.json'), 'utf8')) as Manifest
  const { bytes, most } = await sizeOf(manifest, built)
  const sizes = `${(bytes / 1e6).toFixed(1)} MB with all that it needs; at most ${most / 1e6} MB are allowed`
  process.stdout.write(`${manifest.name}: ${sizes}.\n`)
  if (bytes > most) process.exitCode = 1
}

function pack(...what: string[]): void {
  const args = ['pack', '--silent', ...what, '--pack-destination', tarballs]
  execFileSync('npm', args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] })
}
