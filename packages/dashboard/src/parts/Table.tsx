import type { ReactNode } from 'react'
import { classes } from './classes.ts'
import { NumberColumn, useColumnRooms } from './columns.ts'
import styles from './table.module.css'

/** A column of a short table. */
export type TableColumn<Item> = {
  name: string
  cell: (item: Item) => ReactNode
  /** Numbers stand at the end. Each `Value` aligns at its decimal point. */
  isNumber?: boolean
  /** Left out on a phone. */
  isWide?: boolean
}

/** A short table: all of it is in the document. For what may be long, see `Rows`. */
export function Table<Item>({
  label,
  columns,
  items,
  idOf,
}: {
  label: string
  columns: readonly TableColumn<Item>[]
  items: readonly Item[]
  idOf: (item: Item) => string | number
}) {
  const roomOf = useColumnRooms(false)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className={styles.scroller} aria-label={label} tabIndex={0}>
      <table className={styles.table}>
        <thead>
          <tr>
            {columns.map(({ name, isNumber, isWide }) => (
              <th
                key={name}
                scope="col"
                className={classes(isNumber && styles.number, isWide && styles.wide)}
              >
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={idOf(item)}>
              {columns.map(({ name, cell, isNumber, isWide }) => (
                <td key={name} className={classes(isNumber && styles.number, isWide && styles.wide)}>
                  {isNumber ? <NumberColumn value={roomOf(name)}>{cell(item)}</NumberColumn> : cell(item)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
