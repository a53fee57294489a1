/** A line of code beside an error. */
export type CodeLine = { number: number; text: string; isError: boolean }

/**
 * The lines around an error.
 * @param line counted from 1
 * @returns none if the code has no such line
 */
export function excerptOf(code: string, line: number, around = 3): CodeLine[] {
  const lines = code.split(/\r\n|[\n\r\u2028\u2029]/)
  if (line < 1 || line > lines.length) return []
  const from = Math.max(0, line - 1 - around)
  return lines.slice(from, line + around).map((text, place) => {
    const number = from + place + 1
    return { number, text, isError: number === line }
  })
}
