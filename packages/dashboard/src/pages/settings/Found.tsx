import { type ReactNode, useCallback } from 'react'
import { setOnly } from '../../base/search.ts'
import { plainText } from '../../base/text.ts'
import { Button } from '../../parts/Button.tsx'
import { TextFilter } from '../../parts/Filter.tsx'
import { Empty } from '../../parts/Notice.tsx'
import type { AreaId } from '../../shell/settings-areas.ts'
import { useAddress } from './address.ts'
import { having } from './having.ts'
import styles from './settings.module.css'

/** Fewer things than this are found at a glance. */
const least = 8

/**
 * The things of a list that have the sought text, with a field for that text above a long list.
 * @param name what the address calls the text
 * @param textsOf where to look for it
 */
export function Found<Item>({
  area,
  name = 'q',
  label,
  items,
  textsOf,
  children,
}: {
  area: AreaId
  name?: 'q' | 'model'
  label: string
  items: readonly Item[]
  textsOf: (item: Item) => readonly (string | null)[]
  children: (found: readonly Item[]) => ReactNode
}) {
  const [search, go] = useAddress(area)
  const sought = search[name]
  const change = useCallback(
    (text: string | undefined) => go(setOnly({ ...search, [name]: text }), { replace: true }),
    [search, name, go],
  )
  const found = having(items, sought, textsOf)
  return (
    <>
      {(items.length >= least || sought !== undefined) && (
        <div className={styles.find}>
          <TextFilter label={label} value={sought} onChange={change} />
        </div>
      )}
      {found.length === 0 && sought !== undefined ? (
        <Empty
          title={`Nothing here has “${plainText(sought)}”`}
          action={<Button onClick={() => change(undefined)}>Show all</Button>}
        />
      ) : (
        children(found)
      )}
    </>
  )
}
