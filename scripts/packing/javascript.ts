import { cp, glob, mkdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'

export const root = join(import.meta.dirname, '../..')

/** The bundler, which is a dependency of the server. */
export const esbuild = createRequire(join(root, 'packages/server/package.json'))(
  'esbuild',
) as typeof import('esbuild')

type Options = {
  /** Patterns of files besides the code that the package needs. */
  kept?: string[]
  /** Packages that become part of this one: the JavaScript module of each. */
  own?: Record<string, string>
}

const isTest = (file: string) => /\.test\.tsx?$|(^|\/)test(-support\.ts)?(\/|$)/.test(file)

/**
 * Writes a folder of TypeScript as JavaScript. Each module keeps its place in the folder, since some find files by their
 * place; only types and comments go, and imports end in `.js`.
 */
export async function writeJavaScript(
  from: string,
  to: string,
  { kept = [], own = {} }: Options = {},
): Promise<void> {
  for await (const file of glob('**/*.ts', { cwd: from })) {
    if (isTest(file) || file.endsWith('.d.ts')) continue
    const written = join(to, file.replace(/\.ts$/, '.js'))
    const { code } = await esbuild.transform(await readFile(join(from, file), 'utf8'), {
      loader: 'ts',
      target: 'esnext',
      // Exactly the types go, as when Node runs the sources.
      tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
    })
    await mkdir(dirname(written), { recursive: true })
    await writeFile(written, withImports(code, dirname(written), own))
  }
  for await (const file of glob(kept, { cwd: from })) await cp(join(from, file), join(to, file))
}

/** The compiler writes each import in one form. */
function withImports(code: string, folder: string, own: Record<string, string>): string {
  return code.replaceAll(/(\bfrom |\bimport |\bimport\()"([^"\n]+)"/g, (whole, before, name: string) => {
    if (name.startsWith('.')) return `${before}"${name.replace(/\.ts$/, '.js')}"`
    const target = own[name]
    return target === undefined ? whole : `${before}"${fromHere(relative(folder, target))}"`
  })
}

const fromHere = (path: string) => (path.startsWith('.') ? path : `./${path}`)
