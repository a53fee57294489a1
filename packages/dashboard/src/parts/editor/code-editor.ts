/** The editor itself. This file is loaded only when a page shows one, because CodeMirror is large. */

import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { javascript } from '@codemirror/lang-javascript'
import { json } from '@codemirror/lang-json'
import { bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from '@codemirror/language'
import { lintGutter, lintKeymap } from '@codemirror/lint'
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search'
import { EditorState, type Extension } from '@codemirror/state'
import {
  drawSelection,
  EditorView,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  tooltips,
} from '@codemirror/view'
import { completing } from './completing.ts'
import type { EditorHandle, EditorOptions } from './editor-types.ts'
import { explaining } from './explaining.ts'
import { Marks } from './marks.ts'
import { highlighting, theme } from './theme.ts'
import { typingOver } from './typing-over.ts'

/**
 * Creates an editor inside a shadow root. Outside of one, CodeMirror would add style elements, which the policy of the
 * pages forbids; inside, it uses style sheets without elements.
 */
export function createEditor(root: ShadowRoot, options: EditorOptions): EditorHandle {
  const marks = new Marks()
  const parent = document.createElement('div')
  parent.style.height = '100%'
  root.replaceChildren(parent)
  const state = EditorState.create({
    doc: options.text,
    extensions: [shared(options), options.isReadOnly ? reading : writing(options, marks)],
  })
  const view = new EditorView({ state, parent, root })
  return {
    text: () => view.state.doc.toString(),
    replace: (text) => replace(view, text),
    mark: (source, found) => marks.set(view, source, found),
    reveal(offset) {
      const anchor = Math.min(offset, view.state.doc.length)
      view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) })
      view.focus()
    },
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  }
}

function replace(view: EditorView, text: string): void {
  const { anchor } = view.state.selection.main
  view.dispatch({
    changes: { from: 0, to: view.state.doc.length, insert: text },
    selection: { anchor: Math.min(anchor, text.length) },
  })
}

function shared({ language, label }: EditorOptions): Extension {
  return [
    language === 'json' ? json() : javascript(),
    lineNumbers(),
    highlightSpecialChars(),
    drawSelection(),
    bracketMatching(),
    syntaxHighlighting(highlighting),
    search(),
    tooltips({ position: 'fixed' }),
    // Without a tab index, tools do not see that what scrolls can be reached by keyboard.
    EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
    theme,
  ]
}

const reading: Extension = [
  EditorState.readOnly.of(true),
  // It stays reachable by keyboard, so that it can be scrolled and copied.
  EditorView.contentAttributes.of({ 'aria-readonly': 'true' }),
  keymap.of([...searchKeymap, ...defaultKeymap]),
]

function writing(options: EditorOptions, marks: Marks): Extension {
  return [
    history(),
    indentUnit.of('  '),
    indentOnInput(),
    closeBrackets(),
    typingOver,
    highlightActiveLineGutter(),
    highlightSelectionMatches(),
    options.language === 'javascript' ? languageHelp(options, marks) : [],
    commands(options),
    EditorView.updateListener.of(({ docChanged, state }) => {
      if (docChanged) options.onChange(state.doc.toString())
    }),
  ]
}

function languageHelp({ types }: EditorOptions, marks: Marks): Extension {
  return [
    lintGutter(),
    marks.following,
    autocompletion({ override: [completing(types)], icons: true }),
    explaining(types),
  ]
}

function commands({ onSave, onRun }: EditorOptions): Extension {
  const always = (act: () => void) => () => {
    act()
    return true
  }
  return keymap.of([
    { key: 'Mod-s', run: always(onSave), preventDefault: true },
    // Before the default, which inserts a line.
    { key: 'Mod-Enter', run: always(onRun), preventDefault: true },
    ...closeBracketsKeymap,
    ...completionKeymap,
    ...searchKeymap,
    ...lintKeymap,
    ...historyKeymap,
    ...defaultKeymap,
    // Escape, then Tab, leaves the editor: CodeMirror lets a Tab after Escape pass.
    indentWithTab,
  ])
}
