/** The look of the editor, on the tokens: custom properties reach into a shadow root. */

import { HighlightStyle } from '@codemirror/language'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

const floating = {
  border: 'none',
  borderRadius: 'var(--radius)',
  backgroundColor: 'var(--background)',
  color: 'var(--text)',
  boxShadow: 'var(--shadow)',
}

/** Also that of differences. */
export const theme = EditorView.theme({
  '&': {
    height: '100%',
    backgroundColor: 'var(--background)',
    color: 'var(--text)',
  },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--font-code)', fontSize: 'inherit', lineHeight: '20px' },
  '.cm-content': { padding: 'var(--space-2) 0', caretColor: 'var(--text)' },
  '.cm-line': { padding: '0 var(--space-3)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)', borderLeftWidth: '2px' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--accent-soft)',
  },
  '.cm-gutters': {
    border: 'none',
    borderRight: '1px solid var(--hairline)',
    backgroundColor: 'var(--surface)',
    color: 'var(--text-soft)',
  },
  '.cm-lineNumbers .cm-gutterElement': { minWidth: '28px', padding: '0 var(--space-2) 0 var(--space-1)' },
  '.cm-activeLine': { backgroundColor: 'transparent' },
  '&.cm-focused .cm-activeLineGutter, .cm-activeLineGutter': {
    backgroundColor: 'transparent',
    color: 'var(--text)',
  },
  '&.cm-focused .cm-matchingBracket': {
    backgroundColor: 'var(--neutral-5)',
    outline: '1px solid var(--line)',
  },
  '&.cm-focused .cm-nonmatchingBracket': { backgroundColor: 'var(--loss-soft)' },
  '.cm-specialChar': { color: 'var(--loss)' },
  '.cm-searchMatch': { backgroundColor: 'var(--warning-soft)', outline: '1px solid var(--warning)' },
  '.cm-searchMatch-selected': { backgroundColor: 'var(--accent-soft)', outline: '2px solid var(--accent)' },
  '.cm-selectionMatch': { backgroundColor: 'var(--neutral-4)' },

  '.cm-panels': {
    backgroundColor: 'var(--surface)',
    color: 'var(--text)',
    fontFamily: 'var(--font)',
  },
  '.cm-panels.cm-panels-bottom': { borderTop: '1px solid var(--hairline)' },
  '.cm-panel.cm-search': {
    display: 'flex',
    flexWrap: 'wrap',
    gap: 'var(--space-1) var(--space-2)',
    alignItems: 'center',
    padding: 'var(--space-2) var(--space-10) var(--space-2) var(--space-2)',
  },
  '.cm-panel.cm-search br': { display: 'none' },
  '.cm-panel.cm-search label': { display: 'inline-flex', alignItems: 'center', fontSize: 'var(--size-12)' },
  '.cm-panel.cm-search [name=close]': {
    top: 'var(--space-2)',
    right: 'var(--space-2)',
    width: '24px',
    height: '24px',
    fontSize: 'var(--size-16)',
    color: 'var(--text)',
  },
  '.cm-textfield': {
    minHeight: '28px',
    padding: '2px var(--space-2)',
    border: '1px solid var(--control-line)',
    borderRadius: 'var(--radius)',
    backgroundColor: 'var(--background)',
    color: 'var(--text)',
    fontSize: 'inherit',
  },
  '.cm-button': {
    minHeight: '28px',
    padding: '2px var(--space-2)',
    border: '1px solid var(--control-line)',
    borderRadius: 'var(--radius)',
    backgroundColor: 'var(--background)',
    backgroundImage: 'none',
    color: 'var(--text)',
    fontSize: 'inherit',
  },
  '.cm-textfield:focus-visible, .cm-button:focus-visible': { outline: '2px solid var(--focus)' },

  '.cm-tooltip': floating,
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    maxHeight: '240px',
    fontFamily: 'var(--font-code)',
    fontSize: 'inherit',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': {
    padding: 'var(--space-1) var(--space-2)',
    lineHeight: '16px',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--accent-soft)',
    color: 'var(--text)',
  },
  '.cm-completionMatchedText': { color: 'var(--accent)', textDecoration: 'none' },
  '.cm-completionDetail': { marginLeft: 'var(--space-3)', color: 'var(--text-soft)', fontStyle: 'normal' },
  '.cm-completionIcon': { color: 'var(--text-soft)', opacity: '1' },
  '.cm-tooltip.cm-completionInfo': { maxWidth: '360px', padding: 'var(--space-2) var(--space-3)' },
  '.cm-meaning': { maxWidth: 'min(480px, 90vw)', padding: 'var(--space-2) var(--space-3)' },
  '.cm-meaning-type': {
    margin: '0',
    fontFamily: 'var(--font-code)',
    fontSize: 'var(--size-12)',
    whiteSpace: 'pre-wrap',
    overflowWrap: 'anywhere',
  },
  '.cm-meaning-about': { margin: 'var(--space-1) 0 0', color: 'var(--text-soft)', whiteSpace: 'pre-wrap' },

  '.cm-tooltip-lint': { maxWidth: 'min(480px, 90vw)' },
  '.cm-diagnostic': {
    padding: 'var(--space-2) var(--space-3)',
    borderLeft: '3px solid var(--loss)',
    overflowWrap: 'anywhere',
  },
  '.cm-diagnostic p': { margin: '0' },
  '.cm-diagnostic .cm-remedy': { marginTop: 'var(--space-1)', color: 'var(--text-soft)' },
  '.cm-diagnostic-warning': { borderLeftColor: 'var(--warning)' },
  '.cm-lintRange-error, .cm-lintRange-warning': {
    backgroundImage: 'none',
    paddingBottom: '0',
    textDecoration: 'underline wavy var(--loss) 1px',
    textDecorationSkipInk: 'none',
    textUnderlineOffset: '3px',
  },
  '.cm-lintRange-warning': { textDecorationColor: 'var(--warning)' },
  '.cm-lintPoint-error:after': { borderBottomColor: 'var(--loss)' },
  '.cm-lintPoint-warning:after': { borderBottomColor: 'var(--warning)' },
  '.cm-gutter-lint': { width: '14px' },
  '.cm-gutter-lint .cm-gutterElement': { padding: '6px 3px' },
  // The library draws its marks as images with colours of their own.
  '.cm-lint-marker': { width: '8px', height: '8px', content: 'none' },
  '.cm-lint-marker-error': { borderRadius: '2px', backgroundColor: 'var(--loss)' },
  '.cm-lint-marker-warning': { borderRadius: '50%', backgroundColor: 'var(--warning)' },
  '.cm-panel.cm-panel-lint ul': { fontFamily: 'var(--font)' },

  '.cm-changedLine': { backgroundColor: 'var(--profit-soft)' },
  '.cm-changedLine .cm-insertedLine': { background: 'none', textDecoration: 'none' },
  '.cm-deletedChunk': {
    padding: '0',
    backgroundColor: 'var(--loss-soft)',
  },
  '.cm-deletedChunk .cm-deletedLine': { padding: '0 var(--space-3)' },
  '.cm-changedText, .cm-deletedChunk .cm-deletedText': { background: 'none', textDecoration: 'none' },
  '.cm-changedLineGutter': { backgroundColor: 'var(--profit)' },
  '.cm-deletedLineGutter': { backgroundColor: 'var(--loss)' },
  '.cm-collapsedLines': {
    padding: 'var(--space-1) var(--space-3)',
    background: 'var(--surface)',
    color: 'var(--text-soft)',
    fontFamily: 'var(--font)',
  },
  '.cm-collapsedLines:before, .cm-collapsedLines:after': { content: 'none' },

  '@media (max-width: 640px)': {
    // Smaller text makes a phone zoom in when the editor gets the focus.
    '.cm-scroller': { fontSize: '16px', lineHeight: '24px' },
  },
})

/** Few colours: what a reader looks for, and what is no code. */
export const highlighting = HighlightStyle.define([
  {
    tag: [tags.keyword, tags.operatorKeyword, tags.controlKeyword, tags.definitionKeyword],
    color: 'var(--accent)',
  },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], color: 'var(--profit)' },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: 'var(--live)' },
  { tag: [tags.comment, tags.docComment], color: 'var(--text-soft)', fontStyle: 'italic' },
  { tag: [tags.function(tags.definition(tags.variableName)), tags.className], color: 'var(--suspended)' },
  { tag: tags.invalid, color: 'var(--loss)' },
])
