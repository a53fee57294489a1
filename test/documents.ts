import { read } from './repository.ts'

/** A fenced block of a document. `language` is the word after the fence; `line` is the line of the fence. */
export type Block = { language: string; text: string; line: number }

/** The fenced blocks of a document, in order. */
export async function blocksOf(path: string): Promise<Block[]> {
  const markdown = await read(path)
  return [...markdown.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map((match) => ({
    language: match[1]!,
    text: match[2]!,
    line: markdown.slice(0, match.index).split('\n').length,
  }))
}

/** Whether a text matches the documented one, in which each `…` stands for a changing part. */
export function isLike(actual: string, documented: string): boolean {
  const parts = documented.trim().split('…').map(RegExp.escape)
  return new RegExp(`^${parts.join('[^\\s"]+')}$`).test(actual.trim())
}

/**
 * A JSON value in which the changing parts are replaced by those of the document: ids, texts that it shortens with `…`,
 * and lists that it shows as `["…"]`. The result equals the document if the value matches.
 */
export function likeness(value: unknown, like: unknown, name = ''): unknown {
  if (typeof value === 'number') return /^(\w+_)?id$/.test(name) && typeof like === 'number' ? like : value
  if (typeof value === 'string') return typeof like === 'string' && isLike(value, like) ? like : value
  if (Array.isArray(value)) {
    if (Array.isArray(like) && like.length === 1 && like[0] === '…') return like
    return value.map((item, index) => likeness(item, Array.isArray(like) ? like[index] : undefined))
  }
  if (typeof value !== 'object' || value === null) return value
  const members = (like ?? {}) as Record<string, unknown>
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, likeness(item, members[key], key)]),
  )
}
