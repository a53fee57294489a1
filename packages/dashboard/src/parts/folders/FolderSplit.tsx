import type { ReactNode } from 'react'
import { classes } from '../classes.ts'
import styles from './folders.module.css'

/** A list beside the tree of its folders, under the bar of the chosen one. */
export function FolderSplit({
  tree,
  bar,
  children,
}: {
  tree: ReactNode
  bar: ReactNode
  children: ReactNode
}) {
  return (
    <div className={classes(styles.split, !tree && styles.alone)}>
      {tree}
      <div className={styles.list}>
        {bar}
        {children}
      </div>
    </div>
  )
}
