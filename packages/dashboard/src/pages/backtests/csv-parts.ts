/** A file of candles in parts that the service takes, each with the header and the number of its first line. */

/** The service takes 8 MB in one request, with the text as JSON. */
const mostCharacters = 4_000_000

export function* partsOf(
  text: string,
  most = mostCharacters,
): Generator<{ csv: string; firstLine: number }, void, undefined> {
  const headerEnd = endOfLine(text, 0)
  const header = text.slice(0, headerEnd)
  let line = 2
  let from = headerEnd
  do {
    const to = text.length - from <= most ? text.length : endOfLine(text, text.lastIndexOf('\n', from + most))
    const csv = text.slice(from, Math.max(to, endOfLine(text, from)))
    yield { csv: header + csv, firstLine: line }
    line += csv.split('\n').length - 1
    from += csv.length
  } while (from < text.length)
}

/** The place after the line that begins at or before `at`. */
function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end === -1 ? text.length : end + 1
}
