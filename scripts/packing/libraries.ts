import { execFileSync } from 'node:child_process'
import { cp, glob, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from './javascript.ts'
import { manifestOf, writeManifest } from './manifest.ts'

/** Writes the package of the client, which its own script builds when npm packs it. */
export async function writeClient(to: string): Promise<void> {
  await mkdir(to, { recursive: true })
  const args = ['pack', '--silent', '--workspace', 'packages/client', '--pack-destination', to]
  const tarball = execFileSync('npm', args, { cwd: root }).toString().trim().split('\n').at(-1)!
  const unpack = ['-xzf', join(to, tarball), '-C', to, '--strip-components', '1']
  execFileSync('tar', unpack)
}

/** Writes the package of the types for editors, which have no code. */
export async function writeTypes(to: string): Promise<void> {
  const folder = 'packages/runtime-types'
  await writeManifest(to, folder, await manifestOf(folder))
  for await (const file of glob(['*.d.ts', 'tsconfig.strategy.json'], { cwd: join(root, folder) }))
    await cp(join(root, folder, file), join(to, file))
}
