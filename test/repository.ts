import { readdir, readFile } from 'node:fs/promises'
import { matchesGlob, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))

/** The text of a file of the repository, by its path from the root. */
export function read(path: string): Promise<string> {
  return readFile(`${root}/${path}`, 'utf8')
}

/** The sorted paths, from the root, of all files of the repository, without those that `.gitignore` names. */
export async function repositoryFiles(): Promise<string[]> {
  const ignored = (await read('.gitignore'))
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
  const files = await walk(root.replace(/\/$/, ''), ['.git/', ...ignored])
  return files.sort()
}

/** The TypeScript files of the repository. */
export async function sourceFiles(): Promise<string[]> {
  return (await repositoryFiles()).filter((path) => /\.tsx?$/.test(path))
}

async function walk(folder: string, ignored: string[]): Promise<string[]> {
  const found: string[] = []
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`
    const fromRoot = relative(root, path)
    if (ignored.some((pattern) => isIgnored(fromRoot, entry.isDirectory(), pattern))) continue
    if (entry.isDirectory()) found.push(...(await walk(path, ignored)))
    else if (entry.isFile()) found.push(fromRoot)
  }
  return found
}

/** Supports the patterns of this repository's `.gitignore`: `folder/`, `name` and `*.glob`, with or without a leading `/`. */
function isIgnored(path: string, isFolder: boolean, pattern: string): boolean {
  const forFoldersOnly = pattern.endsWith('/')
  if (forFoldersOnly && !isFolder) return false
  const glob = forFoldersOnly ? pattern.slice(0, -1) : pattern
  return glob.startsWith('/')
    ? matchesGlob(path, glob.slice(1))
    : matchesGlob(path, glob) || matchesGlob(path, `**/${glob}`)
}
