/**
 * Indents a JSON text without reading its values: numbers and texts stay as they came, digit by digit.
 * @returns the text unchanged if it is no JSON, or if its indented form would be too long to read
 */
export function indentJson(text: string, most = 200_000): string {
  try {
    JSON.parse(text)
  } catch {
    return text
  }
  const lines: string[] = []
  let length = 0
  let depth = 0
  let line = ''
  const end = () => {
    lines.push(line)
    length += line.length
    // Deep nesting makes much of little: a reader learns nothing from ever wider indents.
    line = '  '.repeat(Math.min(depth, 40))
  }
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g)) {
    if (length > most) return text
    if (token === '}' || token === ']') {
      depth -= 1
      if (/[{[]$/.test(line)) line += token
      else {
        end()
        line += token
      }
      continue
    }
    if (/[{[]$/.test(line) && line.trim() !== '') end()
    line += token === ':' ? ': ' : token
    if (token === '{' || token === '[') depth += 1
    if (token === ',') end()
  }
  lines.push(line)
  return lines.join('\n')
}
