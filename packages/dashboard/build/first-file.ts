import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import type { Loader, Plugin } from 'esbuild'

/**
 * Keeps what every page needs in one file. esbuild makes a file for each set of pages that share code: beside the entry
 * that were fifty files of 1 KB, and a browser asks a server for six at a time, so they took a second on a slow line.
 * Here, each part that is loaded later also imports the entry, which is always there already. So whatever the entry
 * needs is shared by the same set, that of all parts.
 * @param entry the whole path of the entry. It must not wait at its top level for what is loaded later
 */
export function firstFile(entry: string): Plugin {
  return {
    name: 'first-file',
    setup(build) {
      const loadedLater = new Set<string>()
      build.onResolve({ filter: /^\./ }, async ({ kind, path, importer, resolveDir, pluginData }) => {
        if (kind !== 'dynamic-import' || pluginData === loadedLater) return
        const found = await build.resolve(path, { kind, importer, resolveDir, pluginData: loadedLater })
        loadedLater.add(found.path)
        return found
      })
      build.onLoad({ filter: /\.tsx?$/ }, async ({ path }) => {
        if (!loadedLater.has(path)) return
        const contents = `${await readFile(path, 'utf8')}\nimport ${JSON.stringify(entry)}\n`
        return { contents, loader: extname(path).slice(1) as Loader }
      })
    },
  }
}
