import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root, writeJavaScript } from './javascript.ts'
import { manifestOf, writeManifest } from './manifest.ts'

const folder = 'packages/cli'
const program = 'bin/tickwright.js'

/** Writes the package of the command line. */
export async function writeCli(to: string): Promise<void> {
  await writeJavaScript(join(root, folder, 'src'), join(to, 'src'))
  const text = await readFile(join(root, folder, program), 'utf8')
  await mkdir(join(to, 'bin'), { recursive: true })
  await writeFile(join(to, program), text.replace('../src/main.ts', '../src/main.js'), { mode: 0o755 })
  await writeManifest(to, folder, {
    ...(await manifestOf(folder)),
    exports: { './package.json': './package.json' },
    files: ['bin', 'src'],
  })
}
