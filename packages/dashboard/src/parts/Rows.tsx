import { Link, type LinkProps } from '@tanstack/react-router'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useEffect, useRef } from 'react'
import { useIsNarrower } from '../base/use-is-narrower.ts'
import { useIsPhone } from '../base/use-media.ts'
import type { Beside } from './beside.ts'
import { classes } from './classes.ts'
import { NumberColumn, useColumnRooms } from './columns.ts'
import styles from './rows.module.css'
import { useRowKeys } from './use-row-keys.ts'

/** A column of a list. `width` is a track of a CSS grid, such as `96px` or `minmax(120px, 1fr)`. */
export type Column<Item> = {
  name: string
  width: string
  cell: (item: Item) => ReactNode
  /** Numbers stand at the end. Each `Value` aligns at its decimal point. */
  isNumber?: boolean
  /** Left out on a phone, and where the list is narrow, such as beside a detail. */
  isWide?: boolean
  /** On a phone, on the second line of its row: what matters beside the first, such as a reason. A number says its name. */
  isSecond?: boolean
  /** What a number is called there, where its name is too long. */
  secondName?: string
}

/** The height of a row in pixels. A phone needs a target for a thumb. */
export function rowHeightOf<Item>(columns: readonly Column<Item>[], isPhone: boolean): number {
  if (!isPhone) return 32
  return columns.some(({ isSecond }) => isSecond) ? 56 : 44
}
/** A narrower list has only the columns that a phone has. */
const wideFromPx = 720

/**
 * A list of any length. Only what can be seen is in the document.
 * @param link the row's link, which fills the row: rows are links, so that they open in tabs and by keyboard
 * @param onEnd called when the last rows come into view
 * @param beside the row whose detail is open beside the list: arrows, J and K then move through the rows
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
  beside,
}: {
  label: string
  columns: readonly Column<Item>[]
  items: readonly Item[]
  idOf: (item: Item) => number | string
  link?: (item: Item) => ReactNode
  onEnd?: (() => void) | undefined
  after?: ReactNode
  isChosen?: (item: Item) => boolean
  beside?: Beside | undefined
}) {
  const scroller = useRef<HTMLDivElement>(null)
  const isPhone = useIsPhone()
  const isNarrow = useIsNarrower(scroller, wideFromPx)
  const roomOf = useColumnRooms(true)
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeightOf(columns, isPhone),
    overscan: 12,
    getItemKey: (index) => idOf(items[index]!),
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: another window has other heights
  useEffect(() => rows.measure(), [isPhone])
  useRowKeys(scroller, rows, { count: items.length, at: (index) => idOf(items[index]!) }, beside)
  const shown = rows.getVirtualItems()
  const last = shown.at(-1)?.index ?? -1
  useEffect(() => {
    if (last >= items.length - 20) onEnd?.()
  }, [last, items.length, onEnd])
  const second = isPhone ? columns.filter(({ isSecond }) => isSecond) : []
  const shownColumns =
    isPhone || isNarrow ? columns.filter((column) => !column.isWide && !second.includes(column)) : columns
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
              data-index={index}
              className={classes(
                styles.row,
                (isChosen(item) || (beside !== undefined && idOf(item) === beside.open)) && styles.chosen,
              )}
              style={{ gridTemplateColumns: template, height: size, transform: `translateY(${start}px)` }}
            >
              {shownColumns.map(({ name, cell, isNumber }, at) => (
                <div key={name} role="cell" className={classes(isNumber && styles.number)}>
                  {at === 0 && link?.(item)}
                  {isNumber ? <NumberColumn value={roomOf(name)}>{cell(item)}</NumberColumn> : cell(item)}
                </div>
              ))}
              {second.length > 0 && (
                <div className={styles.second} role="presentation">
                  {second.map(({ name, secondName = name, cell, isNumber }) => (
                    <div key={name} role="cell" className={classes(isNumber && styles.number)}>
                      {isNumber && `${secondName} `}
                      {cell(item)}
                    </div>
                  ))}
                </div>
              )}
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

/** For `link`: opens the detail of a row beside its list, or its page where the window has no room for both. */
export function RowLink({
  id,
  label,
  page,
  beside,
}: {
  id: number
  label: string
  page: Pick<LinkProps, 'to' | 'params'>
  beside: Beside | undefined
}) {
  const look = { className: rowLinkClass, 'aria-label': label }
  if (beside === undefined) return <Link {...page} {...look} />
  return (
    <Link
      to="."
      search={((search: object) => ({ ...search, open: id })) as never}
      replace={beside.open !== undefined}
      {...look}
    />
  )
}
