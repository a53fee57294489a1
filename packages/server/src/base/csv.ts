/** Writes tables as CSV (RFC 4180) that is safe to open in a spreadsheet. */

/** `null` becomes an empty cell. */
export type Cell = string | number | boolean | null

/** A decimal number as the API writes it, such as `-0.5`. It is no formula, whatever it begins with. */
const number = /^-?\d+(?:\.\d+)?$/
/** Spreadsheets run what begins like this as a formula, also after spaces, and in full-width characters. */
const formula = /^[\s\p{Cf}]*[=+\-@＝＋－＠]|^[\t\r\n]/u

/** One line, with its end. A text that a spreadsheet would run as a formula gets an apostrophe before it. */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(written).join(',')}\r\n`
}

function written(cell: Cell): string {
  const text = cell === null ? '' : String(cell)
  const safe = formula.test(text) && !number.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
