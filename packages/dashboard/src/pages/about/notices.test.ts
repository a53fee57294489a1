import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { build, type Metafile } from 'esbuild'
import { noticeOf } from './notices.ts'

const root = join(import.meta.dirname, '..', '..', '..')

/** The package that a file of a build belongs to, and its folder. */
function packageOf(file: string): { name: string; folder: string } | undefined {
  const match = /^(.*\/node_modules\/)((?:@[^/]+\/)?[^/]+)\//.exec(`${root}/${file}`)
  return match === null ? undefined : { name: match[2]!, folder: match[1]! + match[2]! }
}

async function builtPackages(): Promise<Map<string, string>> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['src/main.tsx'],
    outdir: 'dist',
    bundle: true,
    splitting: true,
    format: 'esm',
    write: false,
    metafile: true,
    define: { IN_DEVELOPMENT: 'false', VERSION: '""', 'process.env.NODE_ENV': '"production"' },
    logLevel: 'silent',
  })
  return new Map(bundled(metafile).map(({ name, folder }) => [name, folder]))
}

/** What is really in the files: much of what is imported is left out. */
function bundled({ outputs }: Metafile) {
  return Object.values(outputs)
    .flatMap(({ inputs }) => Object.entries(inputs))
    .flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? (packageOf(file) ?? []) : []))
}

test('every package in the built pages has a notice with its licence', async () => {
  const packages = await builtPackages()
  assert.ok(packages.size > 10)
  for (const [name, folder] of packages) {
    const { license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
    if (name === '@tickwright/client') continue
    const notice = noticeOf(name)
    assert.ok(notice, `${name} (${license}) has no notice`)
    // What is under the MIT licence may be a part of something under another one.
    if (license !== 'MIT') assert.equal(notice.license, license, name)
  }
})

test('so does every library that the pages may load', async () => {
  const { dependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  for (const name of Object.keys(dependencies)) {
    if (name === 'esbuild' || name.startsWith('@tickwright/')) continue
    assert.ok(noticeOf(name), name)
  }
})
