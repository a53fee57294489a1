import { readFileSync } from 'node:fs'

export type Row<Column extends string> = Record<Column, string>

/**
 * Reads a table of this folder: comma-separated values without quoting; the first line has the column names.
 * @throws if the columns are not the expected ones, or a line has too few or too many values
 */
export function readTable<const Column extends string>(file: URL, columns: readonly Column[]): Row<Column>[] {
  const [head, ...lines] = readFileSync(file, 'utf8').trimEnd().split('\n')
  if (head !== columns.join(',')) throw new Error(`${file.pathname} must start with ${columns.join(',')}.`)
  return lines.map((line) => {
    const values = line.split(',')
    if (values.length !== columns.length)
      throw new Error(`${file.pathname} has a line with the wrong number of values: ${line}`)
    return Object.fromEntries(columns.map((column, at) => [column, values[at]])) as Row<Column>
  })
}

/** One line of a table, with its line feed. A comma in a value would break the table, so it becomes a space. */
export function tableLine<Column extends string>(columns: readonly Column[], row: Row<Column>): string {
  return `${columns.map((column) => row[column].replaceAll(',', ' ')).join(',')}\n`
}
