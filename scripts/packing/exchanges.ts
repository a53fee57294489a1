import { glob, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { esbuild, root } from './javascript.ts'

/** The folders of ccxt that have one module for each exchange. */
const folders = ['', 'pro', 'prediction']

/**
 * Writes the exchanges of ccxt as one module each, with what they share in others: a third of the package, which has
 * their code in several forms. The code stays readable in errors.
 */
export async function writeExchanges(to: string): Promise<void> {
  const from = join(root, 'node_modules/ccxt/js/src')
  const entryPoints: string[] = []
  for (const folder of folders) {
    for await (const file of glob('*.js', { cwd: join(from, folder) }))
      entryPoints.push(join(from, folder, file))
  }
  await esbuild.build({
    entryPoints,
    outbase: from,
    outdir: to,
    bundle: true,
    splitting: true,
    chunkNames: 'shared/[hash]',
    format: 'esm',
    platform: 'node',
    target: 'esnext',
    minifyWhitespace: true,
    keepNames: true,
    legalComments: 'inline',
    // Optional in ccxt, which does without it.
    external: ['protobufjs'],
    logLevel: 'error',
    // Packages that are no ES modules load what belongs to Node this way.
    banner: {
      js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
    },
  })
  const licence = await readFile(join(root, 'node_modules/ccxt/LICENSE.txt'), 'utf8')
  await writeFile(join(to, 'LICENSE.txt'), licence)
}
