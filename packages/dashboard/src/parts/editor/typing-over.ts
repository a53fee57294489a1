import type { Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'

/**
 * Typing over a selection is done by the editor. If the browser did it, it would keep the look of several lines with
 * style attributes, which the policy of the pages refuses and reports.
 */
export const typingOver: Extension = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { main } = view.state.selection
    const { data } = event
    if (event.inputType !== 'insertText' || data === null || main.empty || event.isComposing) return false
    const typed = () =>
      view.state.update(view.state.replaceSelection(data), { userEvent: 'input.type', scrollIntoView: true })
    // Such as brackets, which surround a selection.
    const handlers = view.state.facet(EditorView.inputHandler)
    if (!handlers.some((handle) => handle(view, main.from, main.to, data, typed))) view.dispatch(typed())
    return true
  },
})
