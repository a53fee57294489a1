/** The heading of a version, and whether it is released. */
export type Newest = { version: string; isReleased: boolean }

const unreleased = '(not released yet)'
const headings = /^## (\d\S*) (\([^)]+\))$/gm

/** @throws {Error} if the changelog has no version */
export function newestVersion(changelog: string): Newest {
  const [heading] = changelog.matchAll(headings)
  if (heading === undefined) throw new Error('The changelog has no heading such as "## 2.1.0 (2026-01-31)".')
  return { version: heading[1]!, isReleased: heading[2] !== unreleased }
}

/** What the changelog says about a version, without its heading. @throws {Error} if it says nothing */
export function notesOf(changelog: string, version: string): string {
  const found = [...changelog.matchAll(headings)]
  const index = found.findIndex((heading) => heading[1] === version)
  const heading = found[index]
  if (heading === undefined) throw new Error(`The changelog has no version ${version}.`)
  const notes = changelog.slice(heading.index + heading[0].length, found[index + 1]?.index).trim()
  if (notes === '') throw new Error(`The changelog says nothing about ${version}.`)
  return notes
}

/** Gives the newest version the date of its release. @param day such as `2026-01-31` */
export function withDate(changelog: string, day: string): string {
  return changelog.replace(unreleased, `(${day})`)
}

/** Adds a version that is not released yet, before all others. */
export function withVersion(changelog: string, version: string): string {
  const [first] = changelog.matchAll(headings)
  const at = first?.index ?? changelog.length
  return `${changelog.slice(0, at)}## ${version} ${unreleased}\n\n${changelog.slice(at)}`
}
