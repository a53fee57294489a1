/** The rows of all tables in a Markdown text whose first heading is `first`, as cells without backquotes. */
export function rowsOf(markdown: string, first: string): string[][] {
  const rows: string[][] = []
  let inTable = false
  for (const line of markdown.split('\n')) {
    if (!line.startsWith('|')) {
      inTable = false
      continue
    }
    const cells = line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim())
    if (inTable) rows.push(cells.map((cell) => /^`([^`]*)`$/.exec(cell)?.[1] ?? cell))
    else if (cells[0] === first) inTable = true
  }
  return rows.filter((cells) => !cells.every((cell) => /^:?-+:?$/.test(cell)))
}
