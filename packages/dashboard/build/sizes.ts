import type { Build } from './files.ts'

/** A line for each file of a build, the largest first, and what a first page loads. Sizes are those with gzip. */
export function formatSizes(build: Build): string {
  const sizes = [...build].map(([path, { plain, gzip }]) => ({ path, bytes: (gzip ?? plain).length }))
  const lines = sizes
    .toSorted((one, other) => other.bytes - one.bytes)
    .map(({ path, bytes }) => `${kilobytes(bytes)}  ${path}`)
  const parts = Object.keys(lazyLimits).flatMap((name) => {
    const bytes = lazyLoadBytes(build, name)
    return bytes === undefined ? [] : [`${kilobytes(bytes)}  ${name}, only where a page needs it`]
  })
  const first = `${kilobytes(firstLoadBytes(build))}  scripts and styles of a first page`
  return [...lines, '', first, ...parts].join('\n')
}

/** The most bytes with gzip that the large parts may load, by the names of their files: each only where it is needed. */
export const lazyLimits: Readonly<Record<string, number>> = {
  'code-editor': 230 * 1024,
  difference: 230 * 1024,
  // The files that draw charts.
  draw: 65 * 1024,
  'draw-equity': 65 * 1024,
  types: 1.1 * 1024 * 1024,
}

/**
 * What the browser loads for a part besides the first page: bytes with gzip of the file and all that it imports.
 * @returns `undefined` if the build has no such file
 */
export function lazyLoadBytes(build: Build, name: string): number | undefined {
  const start = [...build.keys()].find((path) => new RegExp(`^/assets/${name}-[0-9A-Z]{8}\\.js$`).test(path))
  if (start === undefined) return undefined
  const loaded = new Set(firstLoadPaths(build, '/'))
  const wanted = [start]
  let bytes = 0
  for (let path = wanted.pop(); path !== undefined; path = wanted.pop()) {
    if (loaded.has(path)) continue
    loaded.add(path)
    const { gzip, plain } = build.get(path)!
    bytes += (gzip ?? plain).length
    // Dynamic imports have parentheses, and are loaded later.
    for (const [, other] of plain.toString().matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g))
      wanted.push(`/assets/${other}`)
  }
  return bytes
}

/**
 * What the browser loads before it shows the overview, where most visits begin: bytes with gzip, without the document.
 */
export function firstLoadBytes(build: Build): number {
  return firstLoadPaths(build, '/overview').reduce((sum, path) => {
    const { gzip, plain } = build.get(path)!
    return sum + (gzip ?? plain).length
  }, 0)
}

function firstLoadPaths(build: Build, page: string): string[] {
  const names = build
    .get(page)!
    .plain.toString()
    .matchAll(/(?:src|href)="(\/assets\/[^"]+\.(?:js|css))"/g)
  return [...names].map(([, path]) => path!)
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1024).toFixed(1).padStart(7)} KB`
}
