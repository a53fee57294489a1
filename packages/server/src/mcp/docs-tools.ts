import { readdir, readFile } from 'node:fs/promises'
import { Type } from 'typebox'
import { ToolRefusal } from './api.ts'
import { partOf } from './results.ts'
import { Offset, readingTool } from './tool.ts'

const folder = new URL('../../../../docs/', import.meta.url)

/** The names of the pages. The tool opens no other file, so no name can lead out of the folder. */
async function pageNames(): Promise<string[]> {
  const files = await readdir(folder).catch(() => [])
  return files
    .filter((file) => file.endsWith('.md'))
    .map((file) => file.slice(0, -'.md'.length))
    .sort()
}

const readPage = (name: string) => readFile(new URL(`${name}.md`, folder), 'utf8')

async function contents(names: string[]): Promise<string> {
  const lines = names.map(async (name) => `${name}: ${/^# (.+)$/m.exec(await readPage(name))?.[1] ?? name}`)
  return (await Promise.all(lines)).join('\n')
}

const readDocs = readingTool({
  name: 'read_docs',
  description:
    'Read a page of the documentation; without page, list all pages. The page runtime explains $ in code.',
  input: { page: Type.Optional(Type.String({ maxLength: 100 })), offset: Offset },
  foreign: false,
  run: async ({ page, offset = 0 }) => {
    const names = await pageNames()
    if (names.length === 0) throw new ToolRefusal('This installation has no documentation.')
    if (page === undefined) return { text: await contents(names) }
    if (!names.includes(page))
      throw new ToolRefusal(`There is no such page. The pages are ${names.join(', ')}.`)
    const { text, length, next_offset } = partOf(await readPage(page), offset)
    const more =
      next_offset === undefined
        ? ''
        : `\n\n[${next_offset} of ${length} characters; continue with offset ${next_offset}]`
    return { text: text + more }
  },
})

export const docsTools = [readDocs]
