/** The unified diff of the service, line by line. */

export type DiffLine = {
  kind: 'same' | 'added' | 'removed' | 'gap' | 'note'
  /** The number in the older text, if it is in there. */
  from: number | null
  /** The number in the newer text, if it is in there. */
  to: number | null
  text: string
}

/** @param text with its two lines of names; empty if nothing differs */
export function linesOf(text: string): DiffLine[] {
  const lines: DiffLine[] = []
  let from = 0
  let to = 0
  const body = text.split('\n').slice(2)
  if (body.at(-1) === '') body.pop()
  for (const line of body) {
    const rest = line.slice(1)
    const start = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line)
    if (start !== null) {
      // Of an empty part, the number is that of the line before it.
      from = Number(start[1]) + (start[2] === '0' ? 1 : 0)
      to = Number(start[3]) + (start[4] === '0' ? 1 : 0)
      if (lines.length > 0 || from > 1) lines.push({ kind: 'gap', from: null, to: null, text: '' })
    } else if (line.startsWith('+')) lines.push({ kind: 'added', from: null, to: to++, text: rest })
    else if (line.startsWith('-')) lines.push({ kind: 'removed', from: from++, to: null, text: rest })
    else if (line.startsWith('\\')) lines.push({ kind: 'note', from: null, to: null, text: rest.trim() })
    else lines.push({ kind: 'same', from: from++, to: to++, text: rest })
  }
  return withoutEmptyNotes(lines)
}

/** Code mostly ends without a line feed. That is worth a line only where the two texts differ in it. */
function withoutEmptyNotes(lines: DiffLine[]): DiffLine[] {
  const notes = lines.flatMap(({ kind }, index) => (kind === 'note' ? [index] : []))
  const differs = notes.length === 1 && lines[notes[0]! - 1]?.kind !== 'same'
  return differs ? lines : lines.filter(({ kind }) => kind !== 'note')
}

/** How many lines were added and removed. */
export function sizeOf(lines: readonly DiffLine[]): { added: number; removed: number } {
  const count = (kind: string) => lines.filter((line) => line.kind === kind).length
  return { added: count('added'), removed: count('removed') }
}
