import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { bundledImports, bundleName, ownBundles } from './module-loading.ts'
import { keepBundledPackages } from './start/bundled-packages.ts'

const packageOf = (specifier: string) => specifier.split('/')[0]!

test('whatever the service imports from a bundled package is bundled, so that no module of it exists twice', () => {
  const names = new Set(bundledImports.map(packageOf))
  const imported = new Set<string>()
  for (const file of globSync('**/*.ts', { cwd: import.meta.dirname })) {
    const text = readFileSync(join(import.meta.dirname, file), 'utf8')
    for (const [, specifier] of text.matchAll(/(?:from|import\()\s*'([^.'][^']*)'/g)) {
      if (names.has(packageOf(specifier!))) imported.add(specifier!)
    }
  }
  assert.deepEqual([...imported].sort(), [...bundledImports].sort())
})

test('a bundle has the exports of its package, and shares what its imports share', async () => {
  await keepBundledPackages()
  const folder = ownBundles()!
  const load = (file: string) => import(pathToFileURL(file).href) as Promise<Record<string, unknown>>
  // CommonJS modules are found without bundles, and these packages have the same names in both forms.
  const { resolve } = createRequire(import.meta.url)
  for (const specifier of bundledImports) {
    const bundle = await load(join(folder, bundleName(specifier)))
    const original = await load(resolve(specifier))
    const names = (module: Record<string, unknown>) => Object.keys(module).filter(isExport).sort()
    assert.deepEqual(names(bundle), names(original), specifier)
  }
  const [whole, tables] = await Promise.all(
    ['drizzle-orm', 'drizzle-orm/pg-core'].map((specifier) => load(join(folder, bundleName(specifier)))),
  )
  const { Column } = whole as { Column: abstract new () => unknown }
  assert.ok((tables!.PgColumn as { prototype: unknown }).prototype instanceof Column)
})

const isExport = (name: string) => name !== 'default' && name !== 'module.exports'
