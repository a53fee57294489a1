import { glob, mkdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, matchesGlob, relative } from 'node:path'

export const root = join(import.meta.dirname, '../..')

/** The bundler, which is a dependency of the server. */
export const esbuild = createRequire(join(root, 'packages/server/package.json'))(
  'esbuild',
) as typeof import('esbuild')

type Options = {
  /** Patterns of files that only tests need. */
  left?: string[]
  /** Packages that become part of this one: the JavaScript module of each. */
  own?: Record<string, string>
}

const isTest = (file: string) => /\.test\.tsx?$|(^|\/)test(-support\.ts)?(\/|$)/.test(file)

/**
 * Writes a folder of TypeScript as JavaScript. Each module keeps its place in the folder, since some find files by their
 * place; only types and comments go, and imports end in `.js`. All other files are copied.
 */
export async function writeJavaScript(
  from: string,
  to: string,
  { left = [], own = {} }: Options = {},
): Promise<void> {
  for await (const entry of glob('**/*', { cwd: from, withFileTypes: true })) {
    const file = relative(from, join(entry.parentPath, entry.name))
    const isLeft =
      isTest(file) || file.endsWith('.d.ts') || left.some((pattern) => matchesGlob(file, pattern))
    if (!entry.isFile() || isLeft) continue
    const written = join(to, file.replace(/\.ts$/, '.js'))
    await mkdir(dirname(written), { recursive: true })
    const bytes = await readFile(join(from, file))
    await writeFile(written, await packed(file, bytes, dirname(written), own))
  }
}

/** What a package has of a file; of JSON, without its indentation. */
async function packed(file: string, bytes: Buffer, folder: string, own: Record<string, string>) {
  if (file.endsWith('.json')) return JSON.stringify(JSON.parse(bytes.toString()))
  if (!file.endsWith('.ts')) return bytes
  const { code } = await esbuild.transform(bytes, {
    loader: 'ts',
    target: 'esnext',
    // Exactly the types go, as when Node runs the sources.
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
  })
  return withImports(code, folder, own)
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
