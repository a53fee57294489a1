/** Makes a few files of packages that have many small modules, for later starts: `module-loading.ts` loads them. */
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Plugin } from 'esbuild'
import { bundledImports, bundleName, bundlesFolder, ownBundles } from '../module-loading.ts'

/** Bundles of other versions, and what a killed process left, are deleted when they are this old. */
const oldMs = 24 * 60 * 60 * 1000

/** Leaves all other packages out, which the rest of the service loads too: each must exist once. */
const onlyThese: Plugin = {
  name: 'only-these',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ kind }) => (kind === 'entry-point' ? undefined : { external: true }))
  },
}

/**
 * Bundles the packages that are installed now, unless that is done, and keeps the bundles for all processes that start
 * later.
 * @throws if nothing can be written; nothing needs the bundles
 */
export async function keepBundledPackages(): Promise<void> {
  const folder = ownBundles()
  if (folder === null || existsSync(folder)) return
  const unfinished = join(bundlesFolder, `${randomUUID()}.new`)
  try {
    await mkdir(unfinished, { recursive: true })
    await bundlePackages(unfinished)
    // Complete at once, since several processes may make it, or start meanwhile.
    await rename(unfinished, folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
    })
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
  for (const name of await readdir(bundlesFolder)) {
    const other = join(bundlesFolder, name)
    if (other !== folder && (await stat(other)).mtimeMs < Date.now() - oldMs) {
      await rm(other, { recursive: true, force: true })
    }
  }
}

/** Writes the bundles of the packages that are installed now. The bundler is a process of its own. */
export async function bundlePackages(outdir: string): Promise<void> {
  const { build, stop } = await import('esbuild')
  try {
    await build({
      absWorkingDir: join(bundlesFolder, '..'),
      entryPoints: bundledImports.map((specifier) => ({
        in: specifier,
        out: bundleName(specifier).slice(0, -'.js'.length),
      })),
      outdir,
      bundle: true,
      // What the imports share is one module, as in the packages themselves.
      splitting: true,
      plugins: [onlyThese],
      format: 'esm',
      platform: 'node',
      legalComments: 'inline',
      logLevel: 'silent',
    })
  } finally {
    await stop()
  }
}
