import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** What one file says about the version: the places that a pattern finds. */
type Place = { file: string; pattern: RegExp }

const manifestPatterns = [/(?<=^ {2}"version": ")[^"]+/gm, /(?<="@tickwright\/[\w-]+": ")[^"]+/g]

/** Every place of a repository that has the version, except the changelog. */
async function placesIn(root: string): Promise<Place[]> {
  const packages = (await readdir(join(root, 'packages'))).map((name) => `packages/${name}/package.json`)
  const manifests = ['package.json', ...packages].flatMap((file) =>
    manifestPatterns.map((pattern) => ({ file, pattern })),
  )
  const ownEntry = /(?<=^ {4}"(?:packages\/[\w-]+)?": \{\n {6}"name": "[^"]+",\n {6}"version": ")[^"]+/gm
  return [
    ...manifests,
    ...[...manifestPatterns, ownEntry].map((pattern) => ({ file: 'package-lock.json', pattern })),
    { file: 'docs/openapi.json', pattern: /(?<=^ {4}"version": ")[^"]+/gm },
    { file: 'clients/python/tickwright.py', pattern: /(?<=^__version__ = ")[^"]+/gm },
    { file: 'deploy/kubernetes/kustomization.yaml', pattern: /(?<=^ +newTag: ).+/gm },
    { file: 'deploy/compose/.env.example', pattern: /(?<=\/tickwright:)\d[\w.]*/g },
  ]
}

/** The versions of a repository, each with its places. */
export async function versionsOf(root: string): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>()
  for (const { file, pattern } of await placesIn(root)) {
    for (const [version] of (await readFile(join(root, file), 'utf8')).matchAll(pattern)) {
      found.set(version, [...(found.get(version) ?? []), file])
    }
  }
  return found
}

/** Writes a version into every place. */
export async function setVersion(root: string, version: string): Promise<void> {
  for (const { file, pattern } of await placesIn(root)) {
    const path = join(root, file)
    await writeFile(path, (await readFile(path, 'utf8')).replaceAll(pattern, version))
  }
}

/** Whether a text is a version that the packages of all languages can have: three numbers. */
export function isVersion(text: string): boolean {
  return /^(0|[1-9]\d{0,5})(\.(0|[1-9]\d{0,5})){2}$/.test(text)
}

/** Whether a version is later than another one. */
export function isLater(version: string, other: string): boolean {
  const [one, two] = [version, other].map((text) => text.split('.').map(Number)) as [number[], number[]]
  const first = one.findIndex((number, index) => number !== two[index])
  return first !== -1 && one[first]! > two[first]!
}
