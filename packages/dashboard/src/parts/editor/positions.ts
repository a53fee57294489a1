/** Places in a code: the service counts lines and columns, the editor counts characters from the beginning. */

/** A place as the service names it. Both count from 1; columns count UTF-16 units. */
export type Place = { line: number; column: number }

/** Lines end as in JavaScript. */
const lineEnd = /\r\n|[\n\r\u2028\u2029]/g

/** The offset of a place, at most the length of the text. A place that the text does not have is its nearest one. */
export function offsetOf(text: string, { line, column }: Place): number {
  let start = 0
  let number = 1
  for (const end of text.matchAll(lineEnd)) {
    if (number === line) return Math.min(start + column - 1, end.index)
    number += 1
    start = end.index + end[0].length
  }
  return number === line ? Math.min(start + column - 1, text.length) : text.length
}

/** Where the word at an offset ends, so that a mark has something to underline. */
export function endOfWord(text: string, from: number): number {
  const [word] = /^[\p{ID_Continue}$]+/u.exec(text.slice(from, from + 200)) ?? []
  return from + (word?.length ?? 0)
}

/** The text as the editor holds it: its lines end with a line feed. */
export function asEdited(text: string): string {
  return text.replace(/\r\n?/g, '\n')
}
