import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useEffect, useRef } from 'react'
import { useIsPhone } from '../base/use-media.ts'
import { classes } from './classes.ts'
import { NumberColumn, useColumnRooms } from './columns.ts'
import styles from './rows.module.css'

/** A column of a list. `width` is a track of a CSS grid, such as `96px` or `minmax(120px, 1fr)`. */
export type Column<Item> = {
  name: string
  width: string
  cell: (item: Item) => ReactNode
  /** Numbers stand at the end. Each `Value` aligns at its decimal point. */
  isNumber?: boolean
  /** Left out on a phone. */
  isWide?: boolean
}

const rowHeight = 32
/** A phone shows two lines, and needs a target for a thumb. */
const phoneRowHeight = 56

/**
 * A list of any length. Only what can be seen is in the document.
 * @param link the row's link, which fills the row: rows are links, so that they open in tabs and by keyboard
 * @param onEnd called when the last rows come into view
 */
export function Rows<Item>({
  label,
  columns,
  items,
  idOf,
  link,
  onEnd,
  after,
  isChosen = () => false,
}: {
  label: string
  columns: readonly Column<Item>[]
  items: readonly Item[]
  idOf: (item: Item) => number | string
  link?: (item: Item) => ReactNode
  onEnd?: (() => void) | undefined
  after?: ReactNode
  isChosen?: (item: Item) => boolean
}) {
  const scroller = useRef<HTMLDivElement>(null)
  const isPhone = useIsPhone()
  const roomOf = useColumnRooms(true)
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => (isPhone ? phoneRowHeight : rowHeight),
    overscan: 12,
    getItemKey: (index) => idOf(items[index]!),
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: another window has other heights
  useEffect(() => rows.measure(), [isPhone])
  const shown = rows.getVirtualItems()
  const last = shown.at(-1)?.index ?? -1
  useEffect(() => {
    if (last >= items.length - 20) onEnd?.()
  }, [last, items.length, onEnd])
  const shownColumns = isPhone ? columns.filter(({ isWide }) => !isWide) : columns
  const template = shownColumns.map(({ width }) => width).join(' ')
  return (
    <div
      ref={scroller}
      className={styles.scroller}
      role="table"
      aria-label={label}
      aria-rowcount={items.length}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
    >
      <div className={styles.head} role="row" style={{ gridTemplateColumns: template }}>
        {shownColumns.map(({ name, isNumber }) => (
          <div key={name} role="columnheader" className={classes(isNumber && styles.number)}>
            {name}
          </div>
        ))}
      </div>
      <div role="rowgroup" className={styles.body} style={{ height: rows.getTotalSize() }}>
        {shown.map(({ key, index, start, size }) => {
          const item = items[index]!
          return (
            <div
              key={key}
              role="row"
              aria-rowindex={index + 1}
              className={classes(styles.row, isChosen(item) && styles.chosen)}
              style={{ gridTemplateColumns: template, height: size, transform: `translateY(${start}px)` }}
            >
              {shownColumns.map(({ name, cell, isNumber }, at) => (
                <div key={name} role="cell" className={classes(isNumber && styles.number)}>
                  {at === 0 && link?.(item)}
                  {isNumber ? <NumberColumn value={roomOf(name)}>{cell(item)}</NumberColumn> : cell(item)}
                </div>
              ))}
            </div>
          )
        })}
      </div>
      {after}
    </div>
  )
}

/** For `link`: the class that makes a link fill its row. */
export const rowLinkClass = styles.link
