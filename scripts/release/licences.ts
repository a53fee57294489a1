import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A package that a release contains or needs. `texts` are those of its licence, as it brings them. */
export type Shipped = { name: string; version: string; licence: string | undefined; texts: string[] }

type Entry = { version?: string; license?: string; dev?: boolean; link?: boolean }

const modules = 'node_modules/'

/** All packages that a release contains or needs, by the lock file, in order of their names. */
export async function shippedPackages(root: string): Promise<Shipped[]> {
  const { packages } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Entry>
  }
  const found = new Map<string, Shipped>()
  for (const [path, { version = '', license: licence, dev, link }] of Object.entries(packages)) {
    if (!path.includes(modules) || dev === true || link === true) continue
    const name = path.slice(path.lastIndexOf(modules) + modules.length)
    const known = found.get(`${name}@${version}`)
    if (known !== undefined && known.texts.length > 0) continue
    found.set(`${name}@${version}`, { name, version, licence, texts: await textsIn(join(root, path)) })
  }
  return [...found.values()].sort((one, other) => (one.name < other.name ? -1 : 1))
}

/** Packages of other platforms are not installed, and have no texts here. */
async function textsIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => [])
  const files = names.filter((name) =>
    /^(licen[cs]e|notice|copying|copyright)(?!.*\.[cm]?[jt]s$)/i.test(name),
  )
  const texts = await Promise.all(
    files.sort().map((name) => readFile(join(folder, name), 'utf8').catch(() => '')),
  )
  return texts.map((text) => text.replaceAll('\r\n', '\n').trim()).filter((text) => text !== '')
}

/**
 * Whether a release may contain a package: its licence is known, and is none of the GPL family, or lets the user choose
 * another one.
 * @param licence an SPDX expression, as packages have it
 */
export function isAllowed(licence: string | undefined): boolean {
  if (licence === undefined || /^(unlicensed|see licen[cs]e)/i.test(licence.trim())) return false
  const isFree = (one: string) => !/(^|[^a-z])[al]?gpl/i.test(one)
  // All parts of such an expression count.
  if (/ AND /i.test(licence)) return isFree(licence)
  return licence.split(/ OR /i).some(isFree)
}

/** @throws {Error} that names the packages that a release may not contain */
export function refuseLicences(packages: readonly Shipped[]): void {
  const refused = packages.filter(({ licence }) => !isAllowed(licence))
  if (refused.length === 0) return
  const list = refused.map(({ name, version, licence }) => `${name} ${version} (${licence ?? 'unknown'})`)
  throw new Error(`A release may contain no package under the GPL, or without a licence: ${list.join(', ')}.`)
}

/** The notices that go with a release, as Markdown. */
export function noticesOf(packages: readonly Shipped[]): string {
  const sections = packages.map(({ name, version, licence, texts }) => {
    const own = texts.map((text) => `\n${text.replaceAll(/^/gm, '    ').replaceAll(/ +$/gm, '')}\n`)
    return `## ${name} ${version}\n\nLicence: ${licence}\n${own.join('')}`
  })
  return `# Third-party notices\n\nTickwright contains or needs these packages of others.\n\n${sections.join('\n')}`
}
