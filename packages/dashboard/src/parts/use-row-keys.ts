import type { Virtualizer } from '@tanstack/react-virtual'
import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react'
import type { Beside } from './beside.ts'

/** Marks the element with the detail beside a list. */
export const detailMark = { 'data-detail': true }

/** Which way a key moves in a list. */
const steps: Record<string, 1 | -1> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }

/** Whether a key is meant for the page: not for a field, not for a dialog above it, and no shortcut. */
export function isForPage(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return false
  if (document.querySelector('dialog[open]') !== null) return false
  return !(event.target as Element).matches('input, select, textarea, [contenteditable]')
}

type Rows = Virtualizer<HTMLDivElement, Element>

/**
 * Moves through the rows of a list by keyboard: arrows, J and K. While a detail is open, it follows; a key that is held
 * moves only the focus, and the detail follows when it is released. Enter on the row that is open moves into its detail.
 */
export function useRowKeys(
  scroller: RefObject<HTMLDivElement | null>,
  rows: Rows,
  ids: { count: number; at: (index: number) => number | string },
  beside: Beside | undefined,
): void {
  /** The row that the user has come to. The focus may be elsewhere, for example because the row was scrolled away. */
  const current = useRef<number | string>(undefined)
  const wanted = useRef<number>(undefined)
  const indexOf = (id: number | string | undefined) => {
    for (let index = 0; index < ids.count; index++) if (ids.at(index) === id) return index
    return -1
  }
  /** Gives the focus to the wanted row, as soon as it is in the document. */
  const focus = () => {
    if (wanted.current === undefined) return
    // The list has become shorter meanwhile.
    if (wanted.current >= ids.count) wanted.current = undefined
    const row = scroller.current?.querySelector(`[data-index="${wanted.current}"]`)
    const link = row?.querySelector('a')
    if (!row || !link) return
    wanted.current = undefined
    link.focus({ preventScroll: true })
    row.scrollIntoView({ block: 'nearest' })
  }
  const goTo = (index: number) => {
    current.current = ids.at(index)
    wanted.current = index
    focus()
    if (wanted.current !== undefined) rows.scrollToIndex(index)
  }
  useLayoutEffect(focus)

  useEffect(() => {
    if (beside === undefined) return
    const onKeyDown = (event: KeyboardEvent) => {
      const target = event.target as Element
      const isInList = scroller.current?.contains(target) ?? false
      if (event.key === 'Enter' && isInList && current.current === beside.open && isForPage(event)) {
        event.preventDefault()
        document.querySelector<HTMLElement>('[data-detail]')?.focus()
        return
      }
      const step = steps[event.key]
      if (step === undefined || ids.count === 0 || !isForPage(event)) return
      // In a detail and in tabs, the arrows have another meaning.
      const isFree = isInList || target === document.body || target.matches('main')
      if (event.key.startsWith('Arrow') && !isFree) return
      event.preventDefault()
      const from = indexOf(current.current ?? beside.open)
      const first = rows.getVirtualIndexes()[0] ?? 0
      const next = from === -1 ? first : Math.min(ids.count - 1, Math.max(0, from + step))
      goTo(next)
      if (beside.open !== undefined && !event.repeat) beside.show(Number(ids.at(next)))
    }
    const onKeyUp = (event: KeyboardEvent) => {
      const id = current.current
      if (steps[event.key] === undefined || beside.open === undefined || id === undefined) return
      if (id !== beside.open && isForPage(event)) beside.show(Number(id))
    }
    const onFocus = (event: FocusEvent) => {
      const row = (event.target as Element).closest('[data-index]')
      if (row !== null) current.current = ids.at(Number(row.getAttribute('data-index')))
    }
    const element = scroller.current
    document.addEventListener('keydown', onKeyDown)
    document.addEventListener('keyup', onKeyUp)
    element?.addEventListener('focusin', onFocus)
    return () => {
      document.removeEventListener('keydown', onKeyDown)
      document.removeEventListener('keyup', onKeyUp)
      element?.removeEventListener('focusin', onFocus)
    }
  })

  const isBeside = beside !== undefined
  const open = beside?.open
  const before = useRef<number>(undefined)
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when another one opens, or the last one closes
  useEffect(() => {
    const index = indexOf(open ?? before.current)
    // A link, or the way back from a page, may lead to a row that is out of sight.
    if (open !== undefined && before.current === undefined && index !== -1) rows.scrollToIndex(index)
    // The focus was in the detail, which is gone.
    if (isBeside && open === undefined && index !== -1 && document.activeElement === document.body)
      goTo(index)
    before.current = open
  }, [open])
}
