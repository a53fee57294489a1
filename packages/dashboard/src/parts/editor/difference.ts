/** Differences between two texts. Loaded only when a page shows one. */

import { javascript } from '@codemirror/lang-javascript'
import { json } from '@codemirror/lang-json'
import { syntaxHighlighting } from '@codemirror/language'
import { unifiedMergeView } from '@codemirror/merge'
import { EditorState } from '@codemirror/state'
import { EditorView, highlightSpecialChars, lineNumbers } from '@codemirror/view'
import { highlighting, theme } from './theme.ts'

type Shown = { label: string; before: string; after: string; language: 'javascript' | 'json' }

/** Shows what differs, in a shadow root for the same reason as the editor. Returns the function that removes it. */
export function showDifference(root: ShadowRoot, { label, before, after, language }: Shown): () => void {
  const parent = document.createElement('div')
  root.replaceChildren(parent)
  const view = new EditorView({
    root,
    parent,
    state: EditorState.create({
      doc: after,
      extensions: [
        language === 'json' ? json() : javascript(),
        lineNumbers(),
        highlightSpecialChars(),
        syntaxHighlighting(highlighting),
        EditorState.readOnly.of(true),
        EditorView.contentAttributes.of({ 'aria-label': label, 'aria-readonly': 'true', tabindex: '0' }),
        unifiedMergeView({
          original: before,
          mergeControls: false,
          highlightChanges: false,
          syntaxHighlightDeletions: false,
          collapseUnchanged: { margin: 3, minSize: 6 },
          // A text that was written again would take seconds to compare exactly.
          diffConfig: { scanLimit: 1000, timeout: 200 },
        }),
        theme,
      ],
    }),
  })
  return () => view.destroy()
}
