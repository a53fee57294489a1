/**
 * Prepares `packages/client` for `npm pack` and `npm publish`: JavaScript and declarations in `dist/`, and a
 * `package.json` that points to them. In this repository Node runs its TypeScript directly, but not in `node_modules`.
 * npm runs this script before packing, and with `--restore` after it. Either run repairs what a killed npm left.
 */
import { execFileSync } from 'node:child_process'
import { cp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

// The folder in which npm runs this script, which may be outside this repository.
const folder = process.cwd()
const at = (...names: string[]) => join(folder, ...names)
const manifest = at('package.json')
/** The manifest of this repository, while the published one replaces it. */
const kept = at('package.source.json')

await rename(kept, manifest).catch(ifThere)
for (const made of ['LICENSE', 'dist']) await rm(at(made), { recursive: true, force: true })
if (!process.argv.includes('--restore')) {
  await build()
  await cp(new URL('../LICENSE', import.meta.url), at('LICENSE'))
  const source = await readFile(manifest, 'utf8')
  await writeFile(`${kept}.new`, source)
  await rename(`${kept}.new`, kept)
  await writeFile(manifest, published(source))
}

async function build(): Promise<void> {
  const compiler = new URL('../node_modules/typescript/bin/tsc', import.meta.url).pathname
  execFileSync(process.execPath, [compiler, '-p', at('tsconfig.build.json')], { stdio: ['ignore', 2, 2] })
  for (const name of await readdir(at('dist'))) {
    if (!name.endsWith('.d.ts')) continue
    // The compiler does not change the endings of imports in declarations.
    const text = await readFile(at('dist', name), 'utf8')
    await writeFile(
      at('dist', name),
      text.replaceAll(/(from |import\()(['"]\.\/[\w-]+)\.ts(['"])/g, '$1$2.js$3'),
    )
  }
}

function published(source: string): string {
  const { scripts: _, exports: __, ...rest } = JSON.parse(source)
  const built = (name: string) => ({ types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` })
  const exports = {
    '.': built('index'),
    './hosted': built('hosted'),
    './sandbox': built('sandbox'),
    './package.json': './package.json',
  }
  return `${JSON.stringify({ ...rest, exports }, null, 2)}\n`
}

function ifThere(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}
