/** What is wrong in the code, from several sources, each of which replaces only its own marks. */

import { type Diagnostic, setDiagnostics } from '@codemirror/lint'
import { EditorView, type ViewUpdate } from '@codemirror/view'
import { piecesOf } from '../../base/text.ts'
import type { Mark, MarkSource } from './editor-types.ts'
import { endOfWord } from './positions.ts'

/** More marks than these help nobody, and slow the editor down. */
const most = 500

/** The marks of one editor. */
export class Marks {
  readonly #sources = new Map<MarkSource, readonly Diagnostic[]>()

  /** Replaces the marks of a source. */
  set(view: EditorView, source: MarkSource, marks: readonly Mark[]): void {
    const text = view.state.doc.toString()
    this.#sources.set(
      source,
      marks.slice(0, most).map((mark) => diagnosticOf(mark, text)),
    )
    const all = [...this.#sources.values()].flat()
    view.dispatch(setDiagnostics(view.state, all))
  }

  /** Marks stay at their words while the user types elsewhere. */
  readonly following = EditorView.updateListener.of((update) => this.#follow(update))

  #follow({ docChanged, changes }: ViewUpdate): void {
    if (!docChanged) return
    for (const [source, diagnostics] of this.#sources) {
      const moved = diagnostics.map((diagnostic) => ({
        ...diagnostic,
        from: changes.mapPos(diagnostic.from, 1),
        to: changes.mapPos(diagnostic.to, -1),
      }))
      this.#sources.set(
        source,
        moved.filter(({ from, to }) => from <= to),
      )
    }
  }
}

function diagnosticOf({ from, to, severity, message, remedy }: Mark, text: string): Diagnostic {
  const start = Math.min(from, text.length)
  return {
    from: start,
    to: Math.min(to ?? endOfWord(text, start), text.length),
    severity,
    message,
    renderMessage: () => {
      const box = document.createElement('div')
      box.append(line(message))
      // What a message says already need not be said twice.
      if (remedy && !message.includes(remedy)) box.append(line(remedy, 'cm-remedy'))
      return box
    },
  }
}

/** Messages quote the code, which may contain anything. */
function line(text: string, className = ''): HTMLElement {
  const element = document.createElement('p')
  element.className = className
  element.textContent = piecesOf(text)
    .map((piece) => piece.text)
    .join('')
  return element
}
