import { printable } from './printable.ts'

/** A column of a table. `value` returns what a cell shows; `null` and `undefined` show as `-`. */
export type Column<Row> = {
  title: string
  value: (row: Row) => unknown
  /** Numbers line up at their right end. */
  isNumber?: true
}

const gap = '  '
/** A column is never cut below this width. */
const leastWidth = 8
/** Characters that take two columns of a terminal. */
const wide =
  /[\p{Emoji_Presentation}\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/u
const graphemes = new Intl.Segmenter()

/**
 * A table for a terminal of a given width. If it is too wide, the longest texts are cut until it fits, and end in `…`;
 * numbers are never cut.
 */
export function tableOf<Row>(columns: readonly Column<Row>[], rows: readonly Row[], width: number): string[] {
  const lines = [columns.map(({ title }) => title), ...rows.map((row) => cellsOf(columns, row))]
  const widths = columns.map((_, index) => Math.max(...lines.map((line) => widthOf(line[index]!))))
  const shrinkable = columns.map(({ isNumber }) => isNumber !== true)
  shrink(widths, shrinkable, width - gap.length * (columns.length - 1))
  return lines.map((line) =>
    line
      .map((cell, index) => padded(cell, widths[index]!, columns[index]!.isNumber === true))
      .join(gap)
      .trimEnd(),
  )
}

/** The same for a program that reads it: a line of titles, then a line for each row, with tabs between the cells. */
export function tabbedOf<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string[] {
  return [columns.map(({ title }) => title), ...rows.map((row) => cellsOf(columns, row))].map((line) =>
    line.join('\t'),
  )
}

/** How many columns of a terminal a printable text takes. */
export function widthOf(text: string): number {
  let width = 0
  for (const { segment } of graphemes.segment(text)) width += wide.test(segment) ? 2 : 1
  return width
}

function cellsOf<Row>(columns: readonly Column<Row>[], row: Row): string[] {
  return columns.map(({ value }) => {
    const cell = value(row)
    return cell === null || cell === undefined || cell === '' ? '-' : printable(String(cell))
  })
}

/** Takes from the widest column that may shrink, until the sum fits or all are at their least. */
function shrink(widths: number[], shrinkable: readonly boolean[], room: number): void {
  let excess = widths.reduce((sum, width) => sum + width, 0) - room
  while (excess > 0) {
    let widest = -1
    for (const [index, width] of widths.entries()) {
      if (shrinkable[index] && width > leastWidth && width > (widths[widest] ?? 0)) widest = index
    }
    if (widest === -1) return
    widths[widest]!--
    excess--
  }
}

function padded(cell: string, width: number, isNumber: boolean): string {
  const cut = cutTo(cell, width)
  const space = ' '.repeat(Math.max(0, width - widthOf(cut)))
  return isNumber ? space + cut : cut + space
}

function cutTo(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  let cut = ''
  let used = 0
  for (const { segment } of graphemes.segment(text)) {
    used += widthOf(segment)
    if (used > width - 1) break
    cut += segment
  }
  return `${cut}…`
}
