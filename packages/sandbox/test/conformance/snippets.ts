import { readdir, readFile } from 'node:fs/promises'

/** The snippets of one file: its paragraphs. */
export type Topic = { name: string; snippets: string[] }

export async function readTopics(): Promise<Topic[]> {
  const folder = new URL('snippets/', import.meta.url)
  const files = (await readdir(folder)).sort()
  return await Promise.all(
    files.map(async (file) => {
      const text = await readFile(new URL(file, folder), 'utf8')
      return { name: file.replace(/\.txt$/, ''), snippets: text.trimEnd().split(/\n\s*\n/) }
    }),
  )
}
