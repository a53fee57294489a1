import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from './javascript.ts'

/** The part of a `package.json` that packing looks at. */
export type Manifest = {
  name: string
  version: string
  type: string
  dependencies: Record<string, string>
  [field: string]: unknown
}

/** @param folder of a package of this repository */
export async function manifestOf(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(root, folder, 'package.json'), 'utf8')) as Manifest
}

/** Writes a manifest for npm, without what only this repository needs, and the licence and the README beside it. */
export async function writeManifest(to: string, folder: string, manifest: Manifest): Promise<void> {
  const { private: _, scripts: __, devDependencies: ___, ...published } = manifest
  await mkdir(to, { recursive: true })
  await writeFile(join(to, 'package.json'), `${JSON.stringify(published, null, 2)}\n`)
  await cp(join(root, 'LICENSE'), join(to, 'LICENSE'))
  await cp(join(root, folder, 'README.md'), join(to, 'README.md'))
}
