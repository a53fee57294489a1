import type { Extension } from '@codemirror/state'
import { hoverTooltip } from '@codemirror/view'
import type { Meaning, Types } from './editor-types.ts'
import { memberAt } from './members.ts'

/** Says what the code under the pointer is: its type and its documentation. */
export function explaining(types: () => Types | null): Extension {
  return hoverTooltip(async (view, pos) => {
    const code = view.state.doc.toString()
    const found =
      (await types()
        ?.explain(code, pos)
        .catch(() => null)) ?? fromTable(code, pos)
    if (found === null) return null
    return {
      pos: found.from,
      end: found.to,
      above: true,
      create: () => ({ dom: meaningOf(found.type, found.about) }),
    }
  })
}

function fromTable(code: string, pos: number): Meaning | null {
  const start = code.lastIndexOf('\n', pos - 1) + 1
  const end = code.indexOf('\n', pos)
  const line = code.slice(start, end === -1 ? undefined : end)
  const found = memberAt(line, pos - start)
  return found && { ...found, from: found.from + start, to: found.to + start }
}

/** The type of something and what it is for, as text. */
export function meaningOf(type: string, about: string): HTMLElement {
  const box = document.createElement('div')
  box.className = 'cm-meaning'
  const first = document.createElement('p')
  first.className = 'cm-meaning-type'
  first.textContent = type
  box.append(first)
  if (about !== '') {
    const second = document.createElement('p')
    second.className = 'cm-meaning-about'
    second.textContent = about
    box.append(second)
  }
  return box
}
