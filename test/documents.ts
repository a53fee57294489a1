import { read } from './repository.ts'

/** A fenced block of a document. `language` is what stands after its fence; `line` is where the fence does. */
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

/** Whether a text is the documented one, in which each `…` stands for what differs from time to time. */
export function isLike(actual: string, documented: string): boolean {
  const parts = documented.trim().split('…').map(RegExp.escape)
  return new RegExp(`^${parts.join('[^\\s"]+')}$`).test(actual.trim())
}

/**
 * A JSON value with everything replaced that differs from time to time by what the document has there: ids, texts
 * that it shortens by `…`, and lists of which it says no more than `["…"]`. Equal to the document if it is right.
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
